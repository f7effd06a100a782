// The panel beside the pages: what clients go through, and the buttons that break it.
import { dev, el, say, svg, time, watchStatus } from './dev.js';

const STRIP_MS = 90_000;
const STRIP_WIDTH = 300;
const LOGGED = 60;
const TELLING = {
  attempt: (e) => `tries ${e.next}`,
  connected: (e) => `welcome from ${e.edge}${e.durationMs === undefined ? '' : ` after ${time(e.durationMs)}`}`,
  resumed: () => 'resumed: nothing is missing',
  not_resumed: (e) => `not resumed (${e.reason}): what was missed is read as history`,
  synced: (e) => (e.durationMs === undefined ? 'live' : `live again, ${time(e.durationMs)} after the break`),
  closed: (e) => `connection ended: ${e.code ?? ''} ${e.reason ?? ''}`,
  backoff: (e) => `waits ${time(e.delayMs ?? 0)} (${e.reason ?? 'ended'}, failures: ${e.attempt ?? 0})`,
  state: (e) => `is ${e.state}`,
  heartbeat_timeout: () => 'no answer to pings: dead',
  probe: () => 'asks whether the server is still there',
  final: (e) => `stops: ${e.code ?? ''} ${e.reason ?? ''}`,
  gave_up: () => 'rests until the network returns',
};

/** Fills `root` with the edges, one card a client, and what floods; returns how to add a client. */
export function panel(root, flood) {
  const toast = el('p.toast', { role: 'status' });
  const edges = el('ul.edges', { 'aria-label': 'Edges of this process' });
  const cards = el('div.panel');
  const waves = waveSection(flood, toast);
  root.append(
    el('section.card', {}, el('header', {}, el('h2', {}, 'Break it'), el('span.small.dim', {}, 'and see it heal')), edges),
    cards,
    waves.node,
    toast,
  );
  watchStatus((now) => {
    showEdges(edges, now, toast);
    waves.show(now);
  });
  const subjects = [];
  const draw = () => {
    subjects.forEach((subject) => subject.draw());
    setTimeout(draw, document.hidden ? 2000 : 400);
  };
  draw();
  return (peer) => {
    const subject = subjectCard(peer, toast);
    subjects.push(subject);
    cards.append(subject.node);
    return () => {
      subjects.splice(subjects.indexOf(subject), 1);
      subject.node.remove();
    };
  };
}

/** Does something that can be refused, and says so where it is. */
export async function attempt(toast, what) {
  try {
    await what();
  } catch (e) {
    say(toast, e.message);
    setTimeout(() => say(toast, ''), 4000);
  }
}

function showEdges(list, now, toast) {
  if (now === null) {
    list.replaceChildren(el('li.dim.small', {}, 'No edge of this process answers. Is ./holdfast dev running?'));
    return;
  }
  for (const edge of now.edges) {
    let row = list.querySelector(`[data-edge="${CSS.escape(edge.id)}"]`);
    if (!row) {
      list.querySelectorAll('li:not([data-edge])').forEach((other) => other.remove());
      const kill = el('button.danger.small', { type: 'button' }, 'Kill');
      kill.onclick = () => attempt(toast, () => dev('POST', `/dev/edges/${edge.id}/kill`));
      row = el(
        'li',
        { 'data-edge': edge.id },
        el('span.name', {}, edge.id),
        el('span.small.dim.num'),
        el('span.pill', { 'aria-live': 'polite' }),
        kill,
      );
      list.append(row);
    }
    const links = now.links.filter((link) => link.edge === edge.id && link.tag);
    say(row.children[1], edge.up ? (links.length === 1 ? '1 link' : `${links.length} links`) : 'back in 5 s');
    row.children[2].dataset.state = edge.up ? 'up' : 'down';
    say(row.children[2], edge.up ? 'up' : 'down');
    row.children[3].disabled = !edge.up;
    row.children[3].setAttribute('aria-label', `Kill ${edge.id}`);
  }
}

