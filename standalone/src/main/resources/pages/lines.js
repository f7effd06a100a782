// Lines of a talk: how one looks, and how they are kept over a reload of the page.
import { el, svg } from './dev.js';

/** What became of a line that was sent, in the order in which it can only go on. */
export const TICKS = { sending: 'sending', sent: 'sent', delivered: 'delivered', failed: 'not sent' };

const SHAPES = {
  sending: 'M8.5 1.2a4.8 4.8 0 1 0 .01 0M8.5 3.6V6l1.7 1',
  sent: 'M3.5 6.5l3 3 6-7',
  delivered: 'M1 6.5l3 3 6-7M7.6 8.6l.9.9 6-7',
  failed: 'M8.5 1.5v5M8.5 9.6v.1',
};

/** Lines of one talk that are kept over a reload. */
const KEPT = 100;
const KEEP_MS = 300;

/**
 * Gives a line its nodes: `node`, and `textNode` and `tickNode` in it.
 *
 * @param key the talk: what is from its own user needs no name
 */
export function drawLine(line, key) {
  const when = new Date(line.ts).toLocaleTimeString([], {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hour12: false,
  });
  const meta = el('span.meta.num', {}, line.past ? `${when} · history` : when);
  if (line.mine) {
    line.tickNode = tickNode(line.tick);
    meta.append(line.tickNode);
  }
  const named = !line.mine && line.from !== undefined && line.from !== key;
  const classes = ['div', 'line', line.mine && 'mine', line.past && 'past', line.tick === 'failed' && 'failed'];
  line.textNode = el('span', {}, line.text);
  line.node = el(
    classes.filter(Boolean).join('.'),
    {},
    named ? el('span.from', {}, line.from) : null,
    line.textNode,
    meta,
  );
}

/** A line across: what begins here. */
export function divider(text, bad) {
  return { divider: true, text, bad, node: el(bad ? 'p.divider.bad' : 'p.divider', {}, text) };
}

/** Shows another tick at a line. */
export function mark(line, tick, why) {
  line.tick = tick;
  line.node.classList.toggle('failed', tick === 'failed');
  const node = tickNode(tick, why);
  line.tickNode.replaceWith(node);
  line.tickNode = node;
}

function tickNode(tick, why) {
  const words = why ? `${TICKS[tick]}: ${why}` : TICKS[tick];
  return svg(
    'svg',
    { class: 'tick', viewBox: '0 0 17 12', role: 'img', 'aria-label': words, 'data-tick': tick },
    svg('path', { d: SHAPES[tick] }),
  );
}

/** One more of a flood: true where it goes on from `flood`, which then has counted it. */
export function joins(flood, p) {
  if (!flood || flood.of !== p.of || p.n <= 1) {
    return false;
  }
  flood.odd += p.n === flood.to + 1 ? 0 : 1;
  flood.to = p.n;
  flood.count++;
  return true;
}

/** What a line says that stands for many messages. */
export function floodText(flood) {
  if (flood.count === 1) {
    return `flood: ${flood.from} of ${flood.of}`;
  }
  const order = flood.odd === 0 ? 'in order, none missing' : `${flood.odd} out of order`;
  return `flood: ${flood.from} to ${flood.to} of ${flood.of}, ${order}`;
}

/**
 * What was on the screen, kept over a reload. The client itself keeps its place in the mailbox and what it has to send;
 * what it has shown is the page's to keep.
 */
export class Transcript {
  constructor(user, talks, seq) {
    this.key = `holdfast-pages/1/${user}`;
    this.talks = talks;
    this.seq = seq;
  }

  /** Keeps all soon. */
  keep() {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      const talks = [...this.talks.values()].map((talk) => [
        talk.key,
        talk.lines.slice(-KEPT).map(({ node: _, textNode: __, tickNode: ___, ...line }) => line),
      ]);
      localStorage.setItem(this.key, JSON.stringify({ seq: this.seq(), talks }));
    }, KEEP_MS);
  }

  /** `{ seq, talks: [[key, lines]] }`, the lines drawn. */
  restore() {
    const kept = JSON.parse(localStorage.getItem(this.key) ?? '{"seq":0,"talks":[]}');
    for (const [key, lines] of kept.talks) {
      for (const line of lines) {
        if (line.divider) {
          line.node = divider(line.text, line.bad).node;
        } else {
          drawLine(line, key);
        }
      }
    }
    return kept;
  }

  forget() {
    clearTimeout(this.timer);
    localStorage.removeItem(this.key);
  }
}
