import { HoldfastError } from '../errors.js';
import { backoffOf, delayOf, minDelay, PRESETS, soonDelay, toldDelay, type BackoffOptions } from '../pure/backoff.js';
import { afterClose, afterStatus, CloseCode, retryAfterOf, type Next } from '../pure/closecodes.js';
import { httpBase, query, storePrefix } from '../pure/urls.js';
import { memoryStore } from '../store/memory.js';
import type { Clock, FetchLike, MailboxPage, Options, Signal, Signals, SocketConstructor, State } from '../types.js';
import type { StateChange, Store, Target } from '../types.js';
import { Account, type Frame } from './account.js';
import { Heartbeat } from './heartbeat.js';
import { Http } from './http.js';
import { Link, type End } from './link.js';
import type { Listeners } from './listeners.js';
import { check } from './outbox.js';
import { Recorder } from './recorder.js';
import { Settings } from './settings.js';
import { Timers } from './timers.js';

/** The outside world. */
export interface Ports {
  clock: Clock;
  random: () => number;
  webSocket: SocketConstructor | undefined;
  fetch: FetchLike | undefined;
  store: Store;
  signals: Signals;
}

const TICK_MS = 5000;
const JUMP_MS = 5000;
const PROBE_MS = 3000;

/**
 * The client's state machine; docs/clients.md has the picture. `become` alone changes the state. What the app wants
 * (`wanted`) is kept apart from what the connection is. Each connection has a number, and whatever belongs to an older
 * number is dropped. Nothing here knows of tabs.
 */
export class Engine {
  readonly recorder: Recorder;
  account: Account;
  private readonly timers: Timers;
  private readonly heartbeat: Heartbeat;
  private readonly http: Http;
  private readonly settings: Settings;
  private readonly backoff: BackoffOptions;
  private wanted = false;
  private generation = 0;
  /** There is an attempt or a connection. */
  private active = false;
  private link: Link | null = null;
  private opened: Promise<void> | null = null;
  private storeUser: string | null = null;
  private closing: Promise<void> = Promise.resolve();
  private deaf: () => void = () => {};
  private failures = 0;
  private unwelcomed = 0;
  private attemptsSinceEnd = 0;
  private tokenTried = false;
  private began = 0;
  private onlineSince: number | null = null;
  private lastEnd: number | null = null;
  private notBefore = 0;
  private backoffDue = 0;
  private drift = 0;
  private lastUrl: string | null = null;

  constructor(
    private readonly options: Options,
    private readonly ports: Ports,
    private readonly listeners: Listeners,
  ) {
    const { clock, random, fetch } = ports;
    this.timers = new Timers(clock);
    this.recorder = new Recorder(listeners, clock);
    this.settings = new Settings(options, random);
    this.backoff = backoffOf(options.preset ?? 'web', options.backoff);
    this.http = new Http(clock, fetch);
    this.heartbeat = new Heartbeat(
      clock,
      this.timers,
      () => this.ping(),
      () => this.dead(),
      () => this.recorder.metrics.misses++,
    );
    this.account = this.newAccount();
    listeners.added = () => this.account.go();
    listeners.failed = (kind, error) => {
      if (kind !== 'telemetry') this.recorder.failed('handler_failed', error, kind);
    };
  }

  get state(): State {
    return this.recorder.state;
  }

  /** The app wants a connection; from `closed` everything begins anew. */
  connect(): void {
    if (!this.ports.webSocket) {
      throw new HoldfastError('no_websocket', 'there is no global WebSocket: give one as option `webSocket`, e.g. of `ws`');
    }
    if (this.wanted) return this.kick('connect', true);
    this.wanted = true;
    this.failures = this.unwelcomed = this.notBefore = 0;
    this.tokenTried = false;
    this.account.journal.wake();
    this.deaf = this.ports.signals.listen((signal) => this.heard(signal));
    this.drift = this.ports.clock.now() - this.ports.clock.mono();
    if (!this.ports.signals.online()) return this.rest('no_network');
    void this.attempt('connect');
    this.account.go();
  }

  /** The app wants none; what waits is kept. Resolves when it is stored. */
  close(): Promise<void> {
    if (this.wanted || this.state !== 'closed') this.stop('close', {});
    return this.closing;
  }

  /** Closes, and nothing of this user is left: neither cursor nor outbox nor token. */
  async logout(): Promise<void> {
    try {
      await this.open();
    } finally {
      await this.close();
      this.account.outbox.clear();
      this.settings.forgetToken();
    }
    const old = this.account;
    this.account = this.newAccount();
    this.opened = this.storeUser = null;
    await old.journal.clear().finally(() => old.journal.abandon());
  }

