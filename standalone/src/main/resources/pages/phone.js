// What one user of the chat has on the screen: talks with the others and the lobby, and the lines of each.
import { el, say } from './dev.js';
import { divider, drawLine } from './lines.js';

export const LOBBY = 'rooms:lobby';
/** Lines that are shown of one talk. */
const SHOWN = 300;
/** So near to the end, in pixels, a new line scrolls into sight. */
const NEAR = 80;

/** The screen; `transcript` is to be set before the first line comes. */
export class Phone {
  /** @param write called with what the user wants to send to the open talk */
  constructor(name, write) {
    this.name = name;
    this.talks = new Map();
    this.open = null;
    this.build(write);
    this.talk(LOBBY);
  }

  build(write) {
    this.pill = el('span.pill', { 'aria-live': 'polite' });
    this.tabs = el('nav.talks', { 'aria-label': `Talks of ${this.name}` });
    this.lines = el('div.lines', {
      role: 'log',
      tabindex: '0',
      'aria-label': `Messages of ${this.name}`,
      id: `lines-${this.name}`,
    });
    this.input = el('input', {
      type: 'text',
      maxlength: '2000',
      autocomplete: 'off',
      'aria-label': `Message from ${this.name}`,
    });
    const form = el('form.composer', {}, this.input, el('button.primary', { type: 'submit' }, 'Send'));
    form.onsubmit = (e) => {
      e.preventDefault();
      const text = this.input.value.trim();
      if (text !== '') {
        this.input.value = '';
        write(text);
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

  talk(key) {
    let talk = this.talks.get(key);
    if (!talk) {
      const dot =
        key === LOBBY
          ? el('span', { 'aria-hidden': 'true' }, '#')
          : el('span.dot', { role: 'img', 'aria-label': 'offline' });
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
    for (const one of this.talks.values()) {
      one.tab.setAttribute('aria-current', String(one === talk));
    }
    this.badge(talk);
    this.input.placeholder = key === LOBBY ? 'To all in the lobby' : `To ${key}`;
    const empty = key === LOBBY ? 'Nobody has said anything here yet.' : `Write to ${key}.`;
    const nodes = talk.lines.map((one) => one.node);
    this.lines.replaceChildren(...(nodes.length === 0 ? [el('p.empty', {}, empty)] : nodes));
    this.lines.scrollTop = this.lines.scrollHeight;
  }

  divider(key, text, bad = false) {
    this.append(this.talk(key), divider(text, bad));
  }

  line(key, line) {
    const talk = this.talk(key);
    drawLine(line, key);
    this.append(talk, line);
    if (!line.mine && (this.open !== key || document.hidden)) {
      talk.unread++;
      this.badge(talk);
    }
    this.transcript.keep();
  }

  append(talk, line) {
    talk.lines.push(line);
    const shown = this.open === talk.key;
    if (talk.lines.length > SHOWN) {
      const gone = talk.lines.shift();
      gone.node.remove();
    }
    if (shown) {
      const low = this.lines.scrollHeight - this.lines.scrollTop - this.lines.clientHeight < NEAR || line.mine;
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
}
