import type { Account } from '../core/account.js';
import { Dedup } from '../pure/dedup.js';
import { paid } from '../pure/owed.js';
import type { Events, HistoryPage } from '../types.js';

const MOST_PAGES = 100;

/**
 * What this tab's app was told already, by whichever tab led: a leader that went away may not have stored how far it
 * was, and the next one would tell it again.
 */
export class Heard {
  private readonly messages = new Dedup(1000);
  private readonly positions = new Map<string, string>();
  private pages: HistoryPage[] = [];

  /** Notes what the app is told; false where it was told before. */
  note(kind: keyof Events, value: any): boolean {
    if (kind === 'message') return this.messages.add(value.msgId);
    if (kind === 'subscribed' && !value.recovered) this.positions.set(value.channel, value.position);
    if (kind === 'event') {
      if (value.position <= (this.positions.get(value.channel) ?? '')) return false;
      this.positions.set(value.channel, value.position);
    }
    // the same seqs stand for other messages now
    if (kind === 'telemetry' && value.type === 'not_resumed' && value.reason === 'ahead') this.pages = [];
    if (kind === 'history') {
      const { epoch, from, to, messages } = value as HistoryPage;
      for (const { msgId } of messages) this.messages.add(msgId);
      if (this.pages.some((page) => page.epoch === epoch && page.from === from && page.to === to)) return false;
      this.pages = [...this.pages.slice(1 - MOST_PAGES), { epoch, from, to, messages: [], lost: null, more: false }];
    }
    return true;
  }

  /** A page without the messages that the app was told already. */
  left(page: HistoryPage): HistoryPage {
    return { ...page, messages: page.messages.filter(({ msgId }) => !this.messages.has(msgId)) };
  }

  /** Where the app is in these channels, as far as it was told events of them. */
  at(channels: Iterable<string>): [string, string][] {
    return [...channels].flatMap((channel) => {
      const position = this.positions.get(channel);
      return position === undefined ? [] : [[channel, position] as [string, string]];
    });
  }

  /** The app begins anew in this channel. */
  forget(channel: string): void {
    this.positions.delete(channel);
  }

  /** Tells a new engine, before it reads the store, what need not be told again. */
  teach(account: Account): void {
    for (const id of this.messages.list()) account.inbox.seen.add(id);
    account.onLoad = () => {
      for (const { epoch, from, to } of this.pages) {
        account.session.owed = paid(account.session.owed, epoch, from, to);
      }
    };
  }
}
