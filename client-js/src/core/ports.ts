import type { PartFiles } from '../parts.js';
import type { Clock, FetchLike, Signals, SocketConstructor, Store } from '../types.js';

/** The outside world. */
export interface Ports {
  clock: Clock;
  random: () => number;
  webSocket: SocketConstructor | undefined;
  fetch: FetchLike | undefined;
  store: Store;
  signals: Signals;
  /** @internal What is loaded when it is needed. */
  parts: PartFiles;
  /** A part of the store's keys, for one tab of several that cannot share. */
  tab?: string | undefined;
}
