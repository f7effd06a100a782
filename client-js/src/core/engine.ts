import { HoldfastError } from '../errors.js';
import { backoffOf, delayOf, toldDelay, type BackoffOptions } from '../pure/backoff.js';
import { CloseCode } from '../pure/closecodes.js';
import { Reconnect, type Ended } from '../pure/reconnect.js';
import type { Options, Signal, State, StateChange } from '../types.js';
import { Account, type Shared } from './account.js';
import type { Core } from './core.js';
import type { Ports } from './ports.js';
import { Conversation } from './conversation.js';
import { Desk } from './desk.js';
import { Queries } from './queries.js';
import { Jumps } from './jumps.js';
import type { Listeners } from './listeners.js';
import type { Checked } from './outbox.js';
import { Recorder } from './recorder.js';
import { Settings } from './settings.js';
import { Timers } from './timers.js';

const PROBE_MS = 3000;
/** What keeps an attempt from being made, and waiting does not help. */
const FINAL = ['storage_in_use', 'other_user'];

/**
 * The client's state machine; docs/clients.md has the picture. `become` alone changes the state. What the app wants
 * (`wanted`) is kept apart from what the connection is. Each connection has a number, and whatever belongs to an older
 * number is dropped. Nothing here knows of tabs.
 */
export class Engine extends Desk implements Core {
  readonly recorder: Recorder;
  account: Account;
  private readonly shared: Shared;
  private readonly timers: Timers;
  private readonly talk: Conversation;
  private readonly jumps: Jumps;
  protected readonly queries: Queries;
  private readonly settings: Settings;
  private readonly backoff: BackoffOptions;
  private readonly reconnect: Reconnect;
  /** What the app wants. */
  private wanted = false;
  private generation = 0;
  private closing: Promise<void> = Promise.resolve();
  private deafen: () => void = () => {};
  private backoffDue = 0;

  constructor(
    options: Options,
    private readonly ports: Ports,
    private readonly listeners: Listeners,
  ) {
    super();
    const { clock, random } = ports;
    const timers = (this.timers = new Timers(clock));
    const recorder = (this.recorder = new Recorder(listeners, clock));
    const settings = (this.settings = new Settings(options, timers, random));
    const queries = (this.queries = new Queries(options, ports, settings, () => this.account));
    this.shared = { options, ports, clock, random, timers, listeners, recorder, settings, queries };
    this.backoff = backoffOf(options.preset ?? 'web', options.backoff);
    this.reconnect = new Reconnect(this.backoff, random);
    this.jumps = new Jumps(clock, timers, () => this.mistrust('clock_jump'));
    this.talk = new Conversation({
      ...this.shared,
      welcomed: () => this.welcomed(),
      ended: (generation, end) => this.end(generation, end),
    });
    this.account = this.newAccount();
  }

  /** Serves these listeners: there may be other engines that do not (yet). */
  attach(): this {
    this.listeners.changed = () => this.account.go();
    this.listeners.failed = (kind, error) => {
      if (kind !== 'telemetry') this.recorder.failed('handler_failed', error, kind);
    };
    return this;
  }

  get state(): State {
    return this.recorder.state;
  }

  /** The app wants a connection; from `closed` everything begins anew. */
  connect(): void {
    this.check();
    if (this.wanted) return this.kick('connect', true);
    this.wanted = true;
    this.reconnect.reset();
    this.account.journal.rest(false);
    this.deafen = this.ports.signals.listen((signal) => this.heard(signal));
    if (!this.ports.signals.online()) return this.rest('no_network');
    void this.attempt('connect');
    this.account.go();
  }

  /** Throws where there is no WebSocket. */
  check(): void {
    if (this.ports.webSocket) return;
    throw new HoldfastError('no_websocket', 'no global WebSocket: give option `webSocket`');
  }

  /** The app wants none; what waits is kept. Resolves when it is stored. */
  close(): Promise<void> {
    if (this.wanted || this.state !== 'closed') this.stop('close', {});
    return this.closing;
  }

  /**
   * Closes, and nothing of this user is left: neither cursor nor outbox nor token. Rejects where no token has
   * told yet whose store it is: it is not waited for.
   */
  logout(): Promise<void> {
    const old = this.account;
    const opened = old.open();
    const closed = this.close();
    this.account = this.newAccount(); // before the app is told: it may connect at once
    this.settings.abandon();
    this.settings.forgetToken();
    old.outbox.clear();
    const cleared = Promise.all([opened, closed]).then(() => {
      old.outbox.clear(); // what an earlier process left
      return old.journal.clear();
    });
    this.closing = cleared.catch(() => {});
    return cleared;
  }

  async send(message: Checked): Promise<{ msgId: string }> {
    const { account } = this;
    if (this.settings.user !== null) this.closing.then(() => account.open()).catch(() => {}); // it waits in memory: the next attempt tells why
    return account.outbox.add(message);
  }

  /** As the context says. */
  delay(failures: number, retryAfterMs?: number): number {
    const { random } = this.ports;
    const told = retryAfterMs === undefined ? 0 : toldDelay(retryAfterMs, 1000, random);
    return Math.max(told, delayOf(this.backoff, failures, false, random));
  }

  private newAccount(): Account {
    const account: Account = new Account({
      ...this.shared,
      isOpen: () => this.wanted && this.account === account,
      isOnline: () => this.state === 'online' && this.account === account,
      generation: () => this.generation,
      send: (frame) => this.talk.send(frame),
      delay: (failures, retryAfterMs) => this.delay(failures, retryAfterMs),
      fail: (reason) => this.end(this.generation, { code: CloseCode.HEARTBEAT_TIMEOUT, reason }),
    });
    return account;
  }

