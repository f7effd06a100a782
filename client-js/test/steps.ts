import type { FakeSocket } from './fakes.js';
import { World, ready } from './world.js';

type Step = (world: World) => unknown;

/** What may happen, with how often. */
const STEPS: [number, string, Step][] = [
  [30, 'network', network],
  [14, 'timer', (world) => (world.random() < 0.8 && busy(world)) || world.fire()],
  [
    20,
    'store',
    (world) => {
      for (let i = world.random() * 4; i > 0; i--) world.store.pending.shift()?.run();
    },
  ],
  [
    6,
    'handler',
    (world) =>
      world.handlers.splice(Math.floor(world.random() * world.handlers.length), 1)[0]?.go(world.random() < 0.8),
  ],
  [6, 'request', request],
  [5, 'message', (world) => world.model.message()],
  [3, 'event', (world) => world.model.event()],
  [6, 'send', (world) => world.send()],
  [3, 'connect', (world) => world.connect()],
  [0.7, 'close', (world) => void world.client.close()],
  [2, 'cut', cut],
  [2, 'late callback', lateCallback],
  [
    1,
    'signal',
    (world) => world.signals.tell(world.pick(['online', 'online', 'offline', 'visible', 'hidden', 'change'])!),
  ],
  [0.5, 'server restart', (world) => world.model.closeAll(4001, 'server_restart')],
  [0.5, 'token expiry', (world) => world.model.closeAll(4401, 'unauthorized')],
  [0.3, 'slow', (world) => world.model.closeAll(4004, 'slow_consumer')],
  [0.2, 'rate limited', (world) => world.model.closeAll(4005, 'rate_limited retryAfterMs=3000')],
  [0.1, 'kicked', (world) => world.model.closeAll(4410, 'kicked')],
  [
    0.3,
    'many messages',
    (world) => {
      for (let i = 0; i < 20; i++) world.model.message();
    },
  ],
  [
    0.3,
    'many events',
    (world) => {
      for (let i = 0; i < 20; i++) world.model.event();
    },
  ],
  [0.3, 'expire', (world) => world.model.expire()],
  [0.15, 'epoch', (world) => world.model.lose()],
  [2, 'lost end', (world) => world.model.loseEnd(world.store.cursor(world.model.epochName))],
  [
    0.4,
    'crash',
    (world) => {
      world.crash();
      if (world.random() < 0.8) world.connect();
    },
  ],
  [0.6, 'handler off or on', (world) => world.toggle()],
  [0.4, 'disk', disk],
  [
    0.4,
    'sleep',
    (world) => {
      const ms = world.random() * 120_000;
      if (ms > 30_000) reset(world);
      world.fire(ms);
    },
  ],
  [0.2, 'clock jump', clockJump],
  [0.3, 'files', (world) => (world.parts.reachable = !world.parts.reachable)],
  [
    0.1,
    'long silence',
    (world) => {
      reset(world);
      world.clock.time += 900_000;
    },
  ],
];

const TOTAL = STEPS.reduce((sum, [weight]) => sum + weight, 0);

/** One step of chance. */
export async function step(world: World): Promise<void> {
  let at = world.random() * TOTAL;
  const [, name, run] = STEPS.find(([weight]) => (at -= weight) < 0) ?? STEPS[0]!;
  world.log.push(`${name} [${world.client.state}] t=${Math.round(world.clock.time)}`);
  await run(world);
  await ready();
  world.check();
}

function socketsOf(world: World): FakeSocket[] {
  return world.made.filter((socket) => !socket.ended);
}

/** Time rarely passes while something could happen at once. */
function busy(world: World): boolean {
  const op = world.store.pending.shift();
  if (op) op.run();
  else return socketsOf(world).some((socket) => socket.alive && exchange(world, socket));
  return true;
}

function network(world: World): void {
  const socket = world.pick(socketsOf(world));
  if (socket) exchange(world, socket);
}

/** Something happens on this socket: it opens or fails, a frame arrives on either side. */
function exchange(world: World, socket: FakeSocket): boolean {
  const { model } = world;
  if (!socket.opened) {
    if (world.calm || world.random() < 0.7) {
      model.connect(socket);
      socket.open();
    } else if (world.random() < 0.3) {
      socket.refuse(world.pick([503, 429, 401, 500])!, world.random() < 0.5 ? { 'retry-after': '2' } : {});
    } else {
      broken(world, socket);
    }
    return true;
  }
  const conn = model.conns.get(socket)!;
  if (world.random() < 0.5 && model.step(socket)) return true;
  const frame = conn.out.shift();
  if (frame === undefined) return model.step(socket);
  world.log.push(`  < ${typeof frame === 'string' ? frame : JSON.stringify(frame)}`);
  if (typeof frame === 'string') socket.deliver(frame);
  else socket.end(frame.close, frame.reason);
  return true;
}

/** The client's side tells the end as platforms do: `error`, `close`, or both in either order. */
function broken(world: World, socket: FakeSocket): void {
  const how = world.random();
  if (how < 0.7) socket.error();
  if (how > 0.3) socket.end();
  if (how > 0.3 && how < 0.4) socket.error();
  socket.ended = true;
}

