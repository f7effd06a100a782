import type { SubscribeOptions } from '../core/channels.js';
import type { Core } from '../core/core.js';
import type { Engine } from '../core/engine.js';
import type { Checked } from '../core/outbox.js';
import type { Listeners } from '../core/listeners.js';
import type { Ports } from '../core/ports.js';
import type { HoldfastError } from '../errors.js';
import { randomId } from '../pure/names.js';
import type { ChannelPage, Events, MailboxPage, Metrics, Presence, State, StateChange } from '../types.js';
import { Heard } from './heard.js';
import { Joining } from './joining.js';
import { Lead, type Said } from './lead.js';
import { Meeting } from './meeting.js';
import type { TabPorts } from './ports.js';
import type { Failure, Op, Talk, Wish } from './talk.js';
import { Tasks, type Task } from './tasks.js';
import { Wants } from './wants.js';

/** What the tabs get from the main bundle, so that nothing of it is loaded twice. */
export interface Parts {
  ports: Ports & { tabs: TabPorts };
  /** Messages that wait to be sent, at most. */
  most: number;
  listeners: Listeners;
  /** Knows what is to be known without a connection, and does nothing. */
  spare: Engine;
  /** Makes an engine that serves the listeners. */
  leading: () => Engine;
  HoldfastError: typeof HoldfastError;
}

/**
 * One of several tabs that share a connection. Whoever holds the lock leads: it has the engine, and does what
 * the others ask for; they hear from it what their apps are told. What a tab wants, and what it asked for and has no
 * answer to, it keeps, and tells the next leader. A leader whose own app wants no connection gives way to a tab that does.
 */
export class Tabs implements Core {
  /** Our name among the others, a new one at each meeting: what comes late is meant for the one that left. */
  private tab: string;
  private meeting: Meeting | null = null;
  private lead: Lead | null = null;
  /** It is being found out where the others meet; another object each time. */
  private looking: object | null = null;
  private mirror: State = 'idle';
  private mirrored: Metrics;
  private readonly presences = new Map<string, Presence>();
  private readonly wants = new Wants();
  private readonly tasks: Tasks;
  private readonly heard = new Heard();
  private readonly joining: Joining;
  private readonly listeners: Listeners;

  constructor(private readonly parts: Parts) {
    const { ports, spare, listeners, most } = parts;
    this.listeners = listeners;
    this.tab = randomId(16, ports.random);
    this.mirrored = spare.metrics();
    this.tasks = new Tasks(most, listeners, spare.recorder, parts.HoldfastError);
    this.joining = new Joining(
      ports,
      spare,
      () => this.join('backoff'),
      (state, reason, more) => this.become(state, reason, more),
    );
    listeners.failed = (kind) => this.failed(kind);
  }

  get state(): State {
    return this.lead && this.wants.open ? this.lead.engine.state : this.mirror;
  }

  connect(): void {
    this.wants.open = this.wants.asks = true;
    this.joining.kick('connect');
    this.wish();
  }

  async close(): Promise<void> {
    this.wants.open = this.wants.asks = false;
    this.become('closed', 'close');
    const met = this.meeting !== null;
    await this.part();
    // for the answers to what is under way: sent again much later it could be a second time
    if (met && !this.meeting && this.tasks.list.length > 0) this.join('tabs');
  }

  async logout(): Promise<void> {
    const { settings } = this.parts.spare.account;
    if (this.meeting || settings.user !== null) return this.ask('logout', []);
    settings.abandon();
    this.reset();
    for (const task of this.tasks.list) if (task.op === 'send') this.tasks.drop(task, 'logged_out');
    const error = { code: 'token_failed', message: 'no token has told yet whose store it is', uncertain: false };
    this.tasks.fail(error);
    await this.part();
    throw new this.parts.HoldfastError(error.code, error.message);
  }

  send(message: Checked): Promise<{ msgId: string }> {
    return this.ask('send', [message]); // it has its id already: a second try by another leader is the same message
  }

  subscribe(channel: string, options: SubscribeOptions = {}): void {
    if (!this.wants.channels.has(channel) || options.position !== undefined) this.heard.forget(channel);
    this.wants.channels.set(channel, options);
    this.wish();
  }

  unsubscribe(channel: string): void {
    this.wants.channels.delete(channel);
    this.wish();
  }

