import { Engine } from './core/engine.js';
import type { Ports } from './core/ports.js';
import type { Core } from './core/core.js';
import { check, type Checked } from './core/outbox.js';
import { Listeners } from './core/listeners.js';
import type { SubscribeOptions } from './core/channels.js';
import { globalFetch, globalSocket, isBrowser, platformClock, platformSignals, random } from './platform.js';
import { parts } from './parts.js';
import { chooseStore } from './store/choose.js';
import { tabName, tabPorts, type TabPorts } from './tabs/ports.js';
import { HoldfastError } from './errors.js';
import { checkChannel, checkNames } from './pure/names.js';
import type { ChannelPage, Events, Handler, MailboxPage, Metrics, Options, Presence, State, Target } from './types.js';

/** How often `tabs.js` is tried; a page that has to do without is a client of its own. */
const LOADS = 3;

/**
 * A client of Holdfast. It holds one connection for as long as the app wants it, hands over each message once and in
 * order, and keeps what the app sends until the server has it.
 *
 * ```ts
 * const client = new HoldfastClient({ url: 'wss://example.org/v1/ws', user: 'bob' });
 * client.on('message', (message) => console.log(message.from, message.payload));
 * client.connect();
 * await client.send({ user: 'alice' }, { text: 'hi' });
 * ```
 */
export class HoldfastClient {
  private readonly listeners = new Listeners();
  private readonly engine: Engine;
  private readonly random: () => number;
  /** Who does what the app asks; while the tabs' code is loaded, an engine that only knows that nothing is done yet. */
  private core: Core;
  /** The code of tabs is being loaded: what the client is told meanwhile it does then, in order. */
  private loading: Promise<Core> | null = null;

  /** Does nothing yet; throws {@link HoldfastError} `no_url` where the URL cannot be one. */
  constructor(options: Options, ports: Partial<AllPorts> = {}) {
    const all = portsOf(options, ports);
    this.random = all.random;
    this.engine = new Engine(options, all, this.listeners);
    this.core = this.engine;
    if (all.tabs) {
      this.loading = this.share(options, all as SharedPorts);
      void this.loading.then(() => (this.loading = null)); // before all that the client is told meanwhile
    } else {
      this.engine.attach();
    }
  }

  /** Tabs that share a connection; the code for it is loaded where there may be several. */
  private async share(options: Options, ports: SharedPorts): Promise<Core> {
    const { random, listeners, engine } = this;
    for (let failures = 0; failures < LOADS; failures++) {
      try {
        const { Tabs } = await ports.parts.tabs();
        const leading = (): Engine => new Engine(options, ports, listeners).attach();
        this.core = new Tabs({
          ports,
          most: options.outboxMax ?? 500,
          listeners,
          spare: engine,
          leading,
          HoldfastError,
        });
        break;
      } catch (error) {
        engine.recorder.failed('load_failed', error, 'tabs.js');
        await new Promise<void>((done) => ports.clock.setTimer(engine.delay(failures), done));
      }
    }
    // told apart instead
    if (this.core === engine) this.core = new Engine(options, { ...ports, tab: tabName(random) }, listeners).attach();
    return this.core;
  }

  get state(): State {
    return this.core.state;
  }

  /** Connects and stays connected; in `backoff` and `offline-wait` tries again soon. Throws `no_websocket`. */
  connect(): void {
    this.engine.check();
    this.tell((core) => core.connect());
  }

  /**
   * Calls the handler with each value until the returned function is called. For `message`, `history` and `event` a
   * promise that it returns is waited for, and when it rejects or throws it is called again with the same value.
   */
  on<K extends keyof Events>(type: K, handler: Handler<Events[K]>): () => void {
    return this.listeners.on(type, handler);
  }

  /**
   * Sends in any state; what cannot go out now waits in the outbox. Resolves when the message is stored durably at the
   * server; rejects with {@link HoldfastError} when it will not be sent (any more), which is also told as `dropped`.
   */
  send(to: Target, payload: unknown, options: { clientMsgId?: string } = {}): Promise<{ msgId: string }> {
    let checked: Checked;
    try {
      checked = check(to, payload, options.clientMsgId, this.random);
    } catch (error) {
      return Promise.reject(error as Error);
    }
    const settled = this.ask((core) => core.send(checked));
    settled.catch(() => {}); // told as `dropped` too, so an app need not look at the promise
    return settled;
  }

  subscribe(channel: string, options: SubscribeOptions = {}): void {
    checkChannel(channel);
    this.tell((core) => core.subscribe(channel, options));
  }

  unsubscribe(channel: string): void {
    checkChannel(channel);
    this.tell((core) => core.unsubscribe(channel));
  }

  /** Hears `presence` of these users, now and at each change. */
  watch(users: readonly string[]): void {
    checkNames(users);
    this.tell((core) => core.watch(users));
  }

  unwatch(users: readonly string[]): void {
    checkNames(users);
    this.tell((core) => core.unwatch(users));
  }

  /** The last that is known of a watched user; undefined before the first answer. */
  presence(user: string): Presence | undefined {
    return this.core.presence(user);
  }

  /** A page of this user's mailbox: messages with a seq above `after`, at most 1000. */
  history(after = 0, limit = 100): Promise<MailboxPage> {
    return this.ask((core) => core.history(after, limit));
  }

  /** A page of a channel: events after a position, or from the oldest that is kept. */
  channelHistory(channel: string, after?: string, limit?: number): Promise<ChannelPage> {
    return this.ask((core) => core.channelHistory(channel, after, limit));
  }

  metrics(): Metrics {
    return this.core.metrics();
  }

  /** Ends the connection for good; nothing reconnects until `connect()`. What waits is kept. */
  close(): Promise<void> {
    return this.ask((core) => core.close());
  }

  /** `close()`, and deletes all that is kept of this user: cursor, outbox, token. */
  logout(): Promise<void> {
    return this.ask((core) => core.logout());
  }

  private tell(act: (core: Core) => void): void {
    if (this.loading) void this.loading.then(act);
    else act(this.core);
  }

  private ask<T>(act: (core: Core) => Promise<T>): Promise<T> {
    return this.loading?.then(act) ?? act(this.core);
  }
}

interface AllPorts extends Ports {
  tabs: TabPorts | undefined;
}

type SharedPorts = AllPorts & { tabs: TabPorts };

function portsOf(options: Options, given: Partial<AllPorts>): AllPorts {
  const chance = given.random ?? random;
  const shared = options.tabs === false ? undefined : (given.tabs ?? tabPorts());
  return {
    clock: given.clock ?? platformClock(),
    random: chance,
    webSocket: given.webSocket ?? options.webSocket ?? globalSocket(),
    fetch: given.fetch ?? options.fetch ?? globalFetch(),
    store: given.store ?? chooseStore(options.storage),
    signals: given.signals ?? options.signals ?? platformSignals(),
    parts: given.parts ?? parts,
    tabs: shared,
    // tabs that cannot share a connection are clients of their own, or they would replace one another for ever
    tab: options.tabs !== false && !shared && isBrowser() ? tabName(chance) : undefined,
  };
}
