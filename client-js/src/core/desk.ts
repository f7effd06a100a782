import type { ChannelPage, MailboxPage, Metrics, Presence } from '../types.js';
import type { Account } from './account.js';
import type { SubscribeOptions } from './channels.js';
import type { Queries } from './queries.js';
import type { Recorder } from './recorder.js';

/** The calls of the app that are only passed on to the part that they concern. */
export abstract class Desk {
  abstract readonly account: Account;
  abstract readonly recorder: Recorder;
  protected abstract readonly queries: Queries;

  subscribe(channel: string, options?: SubscribeOptions): void {
    this.account.channels.subscribe(channel, options);
  }
  unsubscribe(channel: string): void {
    this.account.channels.unsubscribe(channel);
  }
  watch(users: readonly string[]): void {
    this.account.watches.watch(users);
  }
  unwatch(users: readonly string[]): void {
    this.account.watches.unwatch(users);
  }
  presence(user: string): Presence | undefined {
    return this.account.watches.presence(user);
  }
  history(after: number, limit: number): Promise<MailboxPage> {
    return this.queries.ask((pages) => pages.mailbox(after, limit));
  }
  channelHistory(channel: string, after?: string, limit?: number): Promise<ChannelPage> {
    return this.queries.ask((pages) => pages.channel(channel, after, limit));
  }
  metrics(): Metrics {
    return JSON.parse(JSON.stringify(this.recorder.metrics)) as Metrics; // a copy
  }
}
