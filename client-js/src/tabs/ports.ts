import { isBrowser, world } from '../platform.js';
import { randomId } from '../pure/names.js';

/** A lock for as long as `hold` has not settled; the promise rejects when `signal` ends the waiting. */
export interface Locks {
  request(name: string, options: { signal?: AbortSignal }, hold: () => Promise<void>): Promise<unknown>;
}

/** Speaks to the other tabs of this page, never to itself. */
export interface Channel {
  onmessage: ((event: any) => void) | null;
  postMessage(message: unknown): void;
  close(): void;
}

/** What several tabs need to share a connection. */
export interface TabPorts {
  locks: Locks;
  channel(name: string): Channel;
}

/** Web Locks and BroadcastChannel; undefined where one of them is missing, as outside a secure context. */
export function tabPorts(): TabPorts | undefined {
  const locks = world.navigator?.locks as Locks | undefined;
  const { BroadcastChannel } = world;
  if (!isBrowser() || !locks || !BroadcastChannel) return undefined;
  return { locks, channel: (name) => new BroadcastChannel(name) as Channel };
}

const KEY = 'holdfast/tab';

/**
 * A name for this tab that it keeps over a reload. While the tab lives it is not in `sessionStorage`, since a tab that
 * is duplicated takes a copy of that with it.
 */
export function tabName(random: () => number): string {
  let storage: Storage | undefined;
  try {
    storage = world.sessionStorage;
  } catch {
    storage = undefined; // forbidden: then a reload is another tab
  }
  const name = storage?.getItem(KEY) ?? randomId(22, random);
  storage?.removeItem(KEY);
  world.addEventListener?.('pagehide', () => storage?.setItem(KEY, name));
  world.addEventListener?.('pageshow', () => storage?.removeItem(KEY));
  return name;
}
