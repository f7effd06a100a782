import { HoldfastClient } from '../src/client.js';
import { HoldfastError } from '../src/errors.js';
import type { Clock, HistoryPage, Message, State, Store } from '../src/types.js';
import {
  FakeClock,
  FakeParts,
  FakeSignals,
  FakeSocket,
  fetchInto,
  seeded,
  socketsInto,
  type Request,
} from './fakes.js';
import { CHANNEL, Model } from './model.js';

/** Runs what is ready, and what that makes ready. */
export async function ready(turns = 80): Promise<void> {
  for (let i = 0; i < turns; i++) await null;
}

const BOBS_TOKEN = `a.${Buffer.from(JSON.stringify({ sub: 'bob' })).toString('base64url')}.c`;

/** A handler of the app fails, as it may. */
class HandlerError extends Error {}

interface Send {
  i: number;
  process: number;
  outcome: string | null;
  uncertain: boolean;
  /** It was in the store when its process died. */
  survived: boolean;
}

/** What lasts over processes; the operations of one take their time, fail, and are cut off by its death. */
class Disk {
  readonly rows = new Map<string, string>();
  pending: { run: () => void; apply: () => void }[] = [];
  broken = false;

  /** A process' access to it. */
  store(): Store {
    const { rows } = this;
    return {
      get: (key) => this.op(() => (rows.has(key) ? JSON.parse(rows.get(key)!) : undefined)),
      set: (entries) => {
        const texts = Object.entries(entries).map(([key, value]) => [key, JSON.stringify(value)] as const);
        return this.op(() => texts.forEach(([key, text]) => rows.set(key, text)));
      },
      delete: (keys) => this.op(() => keys.forEach((key) => rows.delete(key))),
      keys: (prefix) => this.op(() => [...rows.keys()].filter((key) => key.startsWith(prefix))),
      close: () => this.op(() => undefined),
    };
  }

  private op<T>(act: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const run = (): void => (this.broken ? reject(new Error('the disk is full')) : resolve(act()));
      this.pending.push({ run, apply: () => void act() });
    });
  }

  /** The process is dead: each write under way came through or did not. */
  cutOff(chance: () => boolean): void {
    for (const op of this.pending.splice(0)) if (!this.broken && chance()) op.apply();
  }

  /** The cursor that a later process will know of, in this epoch; 0 where there is none. */
  cursor(epoch: string): number {
    const text = [...this.rows].find(([key]) => key.endsWith('/session'))?.[1];
    const session = text === undefined ? {} : JSON.parse(text);
    return session.epoch === epoch ? (session.lastSeq ?? 0) : 0;
  }

  outbox(): number[] {
    const rows = [...this.rows].filter(([key]) => key.includes('/out/'));
    return rows.map(([, text]) => JSON.parse(text).payload.i as number);
  }
}

/** One client, its server, its clock and its store, driven by chance; throws when an invariant breaks. */
export class World {
  readonly random: () => number;
  readonly clock = new FakeClock();
  readonly signals = new FakeSignals();
  readonly parts = new FakeParts();
  readonly store = new Disk();
  readonly model: Model;
  made: FakeSocket[] = [];
  old: FakeSocket[] = [];
  requests: Request[] = [];
  handlers: { go: (ok: boolean) => void }[] = [];
  sends: Send[] = [];
  client!: HoldfastClient;
  /** Takes the handler of messages off; null while it is off. */
  off: (() => void) | null = null;
  private listen!: () => () => void;
  /** The option `user` is given; else only the token tells whose store it is. */
  private readonly named: boolean;
  process = 0;
  wallWentBack = false;
  storeFailed = false;
  calm = false;
  /** Successful handovers: key → process in which it was last handed. */
  readonly handed = new Map<string, number>();
  readonly lost = new Set<string>();
  private readonly greeted = new Set<FakeSocket>();
  private readonly lastAttempt = new Map<string, number>();
  readonly told = new Map<number, string>();
  private failure: Error | null = null;
  private lastMessage = new Map<string, number>();
  private lastEvent = 0;
  /** Of all processes: what was handed over, or told as passed over. */
  private highestEvent = 0;
  private before: State = 'idle';
  private mayConnect = false;
  private attempts = 0;
  private dialled = 0;
  log: string[] = [];

  constructor(readonly seed: number) {
    this.random = seeded(seed);
    this.named = seed % 2 === 0;
    this.model = new Model(this.random, () => this.clock.mono());
    this.model.mayAck = (id) => this.isSettled(id);
    this.model.mayForget = () => this.storeFailed;
    this.model.trace = (line) => this.log.push(line);
    this.boot();
  }

  isSettled(key: string): boolean {
    return this.handed.has(key) || this.lost.has(key);
  }

  pick<T>(list: readonly T[]): T | undefined {
    return list[Math.floor(this.random() * list.length)];
  }

  fail(what: string): never {
    this.failure ??= new Error(what);
    throw this.failure;
  }

