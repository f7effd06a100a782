// One user of the chat: a phone with talks, over a client of its own.
//
// What users send one another is {kind: 'chat', id, text}. The page that shows a message to its reader sends
// {kind: 'receipt', ids} back: only that makes the second tick. The first one is the server's word.
import { random, say } from './dev.js';
import { TICKS, Transcript, floodText, joins, mark } from './lines.js';
import { Peer } from './peer.js';
import { LOBBY, Phone } from './phone.js';

/** Receipts of messages that come within so long go together. */
const RECEIPT_MS = 150;
/** Pages of a room's history that are read after a gap. */
const MOST_PAGES = 10;
const ORDER = Object.keys(TICKS);

/** A phone, and the client that feeds it. */
export class User extends Phone {
  constructor(name, edges, home) {
    super(name, (text) => this.write(text));
    this.receipts = new Map();
    /** Talks in which history is being shown. */
    this.reading = new Set();
    this.peer = new Peer(name, edges, home, { storage: 'local' });
    this.peer.announced = true; // by the phone itself
    this.transcript = new Transcript(name, this.talks, () => this.peer.seq);
    const kept = this.transcript.restore();
    this.peer.seq = kept.seq;
    kept.talks.forEach(([key, lines]) => this.talk(key).lines.push(...lines));
    this.wire();
  }

  wire() {
    const { client } = this.peer;
    client.on('message', (m) => this.message(m, false));
    client.on('history', (page) => this.history(page));
    client.on('event', (e) => this.event(e));
    client.on('presence', (p) => this.talks.has(p.user) && this.presence(p));
    client.on('subscribed', (s) => this.subscribed(s));
    client.on('sent', (s) => this.tick(s.clientMsgId, 'sent'));
    client.on('dropped', (d) => this.tick(d.clientMsgId, 'failed', d.reason));
    this.peer.addEventListener('change', () => {
      this.pill.dataset.state = this.peer.state;
      say(this.pill, this.peer.state);
    });
    client.subscribe(LOBBY);
    client.connect();
  }

  /** Somebody joined: there is a talk with each other user. */
  meet(names) {
    const others = names.filter((name) => name !== this.name);
    others.forEach((name) => this.talk(name));
    this.peer.client.watch(others);
    if (this.open === null || (this.open === LOBBY && !this.chosen)) {
      this.show(others[0] ?? LOBBY);
    }
  }

  // Sending

  write(text) {
    const id = random(16);
    const key = this.open;
    this.line(key, { id, mine: true, text, ts: Date.now(), tick: 'sending' });
    const to = key === LOBBY ? { channel: LOBBY } : { user: key };
    this.peer.client.send(to, { kind: 'chat', id, text }, { clientMsgId: id }).then(
      () => this.tick(id, 'sent'),
      (e) => this.tick(id, 'failed', e.code ?? e.message),
    );
  }

  /** The tick of a line that was sent only goes up. */
  tick(id, tick, why) {
    for (const talk of this.talks.values()) {
      const line = talk.lines.find((one) => one.id === id && one.mine);
      if (line && (tick === 'failed' ? line.tick === 'sending' : ORDER.indexOf(tick) > ORDER.indexOf(line.tick))) {
        mark(line, tick, why);
        this.transcript.keep();
      }
    }
  }

  /** Tells the sender that this page showed it; several at once where they come together. */
  receipt(to, id) {
    let ids = this.receipts.get(to);
    if (!ids) {
      ids = [];
      this.receipts.set(to, ids);
      setTimeout(() => {
        this.receipts.delete(to);
        this.peer.client.send({ user: to }, { kind: 'receipt', ids }).catch(() => undefined);
      }, RECEIPT_MS);
    }
    ids.push(id);
  }

  // Receiving

