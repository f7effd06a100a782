import type { SubscribeOptions } from '../core/channels.js';
import type { Core } from '../core/core.js';
import type { Engine } from '../core/engine.js';
import type { Checked } from '../core/outbox.js';
import type { Listeners } from '../core/listeners.js';
import type { HoldfastError } from '../errors.js';
import { randomId } from '../pure/names.js';
import type { ChannelPage, Events, MailboxPage, Metrics, Presence, State } from '../types.js';
import { Heard } from './heard.js';
import { Lead } from './lead.js';
import type { Channel, TabPorts } from './ports.js';
import type { Op, Talk, Wish } from './talk.js';

interface Task {
  op: Op;
  args: any[];
  resolve: (value: any) => void;
  reject: (error: HoldfastError) => void;
}

/** What the tabs get from the main bundle, so that nothing of it is loaded twice. */
export interface Parts {
  ports: TabPorts;
  random: () => number;
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
 * answer to, it keeps, and tells the next leader.
 */
export class Tabs implements Core {
  private readonly tab: string;
  private channel: Channel | null = null;
  private lead: Lead | null = null;
  private joining: Promise<void> | null = null;
  private leave: () => void = () => {};
  private open = false;
  private mirror: State = 'idle';
  private mirrored: Metrics;
  private readonly presences = new Map<string, Presence>();
  private readonly channels = new Map<string, SubscribeOptions>();
  private readonly users = new Set<string>();
  private readonly tasks = new Map<string, Task>();
  private readonly heard = new Heard();
  private readonly random: () => number;
  private readonly listeners: Listeners;

  constructor(private readonly parts: Parts) {
    this.random = parts.random;
    this.listeners = parts.listeners;
    this.tab = randomId(16, this.random);
    this.mirrored = parts.spare.metrics();
    this.listeners.failed = (kind) => this.failed(kind);
  }

  get state(): State {
    return this.lead && this.open ? this.lead.engine.state : this.mirror;
  }

  connect(): void {
    this.open = true;
    this.wish();
    if (this.lead?.engine.state !== 'online') this.lead?.engine.connect();
  }

  async close(): Promise<void> {
    this.open = false;
    this.become('closed');
    await this.part();
  }

  async logout(): Promise<void> {
    await this.ask('logout', []);
    await this.part();
  }

  send(message: Checked): Promise<{ msgId: string }> {
    return this.ask('send', [message]); // it has its id already: a second try by another leader is the same message
  }

  subscribe(channel: string, options: SubscribeOptions = {}): void {
    this.channels.set(channel, options);
    this.wish();
  }

  unsubscribe(channel: string): void {
    this.channels.delete(channel);
    this.wish();
  }

  watch(users: readonly string[]): void {
    for (const user of users) this.users.add(user);
    this.wish();
  }

  unwatch(users: readonly string[]): void {
    for (const user of users) this.users.delete(user);
    this.wish();
  }

  presence(user: string): Presence | undefined {
    if (!this.users.has(user)) return undefined;
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
    const joined = this.join().then(() => this.say({ k: 'wish', tab: this.tab, wish: this.myWish() }));
    joined.catch(() => {}); // nobody knows yet whose store it is: the next call asks again
  }

  private myWish(): Wish {
    return { open: this.open, channels: [...this.channels], users: [...this.users] };
  }

  /** Meets the other tabs: hears them, and waits for the lock. */
  private join(): Promise<void> {
    this.joining ??= this.meet().catch((error: unknown) => {
      this.joining = null;
      throw error;
    });
    return this.joining;
  }

  private async meet(): Promise<void> {
    const name = await this.parts.spare.account.name();
    const { locks } = this.parts.ports;
    const aborter = new AbortController();
    const left = new Promise<void>((resolve) => {
      this.leave = () => {
        aborter.abort();
        resolve();
      };
    });
    this.channel = this.parts.ports.channel(name);
    this.channel.onmessage = (event: { data: Talk }) => this.hear(event.data);
    const ignore = (): void => {}; // waiting was ended by `leave`
    // who gets this one knows that the tab is gone
    locks.request(`${name}tab/${this.tab}`, {}, () => left).catch(ignore);
    locks.request(name, { signal: aborter.signal }, () => this.takeOver(name, left)).catch(ignore);
  }