function subjectCard(peer, toast) {
  const pill = el('span.pill', { 'aria-live': peer.announced ? 'off' : 'polite' });
  const why = el('p.why');
  const strip = svg('svg', { class: 'strip', viewBox: `0 0 ${STRIP_WIDTH} 18`, preserveAspectRatio: 'none', role: 'img', 'aria-label': `The last 90 seconds of ${peer.user}` });
  const figures = {};
  const list = el('dl.figures');
  for (const [key, label] of [
    ['edge', 'edge'],
    ...peer.figures,
    ['recovery', 'recovery'],
  ]) {
    figures[key] = el('dd.num', {}, '–');
    list.append(el('div', {}, el('dt', {}, label), figures[key]));
  }
  const delays = el('ol.delays', { 'aria-label': `Waits before ${peer.user} tried again` });
  const log = el('ol.log', { tabindex: '0', 'aria-label': `What ${peer.user} went through, newest first` });
  const buttons = breaks(peer, toast);
  const node = el(
    'section.card.subject',
    { 'aria-label': `Connection of ${peer.user}` },
    el('header', {}, el('h3', {}, peer.user), pill),
    why,
    buttons.node,
    strip,
    el('p.axis', { 'aria-hidden': 'true' }, el('span', {}, '90 s ago'), el('span', {}, 'now')),
    list,
    delays,
    el('details', {}, el('summary.small', {}, 'Timeline of events'), log),
  );
  const shown = { logged: 0, delays: '' };
  const draw = () => {
    pill.dataset.state = peer.state;
    say(pill, peer.state);
    say(why, reason(peer));
    buttons.draw();
    say(figures.edge, peer.state === 'online' ? peer.edge : '–');
    peer.figures.forEach(([key]) => say(figures[key], String(peer[key])));
    say(figures.recovery, peer.recovery === null ? '–' : time(peer.recovery));
    drawStrip(strip, peer);
    drawDelays(delays, peer, shown);
    drawLog(log, peer, shown);
  };
  return { node, draw };
}

/** What can be done to a client's connection. */
function breaks(peer, toast) {
  const cut = el('button.small', { type: 'button', title: 'Reset the TCP connection' }, 'Cut');
  cut.onclick = () => attempt(toast, () => peer.cut());
  const freeze = el(
    'button.small',
    { type: 'button', 'aria-pressed': 'false', title: 'Let nothing pass, without a word, as a dead network does; noticed after some 10 s' },
    'Freeze',
  );
  freeze.onclick = () => attempt(toast, () => (peer.frozen ? peer.thaw() : peer.freeze()));
  const offline = el(
    'button.small',
    { type: 'button', 'aria-pressed': 'false', title: 'Flight mode: no connection succeeds, and the device says so' },
    'Offline',
  );
  offline.onclick = () => attempt(toast, () => peer.network(peer.offline));
  const again = el('button.small', { type: 'button', title: 'Try now' }, 'Connect now');
  again.onclick = () => peer.client.connect();
  const draw = () => {
    cut.disabled = !peer.breakable || (peer.state !== 'online' && peer.state !== 'connecting');
    freeze.disabled = !peer.breakable || (!peer.frozen && peer.state !== 'online');
    offline.disabled = !peer.breakable;
    freeze.setAttribute('aria-pressed', String(peer.frozen));
    say(freeze, peer.frozen ? 'Thaw' : 'Freeze');
    offline.setAttribute('aria-pressed', String(peer.offline));
    say(offline, peer.offline ? 'Go online' : 'Go offline');
    again.hidden = peer.state === 'online' || peer.state === 'connecting' || peer.offline;
  };
  return { node: el('div.breaks', {}, cut, freeze, offline, again), draw };
}

