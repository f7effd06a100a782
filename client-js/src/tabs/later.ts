import type { SubscribeOptions } from '../core/channels.js';
import type { Core } from '../core/core.js';
import type { Checked } from '../core/outbox.js';
import type { ChannelPage, MailboxPage, Metrics, Presence, State } from '../types.js';

/** A core that is still being loaded: what it is told meanwhile it is told then, in order. */
export class Later implements Core {
  private core: Core | null = null;
  private readonly loaded: Promise<Core>;

  constructor(
    loading: Promise<Core>,
    private readonly before: Core,
  ) {
    this.loaded = loading.then((core) => (this.core = core));
  }

  get state(): State {
    return (this.core ?? this.before).state;
  }
  connect(): void {
    this.tell((core) => core.connect());
  }
  close(): Promise<void> {
    return this.ask((core) => core.close());
  }
  logout(): Promise<void> {
    return this.ask((core) => core.logout());
  }
  send(message: Checked): Promise<{ msgId: string }> {
    return this.ask((core) => core.send(message));
  }
  subscribe(channel: string, options?: SubscribeOptions): void {
    this.tell((core) => core.subscribe(channel, options));
  }
  unsubscribe(channel: string): void {
    this.tell((core) => core.unsubscribe(channel));
  }
  watch(users: readonly string[]): void {
    this.tell((core) => core.watch(users));
  }
  unwatch(users: readonly string[]): void {
    this.tell((core) => core.unwatch(users));
  }
  presence(user: string): Presence | undefined {
    return (this.core ?? this.before).presence(user);
  }
  history(after: number, limit: number): Promise<MailboxPage> {
    return this.ask((core) => core.history(after, limit));
  }
  channelHistory(channel: string, after?: string, limit?: number): Promise<ChannelPage> {
    return this.ask((core) => core.channelHistory(channel, after, limit));
  }
  metrics(): Metrics {
    return (this.core ?? this.before).metrics();
  }

  private tell(act: (core: Core) => void): void {
    if (this.core) act(this.core);
    else void this.loaded.then(act);
  }

  private ask<T>(act: (core: Core) => Promise<T>): Promise<T> {
    return this.core ? act(this.core) : this.loaded.then(act);
  }
}