  /** A process begins: everything but the store is new. */
  boot(): void {
    this.process++;
    this.clock.timers = [];
    this.old.push(...this.made);
    for (const socket of this.made) socket.ended = true;
    this.made = [];
    this.requests = [];
    this.handlers = [];
    this.signals.listeners.clear();
    this.lastMessage = new Map();
    this.lastEvent = 0;
    this.attempts = this.dialled = 0;
    const { process } = this;
    const made = this.made;
    const requests = this.requests;
    this.client = new HoldfastClient(
      {
        ...{ url: ['ws://a/v1/ws', 'ws://b/v1/ws'], token: () => this.token(), outboxMax: 20 },
        ...(this.named ? { user: 'bob' } : {}),
      },
      {
        ...{
          clock: this.clockOf(process),
          random: this.random,
          webSocket: socketsInto(made),
          fetch: fetchInto(requests),
        },
        ...{ store: this.store.store(), signals: this.signals, parts: this.parts },
      },
    );
    const guard =
      <T>(run: (value: T) => unknown) =>
      (value: T): unknown => {
        if (process !== this.process) return undefined;
        try {
          return run(value);
        } catch (error) {
          if (!(error instanceof HandlerError)) this.failure ??= error as Error;
          throw error;
        }
      };
    this.listen = () => {
      let on = true;
      const off = this.client.on(
        'message',
        guard((message) => (on ? this.handle(() => this.message(message)) : this.fail('called after off()'))),
      );
      return () => {
        on = false;
        off();
      };
    };
    this.off = this.listen();
    this.client.on(
      'history',
      guard((page) => this.handle(() => this.history(page))),
    );
    this.client.on(
      'event',
      guard((event) => this.handle(() => this.event(event.payload as number))),
    );
    this.client.on(
      'subscribed',
      guard((told) => {
        if (!told.recovered) this.highestEvent = this.lastEvent = Number(told.position);
      }),
    );
    this.client.on(
      'dropped',
      guard(({ payload, reason }) => void this.told.set((payload as Send).i, reason)),
    );
    this.client.on(
      'sent',
      guard(({ msgId }) => void this.told.set(Number(msgId.slice(1)), 'sent')),
    );
    this.client.on(
      'telemetry',
      guard(({ type }) => void (this.storeFailed ||= type === 'storage_failed')),
    );
    this.client.on(
      'state',
      guard((change) => this.stateChanged(change.state, change.previous)),
    );
    this.client.subscribe(CHANNEL);
  }

  /** The clock as a process sees it: one that is dead sets no timer. */
  private clockOf(process: number): Clock {
    const { clock } = this;
    return {
      now: () => clock.now(),
      mono: () => clock.mono(),
      setTimer: (ms, run) => (process === this.process ? clock.setTimer(ms, run) : 0),
      clearTimer: (timer) => clock.clearTimer(timer),
    };
  }

  private token(): string | Promise<string> {
    const chance = this.calm ? 1 : this.random();
    if (chance < 0.05) throw new Error('no token now');
    if (chance < 0.08) return new Promise(() => {});
    if (chance < 0.1) return Promise.reject(new Error('no token now'));
    return this.named ? 'opaque' : BOBS_TOKEN;
  }

  /** The app takes its handler of messages off, or gives it again. */
  toggle(): void {
    if (this.off) this.off();
    this.off = this.off ? null : this.listen();
  }

  private stateChanged(state: State, previous: State): void {
    if (state !== 'connecting') return;
    this.attempts++;
    if (!this.mayConnect) this.fail(`connecting from ${previous}, though no timer of backoff fired and nobody asked`);
    this.mayConnect = false;
  }

  /** A handler: through at once, later, or failing. `done` is what counts as handed over. */
  private handle(done: () => void): unknown {
    const chance = this.calm ? 0 : this.random();
    if (chance < 0.6) return done();
    if (chance < 0.75) throw new HandlerError();
    return new Promise<void>((resolve, reject) => {
      this.handlers.push({
        go: (ok) => {
          if (!ok) return reject(new HandlerError());
          try {
            done();
          } catch (error) {
            this.failure ??= error as Error;
          }
          resolve();
        },
      });
    });
  }

  private once(key: string): void {
    if (this.handed.get(key) === this.process) this.fail(`${key} was handed over twice`);
    if (this.lost.has(key)) this.fail(`${key} was told lost and then handed over`);
    this.handed.set(key, this.process);
  }

  private message({ msgId, payload, seq }: Message): void {
    const { epoch } = payload as { epoch: string };
    const line = `${epoch}.${msgId.split('.')[1] ?? 0}`;
    this.once(msgId);
    if (seq <= (this.lastMessage.get(line) ?? 0)) this.fail(`${msgId} out of order`);
    this.lastMessage.set(line, seq);
  }

