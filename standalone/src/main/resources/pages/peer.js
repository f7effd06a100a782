// One client of Holdfast as the pages use it, and what is remembered of its life for the panel.
import * as library from './holdfast-client.js';
import { dev, random } from './dev.js';

const KEPT = 400;

/** More often than in earnest, so that nobody waits long for what a freeze leads to. */
const HEARTBEAT = { intervalMs: 5000, timeoutMs: 2000 };

/** The last so many of something. */
function remember(list, item, most = KEPT) {
  list.push(item);
  if (list.length > most) {
    list.splice(0, list.length - most);
  }
}

/**
 * A `HoldfastClient` that connects through the relay, under a tag by which its connection can be broken, and takes the
 * next edge at each attempt. Tells `change` whenever something is different.
 */
export class Peer extends EventTarget {
  /**
   * @param edges as the status lists them
   * @param home which of them comes first
   * @param options further ones of the client
   */
  constructor(user, edges, home, options = {}) {
    super();
    /** What the panel shows of it, with its name. */
    this.figures = [
      ['seq', 'last seq'],
      ['replayed', 'replayed'],
      ['past', 'history'],
    ];
    this.user = user;
    this.tag = `${user}-${random(6)}`;
    this.edges = edges;
    this.turn = home;
    /** Not where connections are encrypted: there is no relay then. */
    this.breakable = edges.every((edge) => edge.relay !== null);
    this.edge = edges[home % edges.length].id;
    this.state = 'idle';
    this.why = '';
    /** What happened, newest last: telemetry. */
    this.log = [];
    /** [{ state, at }], newest last. */
    this.states = [{ state: 'idle', at: Date.now() }];
    /** [{ ms, reason, at }]: waits before attempts. */
    this.delays = [];
    this.seq = 0;
    this.received = 0;
    this.replayed = 0;
    this.past = 0;
    this.recovery = null;
    this.resumed = null;
    this.connectedAt = 0;
    this.brokenAt = 0;
    this.offline = false;
    this.frozen = false;
    this.heard = new Set();
    this.client = new library.HoldfastClient({
      url: () => this.nextUrl(),
      name: 'pages',
      user,
      preset: 'web',
      heartbeat: HEARTBEAT,
      tabs: false,
      storage: 'memory',
      signals: this.signals(),
      ...options,
    });
    this.client.on('telemetry', (e) => this.told(e));
    this.client.on('state', (e) => this.became(e));
  }

  nextUrl() {
    const edge = this.edges[this.turn++ % this.edges.length];
    this.edge = edge.id;
    const url = new URL(edge.relay ?? edge.ws);
    url.searchParams.set('tag', this.tag);
    return url.href;
  }

  /** The browser's own signals, and this page's switch for the network. */
  signals() {
    return {
      online: () => !this.offline && navigator.onLine,
      hidden: () => document.hidden,
      listen: (heard) => {
        this.heard.add(heard);
        const listeners = [
          [window, 'online', () => heard('online')],
          [window, 'offline', () => heard('offline')],
          [document, 'visibilitychange', () => heard(document.hidden ? 'hidden' : 'visible')],
        ];
        listeners.forEach(([target, name, run]) => target.addEventListener(name, run));
        return () => {
          this.heard.delete(heard);
          listeners.forEach(([target, name, run]) => target.removeEventListener(name, run));
        };
      },
    };
  }

  became(e) {
    this.state = e.state;
    this.why = e.reason ?? '';
    this.final = e.final === true;
    remember(this.states, { state: e.state, at: Date.now() });
    this.changed();
  }

  told(e) {
    if (e.type === 'backoff') {
      remember(this.delays, { ms: e.delayMs, reason: e.reason, at: e.time, attempt: e.attempt }, 8);
    } else if (e.type === 'connected') {
      this.connectedAt = e.time;
      this.replayed = 0;
      this.past = 0;
      this.frozen = false;
    } else if (e.type === 'resumed' || e.type === 'not_resumed') {
      this.resumed = e.type === 'resumed' ? 'resumed' : (e.reason ?? 'not resumed');
    } else if (e.type === 'closed') {
      this.brokenAt = e.time;
    } else if (e.type === 'synced' && this.brokenAt > 0 && e.durationMs !== undefined) {
      this.recovery = e.durationMs;
      this.dispatchEvent(new CustomEvent('recovered', { detail: e.durationMs }));
    }
    remember(this.log, { ...e, edge: this.edge, next: this.edges[this.turn % this.edges.length].id });
    this.changed();
  }

  /** A message or a page of history was handed over. */
  took(seq, ts, past) {
    this.seq = Math.max(this.seq, seq);
    this.received++;
    if (past) {
      this.past++;
    } else if (ts < this.connectedAt) {
      this.replayed++;
    }
    this.changed();
  }

  changed() {
    this.dispatchEvent(new Event('change'));
  }

  cut() {
    return this.link('cut');
  }

  async freeze() {
    await this.link('freeze');
    this.frozen = true;
    this.changed();
  }

  async thaw() {
    this.frozen = false;
    this.changed();
    await this.link('thaw');
  }

  /** The network goes, or comes back, and the client is told so, as a browser tells it. */
  async network(on) {
    this.offline = !on;
    this.changed();
    if (on) {
      await this.link('online');
    } else {
      await this.link('offline');
    }
    this.heard.forEach((heard) => heard(on ? 'online' : 'offline'));
  }

  link(what) {
    return dev('POST', `/dev/links/${this.tag}/${what}`);
  }
}