  watch(users: readonly string[]): void {
    for (const user of users) this.wants.users.add(user);
    this.wish();
  }

  unwatch(users: readonly string[]): void {
    for (const user of users) this.wants.users.delete(user);
    this.wish();
  }

  presence(user: string): Presence | undefined {
    if (!this.wants.users.has(user)) return undefined;
    return this.lead ? this.lead.engine.presence(user) : this.presences.get(user);
  }

  history(after: number, limit: number): Promise<MailboxPage> {
    return this.ask('history', [after, limit]);
  }

  channelHistory(channel: string, after?: string, limit?: number): Promise<ChannelPage> {
    return this.ask('channelHistory', [channel, after, limit]);
  }

  metrics(): Metrics {
    return this.lead ? this.lead.engine.metrics() : this.mirrored;
  }

  private wish(): void {
    if (!this.meeting) return this.join('connect');
    const { tab, wants } = this;
    const { asks } = wants;
    wants.asks = false;
    if (!this.lead?.leaving) this.say({ k: 'wish', tab, wish: this.myWish(), asks }); // else the next leader hears it
  }

  private myWish(): Wish {
    const { open, channels, users } = this.wants;
    return { open, channels: [...channels], users: [...users], at: this.heard.at(channels.keys()) };
  }

  /** Looks for the other tabs; a token is asked for where only that tells where they are. */
  private join(reason: string): void {
    const { account } = this.parts.spare;
    if (this.wants.open && account.settings.user === null) this.become('connecting', reason);
    if (this.looking) return;
    const looking = (this.looking = {});
    account.name().then(
      (name) => this.looking === looking && this.meet(name),
      (error: unknown) => this.looking === looking && this.alone(error),
    );
  }

  /** Hears the other tabs, and waits for the lock. */
  private meet(name: string): void {
    this.tab = randomId(16, this.parts.ports.random);
    const meeting: Meeting = new Meeting(this.parts.ports.tabs, name, this.tab, (talk) => {
      if (this.meeting === meeting) this.hear(talk); // what is said to one that left is for nobody
    });
    this.meeting = meeting;
    meeting.start(
      (left) => this.takeOver(meeting, left),
      (error) => this.meeting === meeting && this.alone(error),
    );
    this.wish();
    for (const task of this.tasks.list) this.pass(task);
  }

  /** Nobody can be met now. */
  private alone(error: unknown): void {
    const { code = 'unreachable', message = String(error) } = error as Partial<HoldfastError>;
    void this.detach();
    this.tasks.fail({ code, message, uncertain: false });
    this.joining.failed(error, code, this.wants.open);
  }

  /** The lock is ours until we leave. */
  private async takeOver(meeting: Meeting, left: Promise<void>): Promise<void> {
    if (this.meeting !== meeting) return; // it was given too late
    const { spare, leading } = this.parts;
    const engine = leading();
    engine.account.settings.lastToken = spare.account.settings.lastToken; // it names the same store
    const lead = new Lead(engine, meeting, (done, error) => (done ? void this.loggedOut(error) : this.reset()));
    this.joining.stop();
    this.lead = lead;
    this.heard.teach(engine.account);
    this.listeners.tap = (kind, value) => this.told(kind, value, lead);
    this.post({ k: 'lead' });
    lead.wish(this.tab, this.myWish(), false);
    for (const task of this.tasks.list) this.pass(task);
    await left;
    await lead.end();
    if (!this.lead) this.listeners.tap = null; // else there is one for another account
    if (lead.leaving) await lead.left;
  }

  /** The app of this tab is told; the others' too. */
  private told(kind: keyof Events, value: any, lead: Lead): void {
    this.heard.note(kind, value);
    if (kind === 'state' && lead.leaving) return; // they are told by `logout`
    if (kind === 'state' && value.final) this.end();
    const metrics = kind === 'state' ? { metrics: lead.engine.metrics() } : {};
    this.post({ k: 'tell', kind, value, ...metrics });
  }

