import { HoldfastError } from '../errors.js';
import { HttpError } from './history.js';
import type { Clock, FetchLike } from '../types.js';

const LIMIT_MS = 15_000;

/** GET requests to the node of the present connection, at most 15 s each. */
export class Http {
  private readonly running = new Set<() => void>();

  constructor(
    private readonly clock: Clock,
    private readonly fetch: FetchLike | undefined,
  ) {}

  async get<T>(url: string, token: string | undefined): Promise<T> {
    const { fetch } = this;
    if (!fetch) throw new HoldfastError('no_fetch', 'there is no global fetch: give one as option `fetch`');
    const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    const aborter = typeof AbortController === 'function' ? new AbortController() : undefined;
    const response = await this.limited(async () => {
      const answer = await fetch(url, { headers, ...(aborter ? { signal: aborter.signal } : {}) });
      if (answer.status !== 200) throw await HttpError.of(answer, this.clock.now());
      return answer.json() as Promise<T>;
    }, aborter);
    return response;
  }

  /** Ends all requests under way. */
  abort(): void {
    for (const end of [...this.running]) end();
  }

  private limited<T>(run: () => Promise<T>, aborter: AbortController | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.running.delete(end);
        this.clock.clearTimer(timer);
        reject(new HoldfastError('unreachable', 'no answer, or the client was closed'));
        aborter?.abort();
      };
      const timer = this.clock.setTimer(LIMIT_MS, end);
      this.running.add(end);
      const over = (): void => {
        this.running.delete(end);
        this.clock.clearTimer(timer);
      };
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
