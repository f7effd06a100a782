// Live prices from the channels ticks:*, and how many changes were left out on the way.
import * as library from './holdfast-client.js';
import { dev, el, random, say, status, svg, usable } from './dev.js';
import { panel } from './panel.js';
import { Peer } from './peer.js';

/** Changes a second of each price that the slider's places ask for; null: all. */
const RATES = [0.2, 0.5, 1, 2, 5, 10, null];
const USUAL_RATE = 50;
const FLOOD_MS = 10_000;
const LEASE_MS = 10_000;
const SECONDS = 60;
const SPARK = 60;

const main = document.getElementById('main');
const now = await status();
function start() {
  const peer = new Peer(`watcher-${random(4)}`, now.edges, Math.floor(Math.random() * now.edges.length));
  const quotes = new Map();
  const board = document.getElementById('board');
  for (const symbol of now.market.symbols) {
    const quote = makeQuote(symbol);
    quotes.set(`ticks:${symbol}`, quote);
    board.append(quote.node);
  }
  peer.figures = [['received', 'events']];
  const counts = { written: 0, received: 0 };
  const writer = { total: null, at: 0 };
  peer.client.on('event', (e) => {
    const quote = quotes.get(e.channel);
    if (quote && e.payload) {
      counts.received++;
      peer.received++;
      quote.take(e.payload);
    }
  });
  peer.addEventListener('change', () => board.classList.toggle('stale', peer.state !== 'online'));
  slider(peer, [...quotes.keys()]);
  peer.client.connect();
  flow(counts);
  const lively = keepGoing();
  panel(document.getElementById('panel'), {
    label: 'Flood for 10 s',
    sizeLabel: 'Changes a second',
    sizes: [
      ['500', '500 a second'],
      ['1000', '1000 a second'],
      ['2000', '2000 a second'],
    ],
    run: (perSecond) => lively(perSecond),
    tell: (s) => {
      writtenSince(writer, counts, s.market);
      return s.market?.running
        ? `${s.market.perSecond} changes a second are written; ${s.market.written} so far.`
        : 'Nothing is written now.';
    },
  })(peer);
}

/** The writer's own count: here only the newest of several changes may have come. */
function writtenSince(writer, counts, market) {
  if (market && writer.total !== null && market.written >= writer.total) {
    counts.written = ((market.written - writer.total) * 1000) / (Date.now() - writer.at);
  }
  writer.total = market ? market.written : null;
  writer.at = Date.now();
}

function makeQuote(symbol) {
  const price = el('span.price.num', {}, '–');
  const change = el('span.num');
  const skipped = el('p.skipped.num', {}, 'no change yet');
  const path = svg('path');
  const node = el(
    'article.card.quote',
    { 'aria-label': symbol },
    el('h3', {}, symbol, change),
    price,
    svg('svg', { viewBox: `0 0 ${SPARK} 30`, preserveAspectRatio: 'none', 'aria-hidden': 'true' }, path),
    skipped,
  );
  const seen = { n: 0, price: 0, got: 0, left: 0, past: [] };
  /** Shows a change; its number tells how many there were since the one before. */
  const take = (value) => {
    // A lower count is another life of the process: it begins to count anew.
    const written = seen.n === 0 || value.n <= seen.n ? 1 : value.n - seen.n;
    seen.left += written - 1;
    seen.got++;
    if (seen.price !== 0 && value.price !== seen.price) {
      price.classList.remove('up', 'down');
      void price.offsetWidth; // so that the animation begins again
      price.classList.add(value.price > seen.price ? 'up' : 'down');
    }
    seen.n = value.n;
    seen.price = value.price;
    seen.past.push(value.price);
    if (seen.past.length > SPARK) {
      seen.past.shift();
    }
    say(price, value.price.toFixed(2));
    const percent = ((value.price - value.open) / value.open) * 100;
    change.className = `num ${percent < 0 ? 'fall' : 'rise'}`;
    say(change, `${percent < 0 ? '▼' : '▲'} ${Math.abs(percent).toFixed(2)} %`);
    path.setAttribute('d', line(seen.past));
    const share = Math.round((seen.left / (seen.left + seen.got)) * 100);
    say(skipped, `${seen.got} came, ${share} % left out`);
  };
  return { node, take };
}