  async send(to: Target, payload: unknown, clientMsgId?: string): Promise<{ msgId: string }> {
    const { account } = this;
    const checked = check(to, payload, clientMsgId, account.limits.payloadBytes, this.ports.random);
    await this.open();
    if (account !== this.account) throw new HoldfastError('logged_out', 'logged out before it was sent');
    return account.outbox.add(checked);
  }

  /** A GET of the node that this client is connected to, or was, or would be. */
  async get<T>(path: string, params: Record<string, string | number | undefined>): Promise<T> {
    const url = this.lastUrl ?? (await this.settings.nextUrl());
    const token = this.settings.lastToken ?? (await this.settings.nextToken());
    return this.http.get<T>(httpBase(url) + path + query(params), token);
  }

  /** A page of this user's mailbox. */
  async page(after: number, limit: number, epoch?: string): Promise<MailboxPage> {
    await this.open();
    const { user } = this.options;
    const name = user ?? (this.settings.lastToken === undefined ? this.account.session.clientId : undefined);
    return this.get<MailboxPage>('/v1/history', { user: name, after, epoch, limit });
  }

  private newAccount(): Account {
    const { clock, random, store } = this.ports;
    const { recorder, timers, listeners, backoff } = this;
    const { clientId, outboxMax = 500 } = this.options;
    const account: Account = new Account({
      ...{ clock, random, store, recorder, timers, listeners, backoff, clientId, outboxMax },
      isOpen: () => this.wanted && this.account === account,
      isOnline: () => this.state === 'online' && this.account === account,
      generation: () => this.generation,
      send: (frame) => this.transmit(frame),
      fail: (reason) => this.leave(CloseCode.HEARTBEAT_TIMEOUT, reason),
      page: (after, limit, epoch) => this.page(after, limit, epoch),
    });
    return account;
  }

  /** Reads the store, once for each account. */
  private open(): Promise<void> {
    if (!this.opened) {
      const opening = this.load(this.account).catch((error: unknown) => {
        if (this.opened === opening) this.opened = null;
        throw error;
      });
      this.opened = opening;
    }
    return this.opened;
  }

  private async load(account: Account): Promise<void> {
    const user = await this.settings.user();
    this.storeUser = user;
    const prefix = storePrefix(this.settings.server, user);
    for (let tries = 1; ; tries++) {
      try {
        return account.load(await account.journal.load(prefix));
      } catch (error) {
        if (error instanceof HoldfastError && error.code === 'storage_in_use') throw error;
        this.recorder.failed('storage_failed', error);
        if (tries === 3) account.journal.replace(memoryStore()); // or what cannot be read would be overwritten
        if (tries === 4) throw error;
      }
    }
  }

  /** The only way to a connection: from `connect()` and from the timer of `backoff`. */
  private async attempt(reason: string): Promise<void> {
    const { clock } = this.ports;
    const generation = ++this.generation;
    this.active = true;
    this.began = clock.mono();
    this.attemptsSinceEnd++;
    this.recorder.metrics.attempts++;
    const limit = this.options.connectTimeoutMs ?? 8000;
    this.timers.set('connect', limit, () => this.end(generation, { code: 1006, reason: 'connect_timeout' }));
    this.arm();
    this.become('connecting', reason);
    this.recorder.tell('attempt');
    try {
      await this.closing;
      const url = await this.settings.nextUrl();
      const token = await this.settings.nextToken();
      await this.open();
      if (generation !== this.generation) return;
      this.checkUser(token);
      this.dial(generation, url, token);
    } catch (error) {
      const code = error instanceof HoldfastError ? error.code : 'unreachable';
      const final = code === 'storage_in_use' || code === 'other_user';
      this.recorder.failed('attempt_failed', error, code);
      this.end(generation, { code: 1006, reason: code }, final ? 'stop' : 'retry');
    }
  }

  /** A token of another user must not carry on what is this one's. */
  private checkUser(token: string | undefined): void {
    const subject = Settings.subject(token);
    if (this.storeUser !== null && subject !== undefined && subject !== this.storeUser) {
      throw new HoldfastError('other_user', 'the token is of another user: call logout() first');
    }
  }

  private dial(generation: number, url: string, token: string | undefined): void {
    const { account } = this;
    const { session, journal } = account;
    session.attempt = Math.max(session.attempt + 1, this.ports.clock.now());
    account.save();
    const stored = journal.written(); // a later process must not come with a lower attempt
    this.lastUrl = url;
    this.recorder.connId = undefined;
    const events = {
      opened: (link: Link) => {
        void stored.then(() => {
          if (this.link === link) link.send(account.hello(this.options.user, token));
        });
      },
      text: (link: Link, data: unknown) => {
        if (this.link === link) this.came(data);
      },
      ended: (link: Link, end: End) => this.end(link.generation, end),
    };
    this.link = new Link(generation, url, this.ports.webSocket!, events, () => this.ports.clock.now());
  }

