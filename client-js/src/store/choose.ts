import { isBrowser } from '../platform.js';
import type { Options, Store } from '../types.js';
import { indexedDbStore, localStore } from './browser.js';
import { memoryStore } from './memory.js';

/** The store that was asked for, or the most lasting one that this platform has. */
export function chooseStore(storage: Options['storage']): Store {
  if (typeof storage === 'object') return storage;
  const wanted = storage ?? (isBrowser() ? 'indexeddb' : 'memory');
  if (wanted === 'memory') return memoryStore();
  return (wanted === 'local' ? undefined : indexedDbStore()) ?? localStore() ?? memoryStore();
}
