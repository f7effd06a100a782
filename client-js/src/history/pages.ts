import type { HoldfastError } from '../errors.js';
import type { HttpProblem } from '../core/queries.js';
import type { Settings } from '../core/settings.js';
import { retryAfterHeader } from '../pure/closecodes.js';
import { settle, type PageView, type Range } from '../pure/owed.js';
import { httpBase, query } from '../pure/urls.js';
import type { ChannelPage, Clock, FetchLike, MailboxPage, Message } from '../types.js';

const LIMIT_MS = 15_000;
const OWED_LIMIT = 200;

/** What reading pages gets from the main bundle, so that nothing of it is loaded twice. */
export interface Parts {
  clock: Clock;
  fetch: FetchLike | undefined;
  settings: Settings;
  HoldfastError: typeof HoldfastError;
  /** The node that the client is connected to, or was. */
  node(): string | null;
}

/** Reads pages of mailboxes and channels over HTTP, at most 15 s each; `dist/history.js`. */
export class Pages {
  private readonly running = new Set<() => void>();

  constructor(private readonly parts: Parts) {}

  /** A page of this user's mailbox. */
  mailbox(user: string | undefined, after: number, limit: number, epoch?: string): Promise<MailboxPage> {
    return this.get('/v1/history', { user, after, epoch, limit });
  }

  /** A page of a channel. */
  channel(channel: string, after: string | undefined, limit: number | undefined): Promise<ChannelPage> {
    return this.get(`/v1/channels/${encodeURIComponent(channel)}/history`, { after, limit });
  }

  /** The next page of what is owed; all of it is lost where its epoch is over. */
  async owed(user: string | undefined, range: Range, epoch: string | null): Promise<PageView<Message>> {
    try {
      if (range.epoch === epoch) return settle(range, await this.mailbox(user, range.from, OWED_LIMIT, epoch));
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

  private async get<T>(path: string, params: Record<string, string | number | undefined>): Promise<T> {
    const { settings, fetch, node, HoldfastError } = this.parts;
    const url = httpBase(node() ?? (await settings.nextUrl())) + path + query(params);
    const token = settings.lastToken ?? (await settings.nextToken());
    if (!fetch) throw new HoldfastError('no_fetch', 'there is no global fetch: give one as option `fetch`');
    const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    const aborter = typeof AbortController === 'function' ? new AbortController() : undefined;
    return this.limited(async () => {
      const answer = await fetch(url, { headers, ...(aborter ? { signal: aborter.signal } : {}) });
      if (answer.status !== 200) throw await this.problem(answer);
      return answer.json() as Promise<T>;
    }, aborter);
  }

  private async problem(answer: Awaited<ReturnType<FetchLike>>): Promise<HttpProblem> {
    const { clock, HoldfastError } = this.parts;
    const { status } = answer;
    const body = (await answer.json().catch(() => null)) as { code?: unknown } | null;
    const code = typeof body?.code === 'string' ? body.code : `http_${status}`;
    const retryAfterMs = retryAfterHeader(answer.headers.get('retry-after'), clock.now());
    return Object.assign(new HoldfastError(code, `the server answered ${status}`), { status, retryAfterMs });
  }

  private limited<T>(run: () => Promise<T>, aborter: AbortController | undefined): Promise<T> {
    const { clock, HoldfastError } = this.parts;
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
      run().then(
        (value) => (over(), resolve(value)),
        (error: unknown) => {
          over();
          reject(error instanceof HoldfastError ? error : new HoldfastError('unreachable', String(error)));
        },
      );
    });
  }
}
