// The clients of the weak-network experiment; `run` starts it where packets get lost.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import { HoldfastClient } from '../../client-js/dist/index.js';

const WebSocket = createRequire(new URL('../../client-js/package.json', import.meta.url))('ws');
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    clients: { type: 'string', default: '20' },
    loss: { type: 'string', default: '0.15' },
    outage: { type: 'string', default: '10' },
    every: { type: 'string', default: '120' },
    silent: { type: 'boolean', default: false },
  },
});
const [minutes, clients, outage, every] = ['minutes', 'clients', 'outage', 'every'].map((k) => Number(values[k]));
const lossy = 'ws://127.0.0.1:8081/v1/ws';
const publish = 'http://127.0.0.1:8080/v1/messages';
const now = () => performance.now();
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** Counts of one kind of client. A success is a connection that got its first pong; recovery is from the outage's end to it. */
const tally = () => ({
  attempts: 0,
  successes: 0,
  recoveries: [],
  waiting: new Map(),
  got: new Map(),
});
const kinds = { fixed: tally(), library: tally() };
const sockets = new Set();
let ended = 0;

function tracked(kind) {
  return class extends WebSocket {
    constructor(...args) {
      super(...args);
      kinds[kind].attempts++;
      sockets.add(this);
      this.once('close', () => sockets.delete(this));
    }
  };
}

function recovered(kind, name) {
  const t = kinds[kind];
  if (ended && t.waiting.get(name)) {
    t.recoveries.push(now() - ended);
    t.waiting.delete(name);
  }
}

function note(kind, name, payload) {
  const t = kinds[kind];
  if (!t.got.has(name)) t.got.set(name, new Map());
  const seen = t.got.get(name);
  seen.set(payload, (seen.get(payload) ?? 0) + 1);
}

/** What many write first: connect again after three seconds, whatever happened; no heartbeat, no resume. */
function fixed(name) {
  const Socket = tracked('fixed');
  const connect = () => {
    const ws = new Socket(lossy);
    let first = true;
    ws.on('open', () => {
      ws.send(JSON.stringify({ type: 'hello', clientId: name }));
      ws.send('ping');
    });
    ws.on('message', (data) => {
      const text = data.toString();
      if (text === 'pong') {
        if (first) {
          first = false;
          kinds.fixed.successes++;
          recovered('fixed', name);
        }
        return;
      }
      const frame = JSON.parse(text);
      if (frame.type === 'message') {
        note('fixed', name, frame.payload);
        ws.send(JSON.stringify({ type: 'ack', seq: frame.seq }));
      }
    });
    ws.on('error', () => {});
    ws.on('close', () => running && setTimeout(connect, 3000));
  };
  connect();
}

function library(name) {
  const options = {
    url: lossy,
    user: name,
    clientId: name,
    storage: 'memory',
    webSocket: tracked('library'),
  };
  const client = new HoldfastClient({
    ...options,
    preset: 'mobile',
    ...(values.silent ? {} : { signals }),
  });
  client.on('message', (message) => note('library', name, message.payload));
  client.on('history', (page) => page.messages.forEach((message) => note('library', name, message.payload)));
  client.on('telemetry', (e) => {
    if (e.type === 'connected') {
      kinds.library.successes++;
      recovered('library', name);
    }
  });
  client.connect();
  return client;
}

/** What a phone or a browser tells of its network. */
let away = false;
const hearers = new Set();
const signals = {
  online: () => !away,
  hidden: () => false,
  listen: (hear) => {
    hearers.add(hear);
    return () => hearers.delete(hear);
  },
};
const tell = (signal) => {
  away = signal === 'offline';
  for (const hear of [...hearers]) hear(signal);
};

/** Without a network the platform refuses to connect; a silent outage takes every packet and says nothing. */
const outageRule = values.silent ? ['DROP'] : ['REJECT', '--reject-with', 'icmp-net-unreachable'];
const iptables = (...args) => execFileSync('iptables', args);

async function outages(until) {
  while (now() + (every + outage) * 1000 < until) {
    await sleep(every * 1000);
    iptables('-I', 'weak', '1', '-p', 'tcp', '-j', ...outageRule);
    // The platform ends its connections (or, with --silent, does not: packets of these connections vanish for good).
    for (const ws of sockets) {
      const port = ws._socket?.localPort;
      if (!values.silent) ws._socket?.destroy();
      else if (port)
        for (const side of ['--dport', '--sport'])
          iptables('-A', 'weak', '-p', 'tcp', side, String(port), '-j', 'DROP');
    }
    ended = 0;
    for (const kind of Object.keys(kinds))
      for (let i = 0; i < clients; i++) kinds[kind].waiting.set(`${kind}-${i}`, true);
    tell('offline');
    await sleep(outage * 1000);
    iptables('-D', 'weak', '1');
    ended = now();
    tell('online');
  }
}

let running = true;
const people = [];
for (let i = 0; i < clients; i++) {
  fixed(`fixed-${i}`);
  people.push(library(`library-${i}`));
}
const to = {
  users: Object.keys(kinds).flatMap((kind) => [...Array(clients).keys()].map((i) => `${kind}-${i}`)),
};
await sleep(15_000);
const until = now() + minutes * 60_000;
let sent = 0;
const publisher = (async () => {
  while (now() < until) {
    const answer = await fetch(publish, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': `n-${sent}`,
      },
      body: JSON.stringify({ to, payload: sent }),
    });
    if (answer.status === 202) sent++;
    await sleep(1000);
  }
})();
await outages(until);
await publisher;
await sleep(60_000); // what is still to come may come
const percentile = (list, p) =>
  list.length ? list.sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * p))] : NaN;
console.log(
  `${clients} clients of each kind, ${minutes} min, ${Number(values.loss) * 100} % loss, ${outage} s away every ${every} s${values.silent ? ', unnoticed' : ''}`,
);
console.log('| | attempts | with a first answer | success | messages got, once | twice | recovery p50 | p99 | never |');
console.log('|---|---|---|---|---|---|---|---|---|');
for (const [kind, t] of Object.entries(kinds)) {
  const counts = [...t.got.values()].flatMap((seen) => [...seen.values()]);
  const seconds = (p) => `${(percentile(t.recoveries, p) / 1000).toFixed(1)} s`;
  console.log(
    `| ${kind} | ${t.attempts} | ${t.successes} | ${((100 * t.successes) / t.attempts).toFixed(1)} % | ${((100 * counts.length) / (sent * clients)).toFixed(2)} % | ${counts.filter((n) => n > 1).length} | ${seconds(0.5)} | ${seconds(0.99)} | ${t.waiting.size} |`,
  );
}
running = false;
await Promise.all(people.map((client) => client.close()));
process.exit(0);
