import { HoldfastError } from '../errors.js';
import { socketUrl } from '../pure/urls.js';
import { subjectOf } from '../pure/names.js';
import type { Options } from '../types.js';

/** URL and token for each attempt: given, taken in turn from a list, or asked of the app. */
export class Settings {
  private turn: number;
  private token: Options['token'];
  /** The last one that was used; never told to anybody but the server. */
  lastToken: string | undefined;

  constructor(
    private readonly options: Options,
    random: () => number,
  ) {
    this.token = options.token;
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

  async nextToken(): Promise<string | undefined> {
    if (typeof this.token !== 'function') return (this.lastToken = this.token);
    let token: string;
    try {
      token = await this.token();
    } catch (error) {
      throw new HoldfastError('token_failed', `token: ${String(error)}`);
    }
    if (typeof token !== 'string' || !token) throw new HoldfastError('token_failed', 'token gave no string');
    return (this.lastToken = token);
  }

  /** Whose store it is: the option `user`, the token's `sub`, the option `clientId`, or nobody's in particular. */
  async user(): Promise<string> {
    const { user, clientId } = this.options;
    if (user !== undefined) return user;
    const token = this.lastToken ?? (await this.nextToken());
    return (token === undefined ? undefined : subjectOf(token)) ?? clientId ?? '';
  }

  forgetToken(): void {
    this.lastToken = undefined;
    if (typeof this.token === 'string') this.token = undefined;
  }

  private list(): readonly string[] | undefined {
    const { url } = this.options;
    return typeof url === 'function' ? undefined : typeof url === 'string' ? [url] : url;
  }
}
