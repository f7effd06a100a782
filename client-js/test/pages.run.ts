// Tabs of one page, opened, closed, killed and cut off in random orders, against the model server: seeds `first` to `last`.
import { Browser, type Tab } from './browser.js';
import { FakeSocket, seeded } from './fakes.js';
import { CHANNEL, Model } from './model.js';
import { ready } from './world.js';

const [first, last, verbose] = process.argv.slice(2).map(Number);
const BOBS_TOKEN = `a.${Buffer.from(JSON.stringify({ sub: 'bob' })).toString('base64url')}.c`;

/** What one tab's app was told. */
interface Told {
  tab: Tab;
  name: string;
  messages: Set<string>;
  lastEvent: number;
  /** The app wants a connection: it called `connect()`, and heard of no end since. */
  open: boolean;
  sends: { i: number; outcome: string | null }[];
}

class Pages {
  readonly random: () => number;
  readonly browser = new Browser();
  readonly model: Model;
  readonly tabs: Told[] = [];
  readonly log: string[] = [];
  readonly handed = new Set<string>();
  private readonly opened = new Set<FakeSocket>();
  private sends = 0;
  calm = false;

  constructor(seed: number) {
    this.random = seeded(seed);
    this.model = new Model(this.random, () => this.browser.clock.mono());
    this.model.mayAck = (id) => this.handed.has(id);
    this.model.trace = (line) => this.log.push(line);
  }

  get alive(): Told[] {
    return this.tabs.filter(({ tab }) => !tab.dead);
  }

  pick<T>(list: readonly T[]): T | undefined {
    return list[Math.floor(this.random() * list.length)];
  }

  open(): void {
    if (this.alive.length >= 4) return;
    const tab = this.browser.open(null, { token: () => this.token(), outboxMax: 1000 });
    const told: Told = {
      ...{ tab, name: `tab ${this.tabs.length}`, messages: new Set(), lastEvent: 0, open: false, sends: [] },
    };
    this.tabs.push(told);
    const fail = (what: string): never => {
      throw Object.assign(new Error(`${told.name}: ${what}`), { name: 'Broken' });
    };
    const once = (key: string): void => {
      if (tab.dead) return;
      if (!told.open) fail(`${key} was told to a tab that wants nothing`);
      if (told.messages.has(key)) fail(`${key} was told twice`);
      told.messages.add(key);
      this.handed.add(key);
    };
    tab.client.on('message', ({ msgId }) => this.guard(() => once(msgId)));
    tab.client.on('history', ({ messages }) => this.guard(() => messages.forEach(({ msgId }) => once(msgId))));
    tab.client.on('event', ({ payload }) =>
      this.guard(() => {
        if ((payload as number) <= told.lastEvent) fail(`event ${String(payload)} after ${told.lastEvent}`);
        if (told.lastEvent && payload !== told.lastEvent + 1) fail(`event ${String(payload)} after ${told.lastEvent}`);
        told.lastEvent = payload as number;
      }),
    );
    tab.client.on('subscribed', ({ recovered, position }) => {
      if (!recovered) told.lastEvent = Number(position);
    });
    tab.client.on('state', ({ state, final }) => {
      if (state === 'closed' && final) told.open = false;
    });
  }

