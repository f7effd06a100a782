// Two or more users in one window, each with a client and an edge of their own.
//
// What they send one another is {kind: 'chat', id, text}. The page that shows a message to its reader sends
// {kind: 'receipt', ids} back: only that makes the second tick. The first one is the server's word.
import * as library from './holdfast-client.js';
import { dev, el, random, say, status, svg, usable } from './dev.js';
import { panel } from './panel.js';
import { Peer } from './peer.js';

const NAMES = ['alice', 'bob', 'carol', 'dave'];
const LOBBY = 'rooms:lobby';
/** Lines that are kept and shown of one talk. */
const KEPT = 300;
const RECEIPT_MS = 150;
/** Pages of a room's history that are read after a gap. */
const MOST_PAGES = 10;
const TICKS = { sending: 'sending', sent: 'sent', delivered: 'delivered', failed: 'not sent' };

const main = document.getElementById('main');
const now = await status();
const present = [];
let addCard;

function add(name) {
  const user = new User(name, present.length);
  present.push(user);
  main.append(user.node);
  user.removeCard = addCard(user.peer);
  present.forEach((one) => one.meet());
}

/** New installations, which know nothing of the old ones. */
async function afresh() {
  await Promise.all(present.map((user) => user.peer.client.logout().catch(() => undefined)));
  present.forEach((user) => user.forget());
  location.reload();
}

function floods() {
  return {
    label: 'Flood',
    sizeLabel: 'How many messages',
    targets: () => [...present.map((user) => user.name), 'lobby'],
    sizes: [
      ['200', '200 messages'],
      ['1000', '1000 messages'],
      ['5000', '5000 messages'],
    ],
    run: (n, target) =>
      dev('POST', '/dev/flood', {
        ...(target === 'lobby' ? { channel: LOBBY } : { user: target }),
        n,
        perSecond: Math.max(100, n / 5),
      }),
    tell: (s) => {
      if (!s.flood) {
        return 'A backend sends many messages at once. Take a user offline first to see them replayed.';
      }
      const { n, accepted, refused, trouble } = s.flood;
      return `${accepted} of ${n} accepted${refused > 0 ? `, ${refused} refused: ${trouble}` : ''}.`;
    },
  };
}

/** What one user has on the screen: talks with the others and the lobby, and the lines of each. */
class User {
  constructor(name, home) {
    this.name = name;
    this.talks = new Map();
    this.open = null;
    this.receipts = new Map();
    /** Talks in which history is being shown. */
    this.reading = new Set();
    this.peer = new Peer(name, now.edges, home, { storage: 'local' });
    this.peer.announced = true; // by the phone itself
    this.build();
    this.talk(LOBBY);
    this.restore();
    this.wire();
  }

