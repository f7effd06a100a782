import assert from 'node:assert/strict';
import { HoldfastClient } from '../src/client.js';
import { memoryStore } from '../src/store/memory.js';
import type { Events, Options } from '../src/types.js';
import {
  FakeClock,
  FakeParts,
  FakeSignals,
  FakeSocket,
  fetchInto,
  seeded,
  settled,
  socketsInto,
  type Request,
} from './fakes.js';

const URL = 'ws://127.0.0.1:8080/v1/ws';
const KINDS = ['message', 'history', 'event', 'presence', 'dropped', 'sent', 'subscribed', 'unsubscribed'] as const;

interface Head {
  transcript: string;
  options: Record<string, unknown> & { user: string };
  random?: number;
}

/** Plays a transcript's lines against the library: the server, the app and the clock are the player's. */
export class Player {
  private readonly clock = new FakeClock();
  private readonly signals = new FakeSignals();
  private readonly made: FakeSocket[] = [];
  private readonly requests: Request[] = [];
  private readonly store = memoryStore();
  private readonly client: HoldfastClient;
  private readonly sockets = new Map<number, FakeSocket>();
  private readonly read = new Map<FakeSocket, number>();
  private readonly told = new Map<string, unknown[]>();
  private readonly promises = new Map<string, { value?: unknown; error?: string }>();
  private readonly failing = new Map<string, number>();
  private readonly variables = new Map<string, unknown>();
  private lastState: Events['state'] | null = null;
  private dialled = 0;

  constructor(private readonly head: Head) {
    const options: Record<string, unknown> = { ...head.options, url: URL };
    if (Array.isArray(options.token)) {
      const tokens = [...(options.token as string[])];
      options.token = () => tokens.shift() ?? Promise.reject(new Error('no token is left'));
    }
    this.client = new HoldfastClient(options as unknown as Options, {
      clock: this.clock,
      random: head.random === undefined ? seeded(1) : () => head.random!,
      webSocket: socketsInto(this.made),
      fetch: fetchInto(this.requests),
      store: this.store,
      signals: this.signals,
      parts: new FakeParts(),
    });
    for (const kind of KINDS) {
      this.told.set(kind, []);
      this.client.on(kind, (value) => {
        this.told.get(kind)!.push(value);
        const left = this.failing.get(kind) ?? 0;
        if (left === 0) return;
        this.failing.set(kind, left - 1);
        throw new Error('as the transcript wants');
      });
    }
    this.client.on('state', (change) => (this.lastState = change));
  }

  async play(line: any): Promise<void> {
    if ('c' in line) this.connection(line);
    else if ('app' in line) this.app(line);
    else if ('tell' in line) this.tell(line);
    else if ('settled' in line) this.settled(line);
    else if ('state' in line) this.state(line);
    else if ('signal' in line) this.signals.tell(line.signal === 'changed' ? 'change' : line.signal);
    else if ('wait' in line) await this.clock.advance(line.wait);
    else if ('get' in line) this.get(line);
    else if ('store' in line)
      await this.store.set({ [`holdfast/1/${URL}/${this.head.options.user}/session`]: line.store });
    else assert.ok('server' in line, `an unknown line ${JSON.stringify(line)}`);
    await settled();
  }

  /** Everything that the client did stands in the transcript. */
  async end(): Promise<void> {
    for (const [socket, read] of this.read) {
      const more = socket.sent.slice(read);
      assert.deepEqual(more, [], 'frames that the transcript does not have');
    }
    await this.client.close();
    assert.equal(this.clock.timers.length, 0, 'timers left after close()');
  }

  private connection(line: any): void {
    if (line.open || line.fail !== undefined) {
      const socket = this.made[this.dialled++];
      assert.ok(socket, `no attempt for connection ${line.c}`);
      this.sockets.set(line.c, socket);
      this.read.set(socket, 0);
      if (line.open) return socket.open();
      if (typeof line.fail === 'number' || /^\d+$/.test(line.fail)) return socket.refuse(Number(line.fail));
      socket.error();
      return socket.end();
    }
    const socket = this.sockets.get(line.c)!;
    if (line.send !== undefined) this.expectSent(socket, line.send);
    else if (line.recv !== undefined)
      socket.deliver(typeof line.recv === 'string' ? line.recv : this.made_up(line.recv));
    else if (line.error !== undefined) socket.error();
    else if (line.cut) socket.end();
    else if (line.close !== undefined && line.by === 'server') socket.end(line.close, line.reason);
    else if (line.close !== undefined) {
      assert.deepEqual(socket.closedBy, { code: line.close, reason: line.reason ?? '' }, 'the close of the client');
    } else assert.ok(line.silent, `an unknown line ${JSON.stringify(line)}`);
  }