function reason(peer) {
  if (peer.state === 'online') {
    if (peer.resumed === null) {
      return '';
    }
    const how = { resumed: 'resumed, nothing is missing', new: 'a new client' }[peer.resumed];
    return how ?? `not resumed (${peer.resumed}): read as history`;
  }
  const delay = peer.delays.at(-1);
  if (peer.state === 'backoff' && delay) {
    const left = Math.max(0, delay.at + delay.ms - Date.now());
    return `${peer.why}; tries again in ${time(left)}`;
  }
  if (peer.final) {
    return peer.why === 'replaced' ? 'opened in another tab; Connect now takes it over' : `stopped: ${peer.why}`;
  }
  return peer.why;
}

function drawStrip(strip, peer) {
  const now = Date.now();
  const from = now - STRIP_MS;
  const x = (at) => Math.max(0, ((at - from) / STRIP_MS) * STRIP_WIDTH);
  const bars = [];
  peer.states.forEach((one, i) => {
    const end = peer.states[i + 1]?.at ?? now;
    if (end > from) {
      const width = Math.max(1.5, x(end) - x(one.at));
      const bar = svg('rect', { x: x(one.at).toFixed(1), y: 0, width: width.toFixed(1), height: 18, 'data-state': one.state });
      bar.append(svg('title', {}, `${one.state}, ${time(end - one.at)}`));
      bars.push(bar);
    }
  });
  strip.replaceChildren(...bars);
  const waits = peer.states.filter((one) => one.at > from && (one.state === 'backoff' || one.state === 'offline-wait'));
  strip.setAttribute('aria-label', `The last 90 seconds of ${peer.user}: now ${peer.state}, ${waits.length} waits`);
}

function drawDelays(list, peer, shown) {
  const last = peer.delays.slice(-5);
  const key = last.map((one) => one.at).join();
  if (key === shown.delays) {
    return;
  }
  shown.delays = key;
  const most = Math.max(1000, ...last.map((one) => one.ms));
  list.replaceChildren(
    ...last.map((one) =>
      el(
        'li',
        {},
        bar(one.ms / most),
        el('span.num', {}, `waited ${time(one.ms)}`),
      ),
    ),
  );
}

function bar(share) {
  const node = el('i', { 'aria-hidden': 'true' });
  node.style.width = `${Math.max(2, share * 100)}%`;
  return el('span.bar', {}, node);
}

function drawLog(list, peer, shown) {
  const newest = peer.log.at(-1);
  if (newest === shown.logged) {
    return;
  }
  shown.logged = newest;
  list.replaceChildren(
    ...peer.log
      .slice(-LOGGED)
      .reverse()
      .filter((e) => e.type !== 'state')
      .map((e) =>
        el(
          'li',
          {},
          el('span', {}, new Date(e.time).toLocaleTimeString([], { hour12: false })),
          el('span', {}, (TELLING[e.type] ?? ((other) => other.reason ?? ''))(e)),
        ),
      ),
  );
}

function waveSection(flood, toast) {
  const how = el('p.small.dim', { 'aria-live': 'polite' });
  const sizes = el(
    'select',
    { 'aria-label': flood.sizeLabel },
    ...flood.sizes.map(([value, label]) => el('option', { value }, label)),
  );
  const targets =
    flood.targets === undefined
      ? null
      : el('select', { 'aria-label': 'Who is flooded' }, ...flood.targets().map((t) => el('option', { value: t }, t)));
  let touched = false;
  if (targets) {
    targets.onchange = () => {
      touched = true;
    };
  }
  const go = el('button.primary', { type: 'button' }, flood.label);
  go.onclick = () => attempt(toast, () => flood.run(Number(sizes.value), targets?.value));
  const node = el(
    'section.card',
    {},
    el('header', {}, el('h2', {}, 'Flood')),
    el('div.flood', {}, targets, sizes, go, how),
  );
  const show = (now) => {
    say(how, now === null ? '' : flood.tell(now));
    if (targets) {
      const names = flood.targets();
      if (names.length !== targets.options.length) {
        const chosen = targets.value;
        targets.replaceChildren(...names.map((t) => el('option', { value: t }, t)));
        targets.value = touched ? chosen : names[Math.max(0, names.length - 2)];
      }
    }
  };
  return { node, show };
}