function line(past) {
  const least = Math.min(...past);
  const span = Math.max(...past) - least || 1;
  const x = (i) => ((i * SPARK) / Math.max(1, past.length - 1)).toFixed(1);
  return past
    .map((price, i) => `${i === 0 ? 'M' : 'L'}${x(i)} ${(27 - ((price - least) / span) * 24).toFixed(1)}`)
    .join('');
}

/** Subscribes at the slider's rate, anew a moment after it rests at another place. */
function slider(peer, channels) {
  const range = document.getElementById('rate');
  const text = document.getElementById('rate-text');
  let timer;
  const ask = () => {
    const rate = RATES[Number(range.value)];
    channels.forEach((channel) => peer.client.subscribe(channel, rate === null ? {} : { maxRate: rate }));
  };
  const show = () => {
    const rate = RATES[Number(range.value)];
    const words = rate === null ? 'every change' : rate < 1 ? `1 in ${1 / rate} s` : `${rate} a second`;
    say(text, words);
    range.setAttribute('aria-valuetext', words);
  };
  range.oninput = () => {
    show();
    clearTimeout(timer);
    timer = setTimeout(ask, 250);
  };
  show();
  ask();
}

/** Counts by the second, and draws the last minute. */
function flow(counts) {
  const nodes = ['written', 'received', 'skipped'].map((id) => document.getElementById(id));
  const chart = document.getElementById('chart');
  const past = [];
  setInterval(() => {
    past.push({ ...counts });
    counts.received = 0;
    if (past.length > SECONDS) {
      past.shift();
    }
    const some = past.slice(-3);
    const mean = (what) => some.reduce((sum, one) => sum + one[what], 0) / some.length;
    const [written, received] = [mean('written'), mean('received')];
    nodes[0].replaceChildren(written.toFixed(0), el('span', {}, ' a second'));
    nodes[1].replaceChildren(received.toFixed(0), el('span', {}, ' a second'));
    nodes[2].replaceChildren(written > 0 ? `${Math.max(0, Math.round((1 - received / written) * 100))} %` : '–');
    const most = Math.max(10, ...past.map((one) => one.written), ...past.map((one) => one.received)) * 1.1;
    chart.replaceChildren(
      svg('path', { class: 'area-written', d: area(past, 'written', most) }),
      svg('path', { class: 'area-received', d: area(past, 'received', most) }),
    );
  }, 1000);
}

function area(past, what, most) {
  const x = (i) => SECONDS - past.length + i + 1;
  const points = past.map((one, i) => `L${x(i)} ${(100 - (one[what] / most) * 100).toFixed(1)}`).join('');
  return `M${x(0)} 100${points}L${SECONDS} 100Z`;
}

/** Keeps the prices coming while this page is open; the returned function has more of them for a while. */
function keepGoing() {
  let floodUntil = 0;
  let rate = USUAL_RATE;
  const lease = () => dev('POST', '/dev/market/start', { perSecond: Date.now() < floodUntil ? rate : USUAL_RATE });
  const again = () => lease().catch(() => undefined); // an edge may be down; the next one comes soon
  again();
  setInterval(again, LEASE_MS);
  return (perSecond) => {
    rate = perSecond;
    floodUntil = Date.now() + FLOOD_MS;
    setTimeout(again, FLOOD_MS + 100);
    return lease();
  };
}

if (usable(now, library, main)) {
  if (now.market) {
    start();
  } else {
    main.replaceChildren(el('p.notice', { role: 'alert' }, 'This process serves no namespace ticks with mode=latest.'));
  }
}