  private came(data: unknown): void {
    this.heartbeat.frameCame();
    if (data === 'pong') return;
    let frame: Frame;
    try {
      frame = JSON.parse(data as string) as Frame;
      if (frame.type === 'message' && !Number.isSafeInteger(frame.seq)) throw new Error('a message without seq');
    } catch (error) {
      return this.recorder.failed('bad_frame', error);
    }
    if (frame.type === 'welcome') return this.welcome(frame);
    if (frame.type === 'sync') return this.synced();
    if (frame.type === 'error' && frame.code === 'token_expiring') return void this.renew();
    if (this.state === 'online') this.account.take(frame);
  }

  private welcome(frame: Frame): void {
    if (this.state !== 'connecting') return;
    const { account, recorder } = this;
    const mono = this.ports.clock.mono();
    this.timers.clear('connect');
    this.unwelcomed = 0;
    this.tokenTried = false;
    this.onlineSince = mono;
    recorder.connId = frame.connId;
    recorder.connected(this.attemptsSinceEnd, this.lastEnd === null ? null : mono - this.lastEnd);
    Object.assign(account.limits, frame.limits);
    account.session.sessionToken = frame.sessionToken ?? null;
    account.inbox.welcome(frame as never);
    this.become('online', 'welcome');
    recorder.tell('connected', { durationMs: mono - this.began });
    recorder.tell(frame.resumed ? 'resumed' : 'not_resumed', { reason: frame.reason });
    this.heartbeat.start(this.heartbeatTimes(frame.heartbeat));
    account.start();
  }

  private heartbeatTimes(told: { intervalMs?: number; timeoutMs?: number } = {}): {
    intervalMs: number;
    timeoutMs: number;
    misses: number;
  } {
    const own = this.options.heartbeat ?? {};
    const preset = PRESETS[this.options.preset ?? 'web'].heartbeatMs;
    return {
      intervalMs: Math.min(told.intervalMs ?? 25_000, preset, own.intervalMs ?? Infinity),
      timeoutMs: Math.min(told.timeoutMs ?? 8000, own.timeoutMs ?? Infinity),
      misses: own.misses ?? 2,
    };
  }

  private synced(): void {
    if (this.lastEnd === null) return;
    const durationMs = this.ports.clock.mono() - this.lastEnd;
    this.lastEnd = null;
    this.attemptsSinceEnd = 0;
    this.recorder.recovered(durationMs);
    this.recorder.tell('synced', { durationMs });
  }

  private async renew(): Promise<void> {
    const { generation } = this;
    if (!this.settings.renewable) return; // the end of the token ends the connection, and then the app is told
    try {
      const token = await this.settings.nextToken();
      if (generation !== this.generation) return;
      this.checkUser(token);
      this.transmit({ type: 'auth', token });
    } catch (error) {
      this.recorder.failed('refused', error, 'token_expiring');
    }
  }

  private transmit(frame: object | string): void {
    if (this.link?.send(typeof frame === 'string' ? frame : JSON.stringify(frame))) this.heartbeat.frameSent();
  }

  private ping(): void {
    this.recorder.metrics.pings++;
    this.transmit('ping');
  }

  private dead(): void {
    this.recorder.tell('heartbeat_timeout');
    this.leave(CloseCode.HEARTBEAT_TIMEOUT, 'heartbeat_timeout');
  }

  /** Ends the connection from this side, to come back. */
  private leave(code: number, reason: string): void {
    this.end(this.generation, { code, reason });
  }

  /** A connection, or an attempt, is over: the one place where the next one is scheduled. */
  private end(generation: number, end: End, forced?: Next): void {
    if (generation !== this.generation) return;
    const next = forced ?? (end.status === undefined ? afterClose(end.code) : afterStatus(end.status));
    this.disconnect(end.code, end.reason, true);
    if (!this.wanted) return;
    if (next === 'stop') return this.stop(end.reason || String(end.code), { code: end.code, final: true });
    if (next === 'token') {
      if (this.tokenTried || !this.settings.renewable) return this.stop('unauthorized', { code: end.code, final: true });
      this.tokenTried = true;
    }
    const delay = this.delayAfter(end, next);
    if (next !== 'soon') this.failures++;
    this.recorder.failures = this.failures;
    if (this.unwelcomed >= this.backoff.maxAttempts) {
      this.recorder.tell('gave_up');
      return this.rest('gave_up');
    }
    if (!this.ports.signals.online()) return this.rest('no_network');
    this.wait(delay, end.reason || String(end.code), end.code);
  }

