import { HoldfastError } from '../errors.js';
import { socketUrl } from '../pure/urls.js';
import { subjectOf } from '../pure/names.js';
import type { Options } from '../types.js';
import type { Timers } from './timers.js';

/** URL and token for each attempt: given, taken in turn from a list, or asked of the app. */
export class Settings {
  private turn: number;
  private token: Options['token'];
  /** The app's function was called, and has not answered. */
  private asking: Promise<string> | null = null;
  /** The last one that was used; never told to anybody but the server. */
  lastToken: string | undefined;
  /** From an attempt to its welcome at most, and for a token, ms. */
  readonly limitMs: number;
  /** Waits no longer for a token that was asked for. */
  abandon: () => void = () => {};

  constructor(
    private readonly options: Options,
    private readonly timers: Timers,
    random: () => number,
  ) {
    this.token = options.token;
    if (typeof this.token === 'string') this.lastToken = this.token;
    this.limitMs = options.connectTimeoutMs ?? 8000;
    const list = this.list();
    if (list && list.length === 0) throw new HoldfastError('no_url', 'url is an empty list');
    list?.forEach(socketUrl);
    this.turn = Math.floor(random() * (list?.length ?? 1));
  }

  /** What the store's keys name the server: the option `name`, or the first URL without its query. */
  get server(): string {
    return this.options.name ?? this.list()?.map(socketUrl)[0]?.replace(/\?.*$/, '') ?? 'default';
  }

  /** Another token can be had. */
  get renewable(): boolean {
    return typeof this.token === 'function';
  }

  async nextUrl(): Promise<string> {
    const list = this.list();
    if (list) return socketUrl(list[this.turn++ % list.length]!);
    try {
      return socketUrl(await (this.options.url as () => string | Promise<string>)());
    } catch (error) {
      throw new HoldfastError('no_url', `url: ${String(error)}`);
    }
  }

  /** Rejects with `token_failed` where the app's function fails or does not answer in time. One is asked for at a time. */
  async nextToken(): Promise<string | undefined> {
    const { token } = this;
    if (typeof token !== 'function') return (this.lastToken = token);
    this.asking ??= this.ask(token).finally(() => {
      this.asking = null;
      this.timers.clear('token');
    });
    return (this.lastToken = await this.asking);
  }

  private ask(token: () => string | Promise<string>): Promise<string> {
    return new Promise((resolve, reject) => {
      const fail = (why: unknown): void => reject(new HoldfastError('token_failed', `token: ${String(why)}`));
      this.abandon = () => fail('the client was closed');
      this.timers.set('token', this.limitMs, () => fail('no answer in time'));
      // in a promise, so that a function that throws counts as one that rejects
      void Promise.resolve()
        .then(token)
        .then((given) => (given && typeof given === 'string' ? resolve(given) : fail('it gave no string')), fail);
    });
  }

  /** Whose store it is: the option `user`, the token's `sub`, the option `clientId`, or nobody's; null before a token. */
  get user(): string | null {
    const { user, clientId } = this.options;
    const { lastToken: token } = this;
    if (user !== undefined) return user;
    if (token === undefined && this.renewable) return null;
    return subjectOf(token) ?? clientId ?? '';
  }

  forgetToken(): void {
    this.lastToken = undefined;
    if (typeof this.token === 'string') this.token = undefined;
  }

  private list(): readonly string[] | undefined {
    const { url } = this.options;
    return typeof url === 'function' ? undefined : [url].flat();
  }
}
