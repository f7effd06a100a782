import type { BackoffOptions, Preset } from './pure/backoff.js';

/** `online` is the only state with a working connection; see docs/clients.md, "States". */
export type State = 'idle' | 'connecting' | 'online' | 'backoff' | 'offline-wait' | 'closed';

/** Whom a message is for: one of the three. */
export type Target = { user: string } | { users: readonly string[] } | { channel: string };

/** A message of the mailbox. */
export interface Message<P = unknown> {
  seq: number;
  msgId: string;
  from: string;
  /** ms since 1970, by the broker's clock. */
  ts: number;
  payload: P;
  redelivered?: boolean;
}

/** What was missed, in pages, oldest first. */
export interface HistoryPage {
  messages: Message[];
  /** The mailbox's epoch: seqs of two epochs have nothing to do with each other. */
  epoch: string;
  /** The page settles the messages (from, to]. */
  from: number;
  to: number;
  /** Messages (from, to] that are no longer kept, or null. */
  lost: { from: number; to: number } | null;
  /** More pages follow. */
  more: boolean;
}

/** An event of a channel. */
export interface ChannelEvent<P = unknown> {
  channel: string;
  /** Opaque: where the client stands once it has handled the event. */
  position: string;
  msgId?: string;
  from?: string;
  ts: number;
  payload: P;
  unreadable?: string;
}

export interface Presence {
  user: string;
  status: 'online' | 'offline';
  since: number;
  lastSeen: number;
}

export interface StateChange {
  state: State;
  previous: State;
  /** Why: `connect`, a close reason, `unreachable`, … */
  reason: string;
  /** The close code, where one was the cause. */
  code?: number;
  /** With `closed`: true when the server ended it for good; the client comes back only when the app asks. */
  final?: boolean;
  /** With `backoff`: ms until the next attempt. */
  delayMs?: number;
}

export interface Sent {
  clientMsgId: string;
  msgId: string;
  to: Target;
}

export interface Dropped {
  clientMsgId: string;
  to: Target;
  payload: unknown;
  /** `overflow`, `uncertain`, `logged_out`, or the server's error code. */
  reason: string;
  /** It had been sent, and may arrive. */
  uncertain: boolean;
}

export interface Subscribed {
  channel: string;
  position: string;
  recovered: boolean;
  reason?: string;
}

export interface Unsubscribed {
  channel: string;
  /** `asked`, or the server's error code. */
  reason: string;
  /** The client tries again by itself. */
  retrying: boolean;
}

/** One event of the client's life as a JSON object. */
export interface Telemetry {
  type: string;
  /** ms since 1970 by this machine's clock. */
  time: number;
  state: State;
  connId?: string;
  /** The failure count. */
  attempt: number;
  delayMs?: number;
  reason?: string;
  code?: number;
  durationMs?: number;
}

/** Everything that `on` can hear. */
export interface Events {
  message: Message;
  history: HistoryPage;
  event: ChannelEvent;
  presence: Presence;
  state: StateChange;
  sent: Sent;
  dropped: Dropped;
  subscribed: Subscribed;
  unsubscribed: Unsubscribed;
  telemetry: Telemetry;
}

/** A handler; of `message`, `history` and `event` a promise that it returns is waited for. */
export type Handler<E> = (value: E) => unknown;

export interface Metrics {
  attempts: number;
  connects: number;
  /** Ends by close code. */
  closes: Record<string, number>;
  /** Times without a connection: < 5 s, 5–60 s, longer. */
  outages: { short: number; medium: number; long: number };
  /** How many connections succeeded at the i-th attempt after an end; the last place: that and more. */
  byAttempt: number[];
  /** From the end of a connection to `sync` of the next, ms. */
  recoverMs: { count: number; sum: number; max: number };
  sent: number;
  resent: number;
  received: number;
  duplicates: number;
  dropped: number;
  pings: number;
  misses: number;
}

/** A page of a mailbox (`GET /v1/history`). */
export interface MailboxPage {
  epoch: string | null;
  latestSeq: number;
  earliestSeq: number;
  more: boolean;
  messages: Message[];
}

/** A page of a channel (`GET /v1/channels/<name>/history`). */
export interface ChannelPage {
  events: ChannelEvent[];
  position: string;
  more: boolean;
  lost?: string;
}

/**
 * Where the client keeps what must survive: the app's own may be given as `storage`. Values are plain JSON. A rejected
 * promise is told as telemetry `storage_failed` and tried again; the client goes on in memory meanwhile.
 */
export interface Store {
  get(key: string): Promise<unknown>;
  /** Writes all entries or, when the process dies or it rejects, none of them. */
  set(entries: Record<string, unknown>): Promise<void>;
  delete(keys: string[]): Promise<void>;
  /** Keys that begin with `prefix`, in any order. */
  keys(prefix: string): Promise<string[]>;
  /** The client needs it no more for now; a later call opens it again. */
  close(): Promise<void>;
}

/** What a WebSocket must have: browsers', React Native's and the `ws` package's do. */
export interface SocketLike {
  onopen: ((event: any) => void) | null;
  onmessage: ((event: any) => void) | null;
  onclose: ((event: any) => void) | null;
  onerror: ((event: any) => void) | null;
  send(data: string): void;
  close(code?: number, reason?: string): void;
}

export type SocketConstructor = new (url: string, protocols: string[]) => SocketLike;

export type FetchLike = (
  url: string,
  init: { headers: Record<string, string>; signal?: any },
) => Promise<{ status: number; headers: { get(name: string): string | null }; json(): Promise<unknown> }>;

/** What the platform tells of the network and the page. */
export type Signal = 'online' | 'offline' | 'visible' | 'hidden' | 'change';

/** The platform's signals; in React Native the app can give its own from NetInfo and AppState. */
export interface Signals {
  online(): boolean;
  hidden(): boolean;
  /** Calls back at each signal until the returned function is called. */
  listen(heard: (signal: Signal) => void): () => void;
}

/** Time: wall clock and monotonic clock in ms, and timers. */
export interface Clock {
  now(): number;
  mono(): number;
  setTimer(ms: number, run: () => void): unknown;
  clearTimer(timer: unknown): void;
}

export interface Options {
  /** `ws://…/v1/ws` of an edge, several of them, or a function that is asked at each attempt. */
  url: string | readonly string[] | (() => string | Promise<string>);
  /** Without authentication: who this is. With it: the token's `sub`, if given at all. */
  user?: string;
  /** This installation's name; made once and kept where absent. */
  clientId?: string;
  /** Names the store instead of the first URL; needed where `url` is a function and there are several servers. */
  name?: string;
  /** A JWT, or a function that is asked for one at each attempt. Never goes into the URL. */
  token?: string | (() => string | Promise<string>);
  /** For which network; `web`. */
  preset?: Preset;
  backoff?: Partial<BackoffOptions>;
  /** The lesser of these, the preset's and the server's hold; `misses` is 2. */
  heartbeat?: { intervalMs?: number; timeoutMs?: number; misses?: number };
  /** From an attempt to its welcome at most; 8000. */
  connectTimeoutMs?: number;
  /** Default: `indexeddb` in browsers, `memory` elsewhere. */
  storage?: 'memory' | 'local' | 'indexeddb' | Store;
  /** A WebSocket's constructor, where there is no global one: the `ws` package's in Node 20. */
  webSocket?: SocketConstructor;
  fetch?: FetchLike;
  /** Share one connection among the tabs of a page; true. Matters in browsers only. */
  tabs?: boolean;
  /** Messages that wait to be sent, at most; 500. */
  outboxMax?: number;
  /** Instead of the browser's own signals. */
  signals?: Signals;
}
