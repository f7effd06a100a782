import type { SubscribeOptions } from '../core/channels.js';

/** What a tab's app wants of the connection that all tabs share. */
export class Wants {
  open = false;
  /** The app called `connect()`, and nobody was told yet. */
  asks = false;
  readonly channels = new Map<string, SubscribeOptions>();
  readonly users = new Set<string>();

  get any(): boolean {
    return this.open || this.channels.size + this.users.size > 0;
  }

  /** The account is gone. */
  clear(): void {
    this.open = this.asks = false;
    this.channels.clear();
    this.users.clear();
  }
}
