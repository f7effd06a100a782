import type { Clock } from '../types.js';
import type { Journal } from './journal.js';
import type { Listeners } from './listeners.js';
import type { Recorder } from './recorder.js';
import type { Session } from './session.js';
import type { Timers } from './timers.js';

/** What the server allows, from the last welcome. */
export interface Limits {
  window: number;
  payloadBytes: number;
  dedupWindowMs: number;
}

/** What the parts of a client share: the outside world, and the little that they may do to the connection. */
export interface Context {
  readonly clock: Clock;
  readonly random: () => number;
  readonly timers: Timers;
  readonly listeners: Listeners;
  readonly recorder: Recorder;
  readonly journal: Journal;
  readonly session: Session;
  readonly limits: Limits;
  /** The app wants to be connected. */
  isOpen(): boolean;
  /** There is a connection, and it was welcomed. */
  isOnline(): boolean;
  /** Number of the present connection. */
  generation(): number;
  /** Sends a frame where there is a connection. */
  send(frame: object | string): void;
  /** How long to wait, ms, before something is tried again that failed so often before; the server may want more. */
  delay(failures: number, retryAfterMs?: number): number;
  /** Ends the connection with 4000, to come back and resume. */
  fail(reason: string): void;
  /** The session's present values will be stored. */
  save(): void;
}