  /** The only way to a connection: from `connect()` and from the timer of `backoff`. */
  private async attempt(reason: string): Promise<void> {
    const generation = ++this.generation;
    const failed = (reason: string, next?: 'stop'): void => this.end(generation, { code: 1006, reason, next });
    this.timers.set('connect', this.settings.limitMs, () => failed('connect_timeout'));
    this.jumps.start();
    this.become('connecting', reason);
    this.recorder.attempt();
    try {
      await this.closing;
      const url = await this.settings.nextUrl();
      if (generation !== this.generation) return; // and no token is asked for
      const token = await this.settings.nextToken();
      await this.account.open();
      if (generation !== this.generation) return;
      this.account.check(token);
      this.queries.node = url;
      this.talk.dial(this.account, generation, url, token);
    } catch (error) {
      if (generation !== this.generation) return;
      const code = error instanceof HoldfastError ? error.code : 'unreachable';
      this.recorder.failed('attempt_failed', error, code);
      failed(code, FINAL.includes(code) ? 'stop' : undefined);
    }
  }

  /** The server's welcome came. */
  private welcomed(): void {
    this.timers.clear('connect');
    this.reconnect.welcomed();
    this.become('online', 'welcome');
  }

  /** A connection, or an attempt, is over: the one place where the next one is scheduled. */
  private end(generation: number, end: Omit<Ended, 'onlineMs'>): void {
    if (generation !== this.generation) return;
    const { clock, signals } = this.ports;
    const onlineMs = this.disconnect(end.code, end.reason, true);
    const now = { mono: clock.mono(), hidden: signals.hidden(), renewable: this.settings.renewable };
    const decision = this.reconnect.ended({ ...end, onlineMs }, now);
    const reason = end.reason || String(end.code);
    if (decision.do === 'stop') return this.stop(reason, { code: end.code, final: true });
    if (decision.do === 'rest') {
      this.rest('gave_up');
      return this.recorder.tell('gave_up');
    }
    if (!signals.online()) return this.rest('no_network');
    this.wait(decision.delayMs, reason, end.code);
  }

  /** Leaves what there is of a connection; nothing of it is heard any more. How long it was online, or null. */
  private disconnect(code: number, reason: string, dead: boolean): number | null {
    this.generation++;
    this.timers.clear('connect');
    this.talk.leave(code, reason, dead);
    this.account.stop();
    return this.recorder.ended(code, reason);
  }

  private wait(delayMs: number, reason: string, code?: number): void {
    this.backoffDue = this.ports.clock.mono() + delayMs;
    this.timers.set('backoff', delayMs, () => void this.attempt('backoff'));
    this.jumps.start();
    this.become('backoff', reason, { delayMs: Math.round(delayMs), ...(code === undefined ? {} : { code }) });
    this.recorder.tell('backoff', { delayMs, reason });
  }

  /** No network, or nothing helped so far: only a kick leads on. */
  private rest(reason: string): void {
    this.timers.clear('backoff');
    this.jumps.stop();
    this.become('offline-wait', reason);
  }

  /** Something changed for the better, or the app asks: tries again soon, not at once, since many hear it together. */
  private kick(reason: string, asked = false): void {
    const { state } = this;
    if (state === 'online' || !(asked || this.ports.signals.online())) return;
    const mono = this.ports.clock.mono();
    const delay = this.reconnect.kicked(mono);
    // an attempt that runs goes on, as the first one
    if (state === 'connecting' || (state === 'backoff' && this.backoffDue <= mono + delay)) return;
    this.wait(delay, reason);
  }

  private heard(signal: Signal): void {
    if (signal === 'hidden' || !this.wanted) return;
    if (signal !== 'offline' || this.state === 'online') return this.mistrust(signal);
    if (this.state === 'backoff') this.rest('no_network');
  }

  /** What is known of the connection is old: it is asked within 3 s, or tried again soon. */
  private mistrust(reason: string): void {
    if (this.state !== 'online') return this.kick(reason);
    this.recorder.tell('probe', { reason });
    this.talk.probe(PROBE_MS);
  }

  /** By the app or for good: nothing reconnects any more, whatever fires late. */
  private stop(reason: string, more: Partial<StateChange>): void {
    this.wanted = false;
    const { account } = this;
    account.inbox.sendAck();
    account.journal.rest(true);
    this.disconnect(1000, 'normal', false);
    this.recorder.rested();
    this.deafen();
    this.deafen = () => {};
    this.queries.abort();
    this.settings.abandon();
    this.timers.clearAll();
    this.become('closed', reason, more);
    if (more.final) this.recorder.tell('final', { reason, code: more.code });
    this.closing = this.closing.then(() => this.shut(account));
  }

  private async shut(account: Account): Promise<void> {
    if (!account.opening) return;
    await account.opening.catch(() => {}); // what was sent while it opened is stored
    account.channels.store();
    account.inbox.storeSeen();
    account.save();
    await account.journal.close();
  }

  /** The only place where the state changes. */
  private become(state: State, reason: string, more: Partial<StateChange> = {}): void {
    const previous = this.recorder.state;
    this.recorder.state = state;
    this.recorder.failures = this.reconnect.failures;
    this.listeners.emit('state', { state, previous, reason, ...more });
    this.recorder.tell('state', { reason, code: more.code });
  }
}
