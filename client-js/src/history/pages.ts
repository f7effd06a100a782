import type { HoldfastError } from '../errors.js';
import type { Queries } from '../core/queries.js';
import { retryAfterHeader } from '../pure/closecodes.js';
import { settle, type PageView, type Range } from '../pure/owed.js';
import { httpBase, query } from '../pure/urls.js';
import type { ChannelPage, FetchLike, MailboxPage, Message } from '../types.js';

export { History } from './history.js';

const LIMIT_MS = 15_000;
const OWED_LIMIT = 200;

type Params = Record<string, string | number | undefined>;

/** An HTTP answer that was not 200. */
export interface HttpProblem extends HoldfastError {
  status: number;
  retryAfterMs: number | undefined;
}

/** Reads pages of mailboxes and channels over HTTP, at most 15 s each; `dist/history.js`. */
export class Pages {
  private readonly running = new Set<() => void>();

  constructor(private readonly queries: Queries) {}

  /** A page of this user's mailbox. */
  mailbox(after: number, limit: number, epoch?: string): Promise<MailboxPage> {
    return this.get('/v1/history', (user) => ({ user, after, epoch, limit }));
  }

  /** A page of a channel. */
  channel(channel: string, after: string | undefined, limit: number | undefined): Promise<ChannelPage> {
    return this.get(`/v1/channels/${encodeURIComponent(channel)}/history`, () => ({ after, limit }));
  }

  /** The next page of what is owed; all of it is lost where its epoch is over. */
  async owed(range: Range, epoch: string | null): Promise<PageView<Message>> {
    try {
      if (range.epoch === epoch) return settle(range, await this.mailbox(range.from, OWED_LIMIT, epoch));
    } catch (error) {
      if ((error as HttpProblem).status !== 409) throw error;
    }
    const { from, to } = range;
    return { messages: [], from, to, lost: { from, to } };
  }

  /** Ends all requests under way. */
  abort(): void {
    for (const end of [...this.running]) end();
  }

  private get<T>(path: string, params: (user: string | undefined) => Params): Promise<T> {
    const { settings, ports, options, HoldfastError } = this.queries;
    const { fetch } = ports;
    return this.limited(async (signal) => {
      const account = this.queries.account();
      await account.open();
      const url = httpBase(this.queries.node ?? (await settings.nextUrl()));
      const token = settings.lastToken ?? (await settings.nextToken());
      if (!fetch) throw new HoldfastError('no_fetch', 'there is no global fetch: give one as option `fetch`');
      const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
      const user = options.user ?? (token === undefined ? account.session.clientId : undefined);
      const answer = await fetch(url + path + query(params(user)), { headers, ...(signal ? { signal } : {}) });
      if (answer.status !== 200) throw await this.problem(answer);
      return answer.json() as Promise<T>;
    });
  }

  private async problem(answer: Awaited<ReturnType<FetchLike>>): Promise<HttpProblem> {
    const { ports, HoldfastError } = this.queries;
    const { status } = answer;
    const body = (await answer.json().catch(() => null)) as { code?: unknown } | null;
    const code = typeof body?.code === 'string' ? body.code : `http_${status}`;
    const retryAfterMs = retryAfterHeader(answer.headers.get('retry-after'), ports.clock.now());
    return Object.assign(new HoldfastError(code, `the server answered ${status}`), { status, retryAfterMs });
  }

  private limited<T>(run: (signal: AbortSignal | undefined) => Promise<T>): Promise<T> {
    const { ports, HoldfastError } = this.queries;
    const { clock } = ports;
    const aborter = typeof AbortController === 'function' ? new AbortController() : undefined;
    return new Promise((resolve, reject) => {
      const over = (): void => {
        this.running.delete(end);
        clock.clearTimer(timer);
      };
      const end = (): void => {
        over();
        reject(new HoldfastError('unreachable', 'no answer, or the client was closed'));
        aborter?.abort();
      };
      const timer = clock.setTimer(LIMIT_MS, end);
      this.running.add(end);
      run(aborter?.signal).then(
        (value) => (over(), resolve(value)),
        (error: unknown) => {
          over();
          reject(error instanceof HoldfastError ? error : new HoldfastError('unreachable', String(error)));
        },
      );
    });
  }
}