  private delayAfter(end: End, next: Next): number {
    const { random, signals, clock } = this.ports;
    if (next === 'soon') return soonDelay(random);
    if (next === 'token' && this.failures < 2) return minDelay(this.backoff, random);
    const backoff = delayOf(this.backoff, this.failures, signals.hidden(), random);
    const byReason = end.code === CloseCode.RATE_LIMITED ? retryAfterOf(end.reason) : undefined;
    const told = byReason ?? end.retryAfterMs;
    if (told === undefined) return backoff;
    const delay = toldDelay(told, 1000, random);
    this.notBefore = clock.mono() + delay;
    return byReason === undefined ? Math.max(backoff, delay) : Math.max(delay, minDelay(this.backoff, random));
  }

  /** Leaves what there is of a connection; nothing of it is heard any more. */
  private disconnect(code: number, reason: string, dead: boolean): void {
    const mono = this.ports.clock.mono();
    const { link, onlineSince, active } = this;
    this.generation++;
    this.active = false;
    this.link = null;
    this.onlineSince = null;
    this.timers.clear('connect');
    this.heartbeat.stop();
    link?.leave(code >= 3000 && code <= 4999 ? code : 1000, reason, dead);
    this.account.stop();
    if (onlineSince !== null) {
      if (mono - onlineSince >= this.backoff.stableMs) this.failures = 0;
      this.lastEnd = mono;
      this.attemptsSinceEnd = 0;
    } else if (active) {
      this.unwelcomed++;
    }
    if (!active) return;
    this.recorder.closed(code);
    this.recorder.tell('closed', { code, reason, durationMs: mono - (onlineSince ?? this.began) });
  }

  private wait(delayMs: number, reason: string, code?: number): void {
    this.backoffDue = this.ports.clock.mono() + delayMs;
    this.timers.set('backoff', delayMs, () => void this.attempt('backoff'));
    this.arm();
    this.become('backoff', reason, { delayMs: Math.round(delayMs), ...(code === undefined ? {} : { code }) });
    this.recorder.tell('backoff', { delayMs, reason });
  }

  /** No network, or nothing helped so far: only a kick leads on. */
  private rest(reason: string): void {
    this.timers.clear('backoff');
    this.timers.clear('tick');
    this.become('offline-wait', reason);
  }

  /** Something changed for the better, or the app asks: tries again soon, not at once, since many hear it together. */
  private kick(reason: string, asked = false): void {
    if (this.state !== 'backoff' && this.state !== 'offline-wait') return;
    if (!asked && !this.ports.signals.online()) return;
    const mono = this.ports.clock.mono();
    this.failures = this.unwelcomed = this.recorder.failures = 0;
    const delay = Math.max(minDelay(this.backoff, this.ports.random), this.notBefore - mono);
    if (this.state === 'backoff' && this.backoffDue <= mono + delay) return;
    this.wait(delay, reason);
  }

  private heard(signal: Signal): void {
    if (signal === 'hidden' || !this.wanted) return;
    if (this.state === 'online') return this.probe(signal);
    if (signal !== 'offline') return this.kick(signal);
    if (this.state === 'backoff') this.rest('no_network');
  }

  private probe(reason: string): void {
    this.recorder.tell('probe', { reason });
    this.heartbeat.probe(PROBE_MS);
  }

  /** Looks every 5 s whether the clock jumped or the machine slept, while there is something to save. */
  private arm(): void {
    if (this.timers.has('tick')) return;
    this.timers.set('tick', TICK_MS, (late) => {
      const drift = this.ports.clock.now() - this.ports.clock.mono();
      const jumped = Math.abs(drift - this.drift) > JUMP_MS || late > JUMP_MS;
      this.drift = drift;
      this.arm();
      if (!jumped) return;
      if (this.state === 'online') this.probe('clock_jump');
      else this.kick('clock_jump');
    });
  }

  /** By the app or for good: nothing reconnects any more, whatever fires late. */
  private stop(reason: string, more: Partial<StateChange>): void {
    this.wanted = false;
    const { account } = this;
    account.inbox.sendAck();
    this.disconnect(1000, 'normal', false);
    this.lastEnd = null;
    this.attemptsSinceEnd = 0;
    this.deaf();
    this.deaf = () => {};
    this.http.abort();
    this.timers.clearAll();
    this.become('closed', reason, more);
    if (more.final) this.recorder.tell('final', more.code === undefined ? { reason } : { reason, code: more.code });
    this.closing = this.closing.then(() => this.shut(account));
  }

  private async shut(account: Account): Promise<void> {
    if (!this.opened) return;
    account.channels.store();
    account.inbox.storeSeen();
    account.save();
    await account.journal.close();
  }

  /** The only place where the state changes. */
  private become(state: State, reason: string, more: Partial<StateChange> = {}): void {
    const previous = this.recorder.state;
    this.recorder.state = state;
    this.recorder.failures = this.failures;
    this.listeners.emit('state', { state, previous, reason, ...more });
    this.recorder.tell('state', { reason, ...(more.code === undefined ? {} : { code: more.code }) });
  }
}