  private expectSent(socket: FakeSocket, expected: unknown): void {
    const at = this.read.get(socket)!;
    const frame = socket.sent[at];
    assert.ok(frame !== undefined, `the client sent nothing instead of ${JSON.stringify(expected)}`);
    this.read.set(socket, at + 1);
    this.match(frame.startsWith('{') ? JSON.parse(frame) : frame, expected, 'frame');
  }

  private app(line: any): void {
    const args = line.args ?? [];
    if (line.app === 'fail') return void this.failing.set(args[0], args[1]);
    const result = (this.client as any)[line.app](...args);
    if (!line.as) return;
    const outcome: { value?: unknown; error?: string } = {};
    this.promises.set(line.as, outcome);
    (result as Promise<unknown>).then(
      (value) => (outcome.value = value),
      (error) => (outcome.error = error.code),
    );
  }

  private tell(line: any): void {
    const value = this.told.get(line.tell)!.shift();
    assert.ok(value !== undefined, `the app was not told ${line.tell} ${JSON.stringify(line.value)}`);
    this.match(value, line.value, `tell ${line.tell}`);
  }

  private settled(line: any): void {
    const outcome = this.promises.get(line.settled)!;
    if (line.error !== undefined) assert.equal(outcome.error, line.error);
    else this.match(outcome.value, line.value, `settled ${line.settled}`);
  }

  private state(line: any): void {
    assert.equal(this.client.state, line.state);
    if (line.reason !== undefined) assert.equal(this.lastState!.reason, line.reason);
  }

  private get(line: any): void {
    const request = this.requests.shift();
    assert.ok(request, `the client did not ask for ${line.get}`);
    const expected = line.get.replace(/\$\w+/g, (name: string) => encodeURIComponent(String(this.variables.get(name))));
    const parts = (url: string): string[] => url.replace(/^http:\/\/[^/]*/, '').split(/[?&]/);
    assert.deepEqual(parts(request.url).sort(), parts(expected).sort());
    request.answer(line.answer.status, this.made_up(line.answer.body));
  }

  /** What stands for something else in a line becomes what the client gets. */
  private made_up(value: any): any {
    if (typeof value === 'string' && value.startsWith('$'))
      return this.variables.get(value) ?? this.define(value, value);
    if (value === '*') return 'some';
    if (value === '*int') return 1;
    if (Array.isArray(value)) return value.map((one) => this.made_up(one));
    if (value === null || typeof value !== 'object') return value;
    if (value.$seqs) {
      const [from, to] = value.$seqs as [number, number];
      const { $seqs: _, ...rest } = value;
      return Array.from({ length: to - from + 1 }, (_, i) => ({
        seq: from + i,
        msgId: `h${from + i}`,
        ts: 1,
        ...rest,
      }));
    }
    const entries = Object.entries(value).filter(([name, one]) => name !== '!' && one !== '?');
    return Object.fromEntries(entries.map(([name, one]) => [name, this.made_up(one)]));
  }

  private define(name: string, value: unknown): unknown {
    this.variables.set(name, value);
    return value;
  }

  private match(actual: any, expected: any, where: string): void {
    if (typeof expected === 'string' && expected.startsWith('$')) {
      if (!this.variables.has(expected)) this.define(expected, actual);
      return assert.deepEqual(actual, this.variables.get(expected), where);
    }
    if (expected === '?') return;
    if (expected === '*') return assert.equal(typeof actual, 'string', where);
    if (expected === '*int') return assert.ok(Number.isInteger(actual), where);
    if (expected === null || typeof expected !== 'object' || Array.isArray(expected)) {
      if (!Array.isArray(expected)) return assert.deepEqual(actual, expected, where);
      assert.equal(actual?.length, expected.length, where);
      return expected.forEach((one, i) => this.match(actual[i], one, `${where}[${i}]`));
    }
    for (const [name, one] of Object.entries(expected)) {
      if (name === '!')
        for (const absent of one as string[]) assert.ok(!(absent in actual), `${where}.${absent} is there`);
      else this.match(actual?.[name], one, `${where}.${name}`);
    }
  }
}
