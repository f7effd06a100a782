import type { Clock, FetchLike, Signal, Signals, SocketConstructor } from './types.js';

/** What this platform has, looked at when it is used and not at import: in a browser, Node, React Native, a worker. */
export const world = globalThis as Record<string, any>;

export function globalSocket(): SocketConstructor | undefined {
  return world.WebSocket as SocketConstructor | undefined;
}

export function globalFetch(): FetchLike | undefined {
  return world.fetch ? (url, init) => world.fetch(url, init) : undefined;
}

export function isBrowser(): boolean {
  return !!(world.document?.addEventListener && world.addEventListener);
}

/** A number in [0, 1): ids are made of it, so it is a good one where the platform has one. */
export function random(): number {
  const { crypto } = world;
  if (!crypto?.getRandomValues) return Math.random();
  return crypto.getRandomValues(new Uint32Array(1))[0] / 0x1_0000_0000;
}

/** `online`, `offline`, visibility and the kind of network, as far as the platform tells. */
export function platformSignals(): Signals {
  const { navigator, document } = world;
  const isHidden = (): boolean => document?.visibilityState === 'hidden';
  return {
    online: () => navigator?.onLine !== false,
    hidden: isHidden,
    listen: (heard) => {
      if (!isBrowser()) return () => {};
      const undo: (() => void)[] = [];
      const on = (target: any, event: string, signal: () => Signal): void => {
        if (!target?.addEventListener) return;
        const run = (): void => heard(signal());
        target.addEventListener(event, run);
        undo.push(() => target.removeEventListener(event, run));
      };
      on(world, 'online', () => 'online');
      on(world, 'offline', () => 'offline');
      on(world, 'pageshow', () => 'visible');
      on(document, 'resume', () => 'visible'); // after `freeze`
      on(document, 'visibilitychange', () => (isHidden() ? 'hidden' : 'visible'));
      on(navigator?.connection, 'change', () => 'change');
      return () => undo.forEach((run) => run());
    },
  };
}

const WORKER = `const t={};onmessage=({data:[i,m]})=>{clearTimeout(t[i]);delete t[i];
if(m>=0)t[i]=setTimeout(()=>{delete t[i];postMessage(i)},m)}`;

/**
 * The platform's clock. In a browser each timer runs twice, in the page and in a Worker, and the first one counts:
 * timers of hidden pages are throttled to one a minute, those of Workers are not. Where a page's policy forbids
 * the Worker the page's own timer is left. The Worker lives as long as there is a timer.
 */
export function platformClock(): Clock {
  const timers = new Map<number, { run: () => void; own: unknown }>();
  let worker: any = null;
  let last = 0;
  const rest = (): void => {
    if (timers.size > 0) return;
    worker?.terminate();
    worker = null;
  };
  const forget = (id: number): void => {
    world.clearTimeout(timers.get(id)?.own);
    if (!timers.delete(id)) return;
    worker?.postMessage([id, -1]);
    void Promise.resolve().then(rest); // one timer often follows the other
  };
  const fire = (id: number): void => {
    const timer = timers.get(id);
    forget(id);
    timer?.run();
  };
  const start = (): void => {
    if (worker || !isBrowser()) return;
    try {
      const url = world.URL.createObjectURL(new world.Blob([WORKER], { type: 'text/javascript' }));
      worker = new world.Worker(url);
      worker.onmessage = (event: { data: number }) => fire(event.data);
      world.URL.revokeObjectURL(url);
    } catch {
      worker = null; // none, or forbidden here: the page's own timers do, if late
    }
  };
  return {
    now: () => Date.now(),
    mono: () => world.performance?.now?.() ?? Date.now(),
    setTimer: (ms, run) => {
      const id = ++last;
      timers.set(id, { run, own: world.setTimeout(() => fire(id), ms) });
      start();
      worker?.postMessage([id, ms]);
      return id;
    },
    clearTimer: (id) => forget(id as number),
  };
}