  /** The lock is ours until we leave. */
  private async takeOver(name: string, left: Promise<void>): Promise<void> {
    const engine = this.parts.leading();
    const lead = new Lead(
      engine,
      this.parts.ports.locks,
      name,
      (talk) => this.post(talk),
      () => void this.forget(),
    );
    this.lead = lead;
    this.heard.teach(engine.account);
    this.listeners.tap = (kind, value) => this.told(kind, value, lead);
    this.post({ k: 'lead' });
    lead.wish(this.tab, this.myWish());
    for (const [id, task] of this.tasks) this.run(id, task);
    await left;
    await lead.end();
    this.listeners.tap = null;
    this.lead = null;
  }

  /** The app of this tab is told; the others' too. */
  private told(kind: keyof Events, value: any, lead: Lead): void {
    this.heard.note(kind, value);
    const metrics = kind === 'state' ? { metrics: lead.engine.metrics() } : {};
    this.post({ k: 'tell', kind, value, ...metrics });
  }

  private hear(talk: Talk): void {
    if ('to' in talk && talk.to !== this.tab) return;
    switch (talk.k) {
      case 'wish':
      case 'bye':
      case 'do':
        return this.lead?.hear(talk);
      case 'lead':
        this.say({ k: 'wish', tab: this.tab, wish: this.myWish() });
        for (const [id, { op, args }] of this.tasks) this.post({ k: 'do', tab: this.tab, id, op, args });
        return;
      case 'now':
        for (const presence of talk.presence) this.presences.set(presence.user, presence);
        this.mirrored = talk.metrics;
        return this.become(talk.state);
      case 'tell':
        return this.relay(talk.kind, talk.value, talk.metrics);
      case 'done':
        return this.settle(talk.id, talk.value, talk.error);
      case 'logout':
        return void this.forget();
    }
  }

  /** The leader told this; our app is told as well. */
  private relay(kind: keyof Events, value: any, metrics?: Metrics): void {
    if (metrics) this.mirrored = metrics;
    if (!this.open || this.heard.note(kind, value) === false) return;
    if (kind === 'presence') {
      this.presences.set(value.user, value);
      if (!this.users.has(value.user)) return;
    }
    if (kind === 'event' && !this.channels.has(value.channel)) return;
    if (kind !== 'state') return this.listeners.emit(kind, value);
    const previous = this.mirror;
    this.mirror = value.state;
    this.listeners.emit('state', { ...value, previous });
  }

  private become(state: State): void {
    const previous = this.mirror;
    this.mirror = state;
    if (!this.lead && state !== previous) this.listeners.emit('state', { state, previous, reason: 'tabs' });
  }

  private say(talk: Talk): void {
    if (this.lead) this.lead.hear(talk as never);
    else this.post(talk);
  }

  private post(talk: Talk): void {
    this.channel?.postMessage(talk);
  }

  private async ask<T>(op: Op, args: any[]): Promise<T> {
    await this.join();
    const id = randomId(16, this.random);
    return new Promise<T>((resolve, reject) => {
      const task = { op, args, resolve, reject };
      this.tasks.set(id, task);
      if (this.lead) this.run(id, task);
      else this.post({ k: 'do', tab: this.tab, id, op, args });
    });
  }

  private run(id: string, task: Task): void {
    void this.lead!.run(task.op, task.args).then(
      (value) => this.settle(id, value),
      (error: HoldfastError) => this.settle(id, undefined, error),
    );
  }

  private settle(id: string, value: unknown, error?: { code: string; message: string; uncertain: boolean }): void {
    const task = this.tasks.get(id);
    this.tasks.delete(id);
    if (error) task?.reject(new this.parts.HoldfastError(error.code, error.message, error.uncertain));
    else task?.resolve(value);
  }

  /** Leaves the others; whoever waits for the lock leads next. */
  private async part(): Promise<void> {
    this.say({ k: 'bye', tab: this.tab });
    const { lead, channel } = this;
    this.leave();
    this.leave = () => {};
    this.joining = this.lead = this.channel = null; // a connect() in the meantime begins anew
    await lead?.end();
    channel?.close();
  }

  /** The account is gone, in all tabs. */
  private async forget(): Promise<void> {
    this.open = false;
    this.channels.clear();
    this.users.clear();
    this.presences.clear();
    for (const [id, { op }] of [...this.tasks]) {
      const gone = { code: 'logged_out', message: 'logged out', uncertain: false };
      this.settle(id, undefined, op === 'logout' ? undefined : gone);
    }
    this.become('closed');
    await this.part();
  }

  private failed(kind: keyof Events): void {
    if (kind === 'telemetry') return;
    const { state } = this;
    this.listeners.emit('telemetry', { type: 'handler_failed', time: Date.now(), state, attempt: 0, reason: kind });
  }
}
