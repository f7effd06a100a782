import type { ChannelPage, MailboxPage, Metrics, Presence, State } from '../types.js';
import type { SubscribeOptions } from './channels.js';
import type { Checked } from './outbox.js';

/** What a client does, alone or together with other tabs. */
export interface Core {
  readonly state: State;
  connect(): void;
  close(): Promise<void>;
  logout(): Promise<void>;
  send(message: Checked): Promise<{ msgId: string }>;
  subscribe(channel: string, options?: SubscribeOptions): void;
  unsubscribe(channel: string): void;
  watch(users: readonly string[]): void;
  unwatch(users: readonly string[]): void;
  presence(user: string): Presence | undefined;
  history(after: number, limit: number): Promise<MailboxPage>;
  channelHistory(channel: string, after?: string, limit?: number): Promise<ChannelPage>;
  metrics(): Metrics;
}