  build() {
    this.pill = el('span.pill', { 'aria-live': 'polite' });
    this.tabs = el('nav.talks', { 'aria-label': `Talks of ${this.name}` });
    this.lines = el('div.lines', { role: 'log', tabindex: '0', 'aria-label': `Messages of ${this.name}`, id: `lines-${this.name}` });
    this.input = el('input', { type: 'text', maxlength: '2000', autocomplete: 'off', 'aria-label': `Message from ${this.name}` });
    const form = el('form.composer', {}, this.input, el('button.primary', { type: 'submit' }, 'Send'));
    form.onsubmit = (e) => {
      e.preventDefault();
      const text = this.input.value.trim();
      if (text !== '') {
        this.input.value = '';
        this.write(text);
      }
    };
    this.node = el(
      'section.card.phone',
      { 'aria-label': `${this.name}’s phone` },
      el(
        'header',
        {},
        el('span.avatar', { 'data-user': this.name, 'aria-hidden': 'true' }, this.name[0]),
        el('h2', {}, this.name),
        this.pill,
      ),
      this.tabs,
      this.lines,
      form,
    );
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
  meet() {
    const others = present.map((user) => user.name).filter((name) => name !== this.name);
    others.forEach((name) => this.talk(name));
    this.peer.client.watch(others);
    if (this.open === null || (this.open === LOBBY && !this.chosen)) {
      this.show(others[0] ?? LOBBY);
    }
  }

  talk(key) {
    let talk = this.talks.get(key);
    if (!talk) {
      const dot = key === LOBBY ? el('span', { 'aria-hidden': 'true' }, '#') : el('span.dot', { role: 'img', 'aria-label': 'offline' });
      const badge = el('span.badge', { hidden: true });
      const tab = el(
        'button',
        { type: 'button', 'aria-controls': this.lines.id },
        dot,
        key === LOBBY ? 'lobby' : key,
        badge,
      );
      tab.onclick = () => {
        this.chosen = true;
        this.show(key);
      };
      talk = { key, tab, dot, badge, lines: [], unread: 0 };
      this.talks.set(key, talk);
      if (key === LOBBY) {
        this.tabs.append(tab);
      } else {
        this.tabs.insertBefore(tab, this.talks.get(LOBBY)?.tab ?? null);
      }
    }
    return talk;
  }

  show(key) {
    const talk = this.talk(key);
    this.open = key;
    talk.unread = 0;
    this.talks.forEach((one) => (one === talk ? one.tab.setAttribute('aria-current', 'true') : one.tab.removeAttribute('aria-current')));
    this.badge(talk);
    this.input.placeholder = key === LOBBY ? 'To all in the lobby' : `To ${key}`;
    this.lines.replaceChildren(
      ...(talk.lines.length === 0 ? [el('p.empty', {}, key === LOBBY ? 'Nobody has said anything here yet.' : `Write to ${key}.`)] : talk.lines.map((one) => one.node)),
    );
    this.lines.scrollTop = this.lines.scrollHeight;
  }

  // Sending

  write(text) {
    const id = random(16);
    const key = this.open;
    const line = this.line(key, { id, mine: true, text, ts: Date.now(), tick: 'sending' });
    const to = key === LOBBY ? { channel: LOBBY } : { user: key };
    this.peer.client.send(to, { kind: 'chat', id, text }, { clientMsgId: id }).then(
      () => this.tick(id, 'sent'),
      (e) => this.tick(id, 'failed', e.code ?? e.message),
    );
    return line;
  }

  /** The tick of a line that was sent only goes up. */
  tick(id, tick, why) {
    const order = Object.keys(TICKS);
    for (const talk of this.talks.values()) {
      const line = talk.lines.find((one) => one.id === id && one.mine);
      if (line && (tick === 'failed' ? line.tick === 'sending' : order.indexOf(tick) > order.indexOf(line.tick))) {
        line.tick = tick;
        line.node.classList.toggle('failed', tick === 'failed');
        line.tickNode?.replaceWith((line.tickNode = tickNode(tick, why)));
        this.keep();
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
    if (last?.flood && last.flood.of === p.of && last.past === past && p.n > 1) {
      last.flood.odd += p.n === last.flood.to + 1 ? 0 : 1;
      last.flood.to = p.n;
      last.flood.count++;
      last.text = floodText(last.flood);
      say(last.textNode, last.text);
      this.keep();
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
    if (p.kind === 'chat' && e.from === this.name) {
      this.tick(p.id, 'sent');
    } else if (p.kind === 'chat') {
      const known = this.talk(LOBBY).lines.some((one) => one.id === p.id);
      if (!known) {
        this.line(LOBBY, { id: p.id, text: String(p.text), ts: e.ts, from: e.from, past });
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

  // Lines

  divider(key, text, bad = false) {
    this.append(this.talk(key), { divider: true, text, node: el(bad ? 'p.divider.bad' : 'p.divider', {}, text) });
  }

  line(key, line) {
    const talk = this.talk(key);
    this.draw(line, key);
    this.append(talk, line);
    if (!line.mine && (this.open !== key || document.hidden)) {
      talk.unread++;
      this.badge(talk);
    }
    this.keep();
    return line;
  }

  draw(line, key) {
    const when = new Date(line.ts).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false });
    const meta = el('span.meta.num', {}, line.past ? `${when} · history` : when);
    if (line.mine) {
      line.tickNode = tickNode(line.tick);
      meta.append(line.tickNode);
    }
    const named = !line.mine && line.from !== undefined && line.from !== key;
    line.textNode = el('span', {}, line.text);
    line.node = el(
      `div.line${line.mine ? '.mine' : ''}${line.past ? '.past' : ''}${line.tick === 'failed' ? '.failed' : ''}`,
      {},
      named ? el('span.from', {}, line.from) : null,
      line.textNode,
      meta,
    );
  }

  append(talk, line) {
    talk.lines.push(line);
    const shown = this.open === talk.key;
    if (talk.lines.length > KEPT) {
      const gone = talk.lines.shift();
      gone.node.remove();
    }
    if (shown) {
      const low = this.lines.scrollHeight - this.lines.scrollTop - this.lines.clientHeight < 80 || line.mine;
      this.lines.querySelector('.empty')?.remove();
      this.lines.append(line.node);
      if (low) {
        this.lines.scrollTop = this.lines.scrollHeight;
      }
    }
  }

  badge(talk) {
    talk.badge.hidden = talk.unread === 0;
    say(talk.badge, talk.unread > 99 ? '99+' : String(talk.unread));
    talk.badge.setAttribute('aria-label', `${talk.unread} unread`);
  }

  // What was on the screen comes back with the page; the client itself keeps its place and what it has to send.

  keep() {
    this.keeping ??= setTimeout(() => {
      this.keeping = undefined;
      const all = [...this.talks.values()].map((talk) => [
        talk.key,
        talk.lines.slice(-100).map(({ node, tickNode: _, textNode: __, ...line }) => line),
      ]);
      localStorage.setItem(`holdfast-pages/${this.name}`, JSON.stringify({ seq: this.peer.seq, talks: all }));
    }, 300);
  }

  restore() {
    const kept = JSON.parse(localStorage.getItem(`holdfast-pages/${this.name}`) ?? '{"seq":0,"talks":[]}');
    this.peer.seq = kept.seq ?? 0;
    for (const [key, lines] of kept.talks ?? []) {
      const talk = this.talk(key);
      for (const line of lines) {
        if (line.divider) {
          line.node = el('p.divider', {}, line.text);
        } else {
          this.draw(line, key);
        }
        talk.lines.push(line);
      }
    }
  }

  forget() {
    clearTimeout(this.keeping);
    localStorage.removeItem(`holdfast-pages/${this.name}`);
  }
}

function floodText(flood) {
  const which = flood.count === 1 ? `${flood.from}` : `${flood.from} to ${flood.to}`;
  const order = flood.odd === 0 ? 'in order, none missing' : `${flood.odd} out of order`;
  return flood.count === 1 ? `flood: ${which} of ${flood.of}` : `flood: ${which} of ${flood.of}, ${order}`;
}

function tickNode(tick, why) {
  const shapes = {
    sending: 'M8.5 1.2a4.8 4.8 0 1 0 .01 0M8.5 3.6V6l1.7 1',
    sent: 'M3.5 6.5l3 3 6-7',
    delivered: 'M1 6.5l3 3 6-7M7.6 8.6l.9.9 6-7',
    failed: 'M8.5 1.5v5M8.5 9.6v.1',
  };
  const words = why ? `${TICKS[tick]}: ${why}` : TICKS[tick];
  return svg(
    'svg',
    { class: 'tick', viewBox: '0 0 17 12', role: 'img', 'aria-label': words, 'data-tick': tick },
    svg('path', { d: shapes[tick] }),
  );
}

if (usable(now, library, main)) {
  addCard = panel(document.getElementById('panel'), floods());
  add('alice');
  add('bob');
  const more = document.getElementById('add');
  more.onclick = () => {
    add(NAMES[present.length]);
    more.disabled = present.length === NAMES.length;
  };
  document.getElementById('reset').onclick = afresh;
}