  failure: Error | null = null;
  private guard(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.failure ??= error as Error;
    }
  }

  private token(): Promise<string> {
    const chance = this.calm ? 1 : this.random();
    if (chance < 0.05) return new Promise(() => {});
    return chance < 0.2 ? Promise.reject(new Error('no token now')) : Promise.resolve(BOBS_TOKEN);
  }

  connect(told: Told): void {
    if (!told.open) told.lastEvent = 0; // what the others were told meanwhile is not told again
    told.open = true;
    told.tab.client.subscribe(CHANNEL);
    told.tab.client.connect();
  }

  /** It is not told of what happens while it is closed, and begins anew. */
  close(told: Told): void {
    told.open = false;
    told.lastEvent = 0;
    told.tab.client.unsubscribe(CHANNEL);
    void told.tab.client.close();
  }

  send(told: Told): void {
    const send = { i: this.sends++, outcome: null as string | null };
    told.sends.push(send);
    told.tab.client.send({ user: 'eve' }, { i: send.i }).then(
      ({ msgId }) => (send.outcome = msgId),
      (error: { code: string }) => (send.outcome = error.code),
    );
  }

  /** Something happens on a connection; false where nothing can. */
  network(): boolean {
    const { browser, model } = this;
    const sockets = browser.made.filter((socket) => !socket.ended);
    for (const socket of sockets) if (!socket.alive) this.gone(socket);
    const socket = this.pick(sockets.filter(({ alive }) => alive));
    if (!socket) return false;
    if (!this.opened.has(socket)) {
      this.opened.add(socket);
      model.connect(socket);
      socket.open();
      return true;
    }
    const conn = model.conns.get(socket)!;
    if (this.random() < 0.5 && model.step(socket)) return true;
    const frame = conn.out.shift();
    if (frame === undefined) return model.step(socket);
    this.log.push(`  < ${typeof frame === 'string' ? frame : JSON.stringify(frame)}`);
    if (typeof frame === 'string') socket.deliver(frame);
    else socket.end(frame.close, frame.reason);
    return true;
  }

  private gone(socket: FakeSocket): void {
    const conn = this.model.conns.get(socket);
    if (conn) conn.gone = true;
  }

  cut(): void {
    for (const socket of this.browser.alive) {
      this.gone(socket);
      socket.end();
    }
  }

  answer(): boolean {
    const request = this.browser.requests.shift();
    if (!request) return false;
    const { status, body } = this.model.history(request.url);
    request.answer(status, body);
    return true;
  }

  check(): void {
    if (this.failure) throw this.failure;
    for (const socket of this.browser.made) if (socket.ended) this.gone(socket);
    const live = this.browser.alive;
    if (live.length > 1) throw new Error(`${live.length} live sockets`);
    for (const [i, times] of this.model.accepted)
      if (times > 1) throw new Error(`send ${i} was accepted ${times} times`);
  }

  async step(): Promise<void> {
    const { browser, model } = this;
    const told = this.pick(this.alive);
    const steps: [number, string, () => void][] = [
      [40, 'network', () => void (this.network() || this.answer())],
      [
        10,
        'time',
        () => {
          const timer = browser.clock.next();
          if (timer) browser.clock.fire(timer);
        },
      ],
      [4, 'message', () => model.message()],
      [4, 'event', () => model.event()],
      [5, 'send', () => told && this.send(told)],
      [3, 'open', () => this.open()],
      [4, 'connect', () => told && this.connect(told)],
      [1, 'close', () => told && this.close(told)],
      [1, 'die', () => told?.tab.die()],
      [1, 'cut', () => this.cut()],
      [0.5, 'restart', () => model.closeAll(4001, 'server_restart')],
      [0.4, 'kicked', () => model.closeAll(4410, 'kicked')],
      [0.5, 'no locks', () => (browser.refuseLocks = 2)],
    ];
    let at = this.random() * steps.reduce((sum, [weight]) => sum + weight, 0);
    const [, name, run] = steps.find(([weight]) => (at -= weight) < 0) ?? steps[0]!;
    this.log.push(`${name} ${told?.name ?? ''} [${this.alive.map(({ tab }) => tab.client.state).join()}]`);
    run();
    await ready(60);
    this.check();
  }

  private missing(): number {
    const { seq, epochName } = this.model;
    return Array.from({ length: seq }, (_, i) => `${epochName}-${i + 1}`).filter((key) => !this.handed.has(key)).length;
  }

  /** Everything works from now on: all tabs that live are online at last, and what they sent is there. */
  async settle(): Promise<void> {
    this.calm = true;
    this.browser.refuseLocks = 0;
    this.log.push('calm');
    if (this.alive.length === 0) this.open();
    for (let i = 0; i < 4000; i++) {
      await ready(60);
      this.check();
      for (const told of this.alive) if (!told.open || told.tab.client.state === 'offline-wait') this.connect(told);
      if (this.network() || this.answer()) continue;
      const online = this.alive.every(({ tab }) => tab.client.state === 'online');
      const sent = this.alive.every(({ sends }) => sends.every(({ outcome }) => outcome !== null));
      if (online && sent && this.missing() === 0) break;
      const timer = this.browser.clock.next();
      if (timer) this.browser.clock.fire(timer);
    }
    for (const { tab, name, sends } of this.alive) {
      if (tab.client.state !== 'online') throw new Error(`${name} is ${tab.client.state} at last`);
      for (const { i, outcome } of sends) if (outcome !== `m${i}`) throw new Error(`send ${i} of ${name}: ${outcome}`);
    }
    if (this.missing() > 0) throw new Error(`${this.missing()} messages were told to nobody`);
    for (const told of this.alive) this.close(told);
    await ready(400);
    if (this.browser.alive.length > 0) throw new Error('a live socket after the last close()');
    if (this.browser.clock.timers.length > 0) throw new Error('a timer is left after the last close()');
  }
}

let [handed, sends, tabs] = [0, 0, 0];
for (let seed = first!; seed <= last!; seed++) {
  const pages = new Pages(seed);
  try {
    pages.open();
    for (let i = 0; i < 150; i++) await pages.step();
    await pages.settle();
  } catch (error) {
    if (verbose) console.log(pages.log.join('\n'));
    const again = `HARNESS_SEED=${seed} npm test -- harness`;
    throw new Error(`seed ${seed}: ${(error as Error).message} (${again})`, { cause: error });
  }
  handed += pages.handed.size;
  sends += pages.model.accepted.size;
  tabs += pages.tabs.length;
}
console.log(`${last! - first! + 1} seeds: ${tabs} tabs, ${handed} messages handed over, ${sends} sends accepted`);
