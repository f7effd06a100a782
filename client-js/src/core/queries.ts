import { httpBase, query } from '../pure/urls.js';
import type { ChannelPage, MailboxPage, Options } from '../types.js';
import type { Http } from './http.js';
import type { Session } from './session.js';
import type { Settings } from './settings.js';

/** What is asked over HTTP, of the node that the client is connected to, or was, or would be. */
export class Queries {
  node: string | null = null;

  constructor(
    private readonly options: Options,
    private readonly settings: Settings,
    private readonly http: Http,
    private readonly session: () => Promise<Session>,
  ) {}

  /** A page of this user's mailbox. */
  async page(after: number, limit: number, epoch?: string): Promise<MailboxPage> {
    const { clientId } = await this.session();
    const user = this.options.user ?? (this.settings.lastToken === undefined ? clientId : undefined);
    return this.get('/v1/history', { user, after, epoch, limit });
  }

  /** A page of a channel. */
  channel(channel: string, after: string | undefined, limit: number | undefined): Promise<ChannelPage> {
    return this.get(`/v1/channels/${encodeURIComponent(channel)}/history`, { after, limit });
  }

  abort(): void {
    this.http.abort();
  }

  private async get<T>(path: string, params: Record<string, string | number | undefined>): Promise<T> {
    const url = this.node ?? (await this.settings.nextUrl());
    const token = this.settings.lastToken ?? (await this.settings.nextToken());
    return this.http.get<T>(httpBase(url) + path + query(params), token);
  }
}