  private hear(talk: Talk): void {
    if ('to' in talk && talk.to !== this.tab) return;
    switch (talk.k) {
      case 'wish':
        if (this.lead && !this.lead.leaving && !this.wants.open && talk.wish.open) return void this.giveWay();
        return this.lead?.hear(talk);
      case 'bye':
      case 'do':
        return this.lead?.hear(talk);
      case 'lead':
        this.wish();
        return this.tasks.list.forEach((task) => this.pass(task));
      case 'now':
        for (const presence of talk.presence) this.presences.set(presence.user, presence);
        this.mirrored = talk.metrics;
        this.joining.stop();
        if (this.wants.open) this.become(talk.state, 'tabs');
        return;
      case 'tell':
        return this.relay(talk.kind, talk.value, talk.metrics);
      case 'done':
        return this.tasks.settle(talk.id, talk.value, talk.error);
      case 'logout':
        if (this.lead) return void this.lead.run('logout', []); // we came while it was under way, and began anew
        this.reset();
        return void this.loggedOut(talk.error);
    }
  }

  /** The leader told this; our app is told as well. */
  private relay(kind: keyof Events, value: any, metrics?: Metrics): void {
    if (metrics) this.mirrored = metrics;
    if (!this.wants.open && kind !== 'telemetry') return; // not told, and so not heard
    if (kind === 'history') value = this.heard.left(value); // before they are noted
    if (this.heard.note(kind, value) === false || !this.wants.open) return;
    if (kind === 'presence') {
      this.presences.set(value.user, value);
      if (!this.wants.users.has(value.user)) return;
    }
    if (kind === 'event' && !this.wants.channels.has(value.channel)) return;
    if (kind !== 'state') return this.listeners.emit(kind, value);
    const previous = this.mirror;
    this.mirror = value.state;
    this.listeners.emit('state', { ...value, previous });
    if (value.final) this.end();
  }

  /** The server ended it for good: this tab wants a connection when its app asks again. */
  private end(): void {
    this.wants.open = this.wants.asks = false;
    this.mirror = 'closed';
  }

  private become(state: State, reason: string, more: Partial<StateChange> = {}): void {
    const previous = this.mirror;
    this.mirror = state;
    if (this.lead || state === previous) return;
    this.parts.spare.recorder.state = state;
    this.listeners.emit('state', { state, previous, reason, ...more });
  }

  private say(talk: Said): void {
    if (this.lead) this.lead.hear(talk);
    else this.post(talk);
  }

  private post(talk: Talk): void {
    this.meeting?.post(talk);
  }

  private ask<T>(op: Op, args: any[]): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const task = { id: randomId(16, this.parts.ports.random), op, args, resolve, reject };
      this.tasks.add(task);
      if (this.meeting) return this.pass(task);
      this.tasks.bound();
      this.join('connect');
    });
  }

  /** Gives a task to whoever leads, if anybody does. */
  private pass({ id, op, args }: Task): void {
    if (!this.lead) return this.post({ k: 'do', tab: this.tab, id, op, args });
    this.lead.run(op, args).then(
      (value) => this.tasks.settle(id, value),
      (error: HoldfastError) => this.tasks.settle(id, undefined, error),
    );
  }

  /** Another tab wants a connection, and this one does not. */
  private async giveWay(): Promise<void> {
    await this.part();
    if (this.tasks.list.length > 0) this.join('tabs'); // for the answers
  }

  /** Leaves the others; whoever waits for the lock leads next. */
  private part(): Promise<void> {
    if (this.meeting) this.say({ k: 'bye', tab: this.tab });
    this.joining.stop();
    const left = this.detach();
    this.parts.spare.account.settings.abandon(); // nobody waits for its name any more
    return left;
  }

  private async detach(): Promise<void> {
    const { lead, meeting } = this;
    this.looking = this.lead = this.meeting = null; // a connect() in the meantime begins anew
    meeting?.leave();
    await lead?.end();
    meeting?.close();
  }

  /** The account is gone; from now on the app wants what it says from now on. */
  private reset(): void {
    this.wants.clear();
    this.presences.clear();
    this.parts.spare.account.settings.forgetToken();
    this.become('closed', 'logout');
  }

  /** And this tab is no longer where the others of that account meet. */
  private async loggedOut(error?: Failure): Promise<void> {
    this.tasks.loggedOut(error);
    await this.part();
    if (this.wants.any) this.wish();
  }

  private failed(kind: keyof Events): void {
    if (kind === 'telemetry') return;
    const { state } = this;
    this.listeners.emit('telemetry', { type: 'handler_failed', time: Date.now(), state, attempt: 0, reason: kind });
  }
}