  message(m, past) {
    this.peer.took(m.seq, m.ts, past);
    const p = m.payload ?? {};
    if (p.kind === 'receipt') {
      (p.ids ?? []).forEach((id) => this.tick(id, 'delivered'));
    } else if (p.kind === 'chat') {
      const known = this.talk(m.from).lines.some((one) => one.id === p.id && !one.mine);
      if (!known) {
        this.line(m.from, { id: p.id, text: String(p.text), ts: m.ts, past, from: m.from });
        this.receipt(m.from, p.id);
      }
    } else if (p.kind === 'flood') {
      this.flood(this.visible(), p, m.ts, past);
    } else {
      this.line(this.visible(), { id: m.msgId, text: JSON.stringify(p), ts: m.ts, past, from: m.from });
    }
  }

  /** Many that come one after the other are one line, which says whether one is missing or came twice. */
  flood(key, p, ts, past) {
    const last = this.talk(key).lines.at(-1);
    if (last?.past === past && joins(last?.flood, p)) {
      last.text = floodText(last.flood);
      say(last.textNode, last.text);
      this.transcript.keep();
    } else {
      const flood = { from: p.n, to: p.n, of: p.of, count: 1, odd: 0 };
      this.line(key, { id: random(8), text: floodText(flood), ts, past, from: 'flood', flood });
    }
  }

  /** Where what is from nobody on this page goes: the talk with the first of the others. */
  visible() {
    return [...this.talks.keys()].find((key) => key !== LOBBY) ?? LOBBY;
  }

  history(page) {
    const talks = new Set(page.messages.filter((m) => m.payload?.kind === 'chat').map((m) => m.from));
    if (page.messages.some((m) => m.payload?.kind !== 'chat' && m.payload?.kind !== 'receipt') || talks.size === 0) {
      talks.add(this.visible());
    }
    const { lost } = page;
    if (lost) {
      talks.forEach((key) => this.divider(key, `messages ${lost.from + 1} to ${lost.to} are no longer kept`, true));
    }
    talks.forEach((key) => {
      if (!this.reading.has(key)) {
        this.reading.add(key);
        this.divider(key, 'missed, and read as history');
      }
    });
    page.messages.forEach((m) => this.message(m, true));
    if (!page.more) {
      this.reading.forEach((key) => this.divider(key, 'live'));
      this.reading.clear();
    }
  }

  event(e, past = false) {
    const p = e.payload ?? {};
    this.peer.received++;
    if (p.kind === 'chat') {
      const mine = e.from === this.name;
      if (!this.talk(LOBBY).lines.some((one) => one.id === p.id)) {
        this.line(LOBBY, { id: p.id, text: String(p.text), ts: e.ts, from: e.from, past, mine, tick: 'sent' });
      } else if (mine) {
        this.tick(p.id, 'sent');
      }
    } else if (p.kind === 'flood') {
      this.flood(LOBBY, p, e.ts, past);
    }
    this.lobbyAt = e.position;
  }

  /** What the server no longer replays of the lobby is read over HTTP, as far as it is kept. */
  async subscribed(s) {
    if (s.recovered || s.reason === 'new') {
      return;
    }
    this.divider(LOBBY, `not resumed (${s.reason}): read as history`);
    try {
      for (let pages = 0, more = true; more && pages < MOST_PAGES; pages++) {
        const page = await this.peer.client.channelHistory(LOBBY, this.lobbyAt, 500);
        if (page.lost) {
          this.divider(LOBBY, `some of it is no longer kept (${page.lost})`, true);
        }
        page.events.filter((e) => e.position <= s.position).forEach((e) => this.event(e, true));
        this.lobbyAt = page.position;
        more = page.more && page.position < s.position;
      }
      this.divider(LOBBY, 'live');
    } catch (e) {
      this.divider(LOBBY, `history could not be read: ${e.message}`, true);
    }
  }

  presence(p) {
    const talk = this.talk(p.user);
    talk.dot.dataset.status = p.status;
    talk.dot.setAttribute('aria-label', p.status);
    talk.tab.title = p.status === 'online' ? `${p.user} is online` : `${p.user} is offline`;
  }
}