  private history(page: HistoryPage): void {
    let last = page.lost ? page.lost.to : page.from;
    // what was handed over before is left out
    const skip = (to: number): void => {
      for (; last < to && this.model.everAt(page.epoch, last + 1).some((id) => this.handed.has(id)); last++);
    };
    for (const { seq, msgId } of page.messages) {
      skip(seq - 1);
      if (seq !== ++last) this.fail(`history has ${seq} where ${last} was due`);
      this.once(msgId);
    }
    skip(page.to);
    if (last !== page.to) this.fail(`history ends at ${last}, not at ${page.to}`);
    const isCut = this.model.isCut(page.epoch); // then what the app has may be owed again, and is not kept any more
    for (let seq = (page.lost?.from ?? 0) + 1; page.lost && seq <= page.lost.to; seq++) {
      const gone = this.model.gone(page.epoch, seq);
      if (gone.length === 0) this.fail(`${page.epoch}-${seq} was told lost, and is kept`);
      for (const id of gone) {
        if (!isCut && this.handed.get(id) === this.process) this.fail(`${id} was handed over and then told lost`);
        this.lost.add(id);
      }
    }
  }

  private event(n: number): void {
    if (this.highestEvent && n > this.highestEvent + 1)
      this.fail(`event ${n} after ${this.highestEvent}, over processes`);
    this.highestEvent = Math.max(n, this.highestEvent);
    if (this.lastEvent && n !== this.lastEvent + 1) this.fail(`event ${n} after ${this.lastEvent}`);
    this.lastEvent = n;
  }

  get lastEventHanded(): number {
    return this.lastEvent;
  }

  send(): void {
    const send: Send = {
      i: this.sends.length,
      process: this.process,
      outcome: null,
      uncertain: false,
      survived: false,
    };
    this.sends.push(send);
    const bad = this.random() < 0.05;
    this.client.send({ user: 'eve' }, bad ? { i: send.i, bad } : { i: send.i }).then(
      ({ msgId }) => {
        send.outcome = 'sent';
        if (msgId !== `m${send.i}` || !this.model.accepted.has(send.i))
          this.failure ??= new Error(`send ${send.i}: ${msgId}`);
      },
      (error: unknown) => {
        send.outcome = error instanceof HoldfastError ? error.code : String(error);
        send.uncertain = error instanceof HoldfastError && error.uncertain;
      },
    );
  }

  /** The process dies: what was being written is written or not. */
  crash(): void {
    this.store.cutOff(() => this.random() < 0.5);
    const kept = new Set(this.store.outbox());
    for (const send of this.sends) if (send.outcome === null) send.survived ||= kept.has(send.i);
    for (const send of this.sends) if (send.process === this.process && send.outcome === null) send.outcome = 'crashed';
    this.boot();
  }

  /** When the client's timers are due, and what they do. */
  timersLeft(): string {
    return this.clock.timers.map(({ due, run }) => `${due}: ${run}`).join();
  }

  connect(): void {
    const { state } = this.client;
    this.mayConnect ||= state === 'idle' || state === 'closed';
    this.client.connect();
  }

  fire(late = 0): void {
    const timer = this.clock.next();
    if (!timer) return;
    this.before = this.client.state;
    this.mayConnect = this.before === 'backoff';
    if (late) this.clock.time = Math.max(this.clock.time, timer.due) + late;
    this.clock.fire(timer);
  }

  /** Each hello of a client has a greater attempt than the one before, over processes too. */
  private checkAttempts(): void {
    for (const socket of this.made) {
      if (socket.sent.length === 0 || this.greeted.has(socket)) continue;
      this.greeted.add(socket);
      const { clientId, attempt } = JSON.parse(socket.sent[0]!) as { clientId: string; attempt: number };
      const before = this.lastAttempt.get(clientId) ?? -1;
      if (attempt <= before && !this.storeFailed) this.fail(`attempt ${attempt} after ${before}`);
      this.lastAttempt.set(clientId, attempt);
    }
  }

  /** After every step. */
  check(): void {
    if (this.failure) throw this.failure;
    const alive = this.made.filter((socket) => socket.alive);
    if (alive.length > 1) this.fail(`${alive.length} live sockets`);
    this.checkAttempts();
    const { state } = this.client;
    if (alive.length > 0 && state !== 'connecting' && state !== 'online') this.fail(`a live socket in ${state}`);
    if (this.made.length > this.attempts) this.fail('more sockets than attempts');
    if (
      state === 'closed' &&
      this.store.pending.length === 0 &&
      this.handlers.length === 0 &&
      this.clock.timers.length
    ) {
      this.fail(`a timer is left in closed: ${this.timersLeft()}`);
    }
    for (const [i, times] of this.model.accepted) {
      if (times > 1 && !this.wallWentBack && !this.storeFailed) this.fail(`send ${i} was accepted ${times} times`);
    }
    const order = this.model.acceptedOrder;
    for (; this.dialled + 1 < order.length; this.dialled++) {
      if (order[this.dialled]! > order[this.dialled + 1]! && !this.storeFailed)
        this.fail(`send ${order[this.dialled + 1]} was overtaken`);
    }
  }
}
