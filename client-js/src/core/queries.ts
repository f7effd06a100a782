import { HoldfastError } from '../errors.js';
import type { Pages } from '../history/pages.js';
import type { PageView, Range } from '../pure/owed.js';
import type { ChannelPage, MailboxPage, Message, Options } from '../types.js';
import type { Account } from './account.js';
import type { Ports } from './ports.js';
import type { Settings } from './settings.js';

/** An HTTP answer that was not 200. */
export interface HttpProblem extends HoldfastError {
  status: number;
  retryAfterMs: number | undefined;
}

/**
 * What is asked over HTTP, of the node that the client is connected to, or was, or would be. The code for it is loaded
 * with the first question; where it cannot be, the question fails with `not_loaded`, and the next one tries again.
 */
export class Queries {
  node: string | null = null;
  private pages: Pages | null = null;
  private aborts = 0;

  constructor(
    private readonly options: Options,
    private readonly ports: Ports,
    private readonly settings: Settings,
    private readonly account: () => Account,
  ) {}

  /** A page of this user's mailbox. */
  page(after: number, limit: number): Promise<MailboxPage> {
    return this.ask((pages, user) => pages.mailbox(user, after, limit));
  }

  /** A page of a channel. */
  channel(channel: string, after: string | undefined, limit: number | undefined): Promise<ChannelPage> {
    return this.ask((pages) => pages.channel(channel, after, limit));
  }

  /** The next page of what is owed. */
  owed(range: Range, epoch: string | null): Promise<PageView<Message>> {
    return this.ask((pages, user) => pages.owed(user, range, epoch));
  }

  /** Ends all that is asked. */
  abort(): void {
    this.aborts++;
    this.pages?.abort();
  }

  private async ask<T>(question: (pages: Pages, user: string | undefined) => Promise<T>): Promise<T> {
    const { aborts, settings } = this;
    const account = this.account();
    await account.open();
    const pages = (this.pages ??= await this.load());
    if (aborts !== this.aborts) throw new HoldfastError('unreachable', 'the client was closed');
    return question(
      pages,
      this.options.user ?? (settings.lastToken === undefined ? account.session.clientId : undefined),
    );
  }

  private async load(): Promise<Pages> {
    const { clock, fetch, parts } = this.ports;
    const { settings } = this;
    const { Pages } = await parts.history().catch((error: unknown) => {
      throw new HoldfastError('not_loaded', `history.js, from beside index.js: ${String(error)}`);
    });
    return new Pages({ clock, fetch, settings, HoldfastError, node: () => this.node });
  }
}