/** The server resets connections that are silent for half a minute: nothing that is under way arrives after it. */
function reset(world: World): void {
  for (const conn of world.model.conns.values()) conn.gone = true;
}

function cut(world: World): void {
  const socket = world.pick(socketsOf(world));
  if (!socket) return;
  const conn = world.model.conns.get(socket);
  if (conn) conn.gone = true;
  if (conn) conn.out = [];
  if (world.random() < 0.6) broken(world, socket); // else it is frozen: nothing is told, nothing comes
}

function lateCallback(world: World): void {
  const socket = world.pick(world.made.filter((one) => !one.alive));
  if (!socket) return;
  const ended = socket.ended;
  const conn = world.model.conns.get(socket);
  const frame = conn?.out.find((one) => typeof one === 'string');
  const what = world.random();
  if (what < 0.3) socket.error();
  else if (what < 0.6) socket.end(world.pick([1006, 4002, 4401, 1000])!, 'late');
  else if (what < 0.9 && typeof frame === 'string') socket.deliver(frame);
  else if (!ended && !socket.opened) {
    socket.open();
    socket.opened = false;
  }
  socket.ended ||= ended;
}

function request(world: World): void {
  const request = world.requests.shift();
  if (!request) return;
  const chance = world.calm ? 1 : world.random();
  if (chance < 0.1) return request.fail();
  if (chance < 0.2) return request.answer(503, {}, { 'retry-after': '1' });
  const { status, body } = world.model.history(request.url);
  request.answer(status, body);
}

function disk(world: World): void {
  world.store.broken = !world.store.broken;
}

function clockJump(world: World): void {
  const by = (world.random() - 0.5) * 100_000;
  world.clock.wall += by;
  world.wallWentBack ||= by < 0;
}

/** Everything works from now on: whatever is owed must arrive. Throws where it does not. */
export async function calm(world: World): Promise<void> {
  world.calm = true;
  world.store.broken = false;
  world.parts.reachable = true;
  world.signals.isOnline = true;
  world.log.push('calm');
  if (!world.off) world.toggle();
  if (world.client.state !== 'online') world.connect();
  for (let i = 0; i < 6000; i++) {
    await ready();
    world.check();
    if (work(world)) continue;
    if (isThrough(world)) {
      world.log.push(`calm after ${i}`);
      break;
    }
    if (world.client.state === 'closed' || world.client.state === 'offline-wait') world.connect();
    else world.fire();
  }
  await finish(world);
}

/** Does one thing that can be done without time passing. */
function work(world: World): boolean {
  const op = world.store.pending.shift();
  if (op) return (op.run(), true);
  const handler = world.handlers.shift();
  if (handler) return (handler.go(true), true);
  if (world.requests.length > 0) return (request(world), true);
  for (const socket of socketsOf(world)) {
    const conn = world.model.conns.get(socket);
    if (!socket.alive && conn) conn.gone = true;
    if (socket.alive && exchange(world, socket)) return true;
  }
  return false;
}

/** Where the store has failed a process that died may have been told of a loss, and the next one knows nothing of it. */
function isSettled({ model, storeFailed, handed, lost }: World, seq: number): boolean {
  const id = model.ids[seq - 1]!;
  return handed.has(id) || lost.has(id) || (storeFailed && model.isCut(model.epochName));
}

function isThrough(world: World): boolean {
  const { client, model, sends } = world;
  if (client.state !== 'online') return false;
  if (sends.some((send) => send.outcome === null)) return false;
  for (let seq = 1; seq <= model.seq; seq++) if (!isSettled(world, seq)) return false;
  return world.lastEventHanded >= model.events || model.events === 0 || world.lastEventHanded === 0;
}

async function finish(world: World): Promise<void> {
  const { model } = world;
  for (let seq = 1; seq <= model.seq; seq++) {
    if (!isSettled(world, seq)) world.fail(`${model.ids[seq - 1]} was never handed over nor told lost`);
  }
  for (const send of world.sends) {
    const times = model.accepted.get(send.i) ?? 0;
    if (send.outcome === null) world.fail(`send ${send.i} never settled`);
    // the deletion of one may be cut off by a crash: then it is sent by the next process, rather than lost untold
    if (send.process === world.process && send.outcome === 'overflow' && !send.uncertain && times > 0)
      world.fail(`send ${send.i} overflowed, and was sent`);
    const kept = world.store.outbox().includes(send.i); // the store was not read: a later process sends it
    if (send.survived && times === 0 && !world.told.has(send.i) && !kept)
      world.fail(`send ${send.i} was lost with its process`);
  }
  if (world.client.state !== 'online') world.fail(`not online again but ${world.client.state}`);
  if (world.lastEventHanded && world.lastEventHanded < model.events)
    world.fail(`event ${model.events} was never handed over`);
  for (let i = 0; i < 300 && work(world); i++) await ready();
  let closed = false;
  void world.client.close().then(() => (closed = true));
  for (let i = 0; i < 100; i++) {
    await ready();
    world.store.pending.shift()?.run();
  }
  world.check();
  if (!closed) world.fail('close() did not resolve');
  if (world.clock.timers.length > 0) world.fail(`a timer is left after close(): ${world.timersLeft()}`);
}
