import assert from 'node:assert/strict';
import { HoldfastClient } from '../src/client.js';
import { memoryStore } from '../src/store/memory.js';
import type { Clock, Options, Store, Telemetry } from '../src/types.js';
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

/** The start of the keys of the bench's user. */
export const HOME = 'holdfast/1/ws://a/v1/ws/bob/';

/** A client with everything in the hand of the test. */
export class Bench {
  readonly clock = new FakeClock();
  readonly signals = new FakeSignals();
  readonly parts = new FakeParts();
  readonly made: FakeSocket[] = [];
  readonly requests: Request[] = [];
  readonly telemetry: Telemetry[] = [];
  readonly got: unknown[] = [];
  readonly dropped: any[] = [];
  readonly client: HoldfastClient;
  /** Takes the handler off that puts messages into `got`. */
  readonly off: () => void;

  constructor(
    options: Partial<Options> = {},
    readonly store: Store = memoryStore(),
    random = seeded(1),
    clock?: Clock,
  ) {
    this.client = new HoldfastClient(
      { url: 'ws://a/v1/ws', user: 'bob', ...options },
      {
        ...{ clock: clock ?? this.clock, random, store, signals: this.signals, parts: this.parts },
        ...{ webSocket: socketsInto(this.made), fetch: fetchInto(this.requests) },
      },
    );
    this.client.on('telemetry', (event) => void this.telemetry.push(event));
    this.off = this.client.on('message', ({ payload }) => void this.got.push(payload));
    this.client.on('dropped', (value) => void this.dropped.push(value));
  }

  get socket(): FakeSocket {
    return this.made[this.made.length - 1]!;
  }
  sent(type: string): any[] {
    const frames = this.socket.sent.filter((text) => text.startsWith('{')).map((text) => JSON.parse(text));
    return frames.filter((frame) => frame.type === type);
  }
  types(): string[] {
    return this.telemetry.map(({ type }) => type);
  }
  async online(welcome: object = {}): Promise<this> {
    if (this.client.state === 'idle' || this.client.state === 'closed') this.client.connect();
    await settled();
    for (let i = 0; this.client.state === 'backoff' && i < 100; i++) await this.clock.advance(500);
    this.socket.open();
    await settled();
    await this.deliver({
      ...{ type: 'welcome', resumed: this.sent('hello')[0].lastSeq !== undefined, epoch: 'e', seq: 0, ackSeq: 0 },
      ...{ sessionToken: 's', heartbeat: { intervalMs: 25_000, timeoutMs: 8000 }, limits: { dedupWindowMs: 600_000 } },
      ...welcome,
    });
    assert.equal(this.client.state, 'online');
    return this;
  }
  async deliver(...frames: object[]): Promise<void> {
    for (const frame of frames) this.socket.deliver(frame);
    await settled();
  }
}

export const message = (seq: number, msgId = `m${seq}`): object => ({
  type: 'message',
  seq,
  msgId,
  from: 'a',
  ts: 1,
  payload: seq,
});
