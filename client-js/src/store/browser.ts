import { world } from '../platform.js';
import type { Store } from '../types.js';
import { textStore } from './memory.js';

/** In `localStorage`; undefined where there is none or it is forbidden. */
export function localStore(): Store | undefined {
  try {
    const storage = world.localStorage as Storage;
    storage.getItem('holdfast');
    return textStore({
      get: (key) => storage.getItem(key),
      set: (key, text) => storage.setItem(key, text),
      delete: (key) => storage.removeItem(key),
      keys: () => Object.keys(storage),
    });
  } catch {
    return undefined;
  }
}

const DATABASE = 'holdfast';
const TABLE = 'rows';

/** In IndexedDB; undefined where there is none. */
export function indexedDbStore(): Store | undefined {
  const factory = world.indexedDB as IDBFactory | undefined;
  if (!factory) return undefined;
  let opening: Promise<IDBDatabase> | null = null;
  const open = (): Promise<IDBDatabase> => {
    opening ??= new Promise<IDBDatabase>((resolve, reject) => {
      const request = factory.open(DATABASE, 1);
      request.onupgradeneeded = () => request.result.createObjectStore(TABLE);
      request.onerror = () => reject(request.error);
      request.onsuccess = () => {
        const database = request.result;
        database.onclose = () => (opening = null);
        database.onversionchange = () => {
          opening = null;
          database.close(); // by us, and so `onclose` does not tell it
        };
        resolve(database);
      };
    }).catch((error: unknown) => {
      opening = null;
      throw error;
    });
    return opening;
  };
  const run = async <T>(mode: IDBTransactionMode, act: (rows: IDBObjectStore) => IDBRequest<T> | void): Promise<T> => {
    const database = await open();
    return new Promise<T>((resolve, reject) => {
      const transaction = database.transaction(TABLE, mode);
      const request = act(transaction.objectStore(TABLE));
      transaction.oncomplete = () => resolve(request?.result as T);
      transaction.onabort = transaction.onerror = () => reject(transaction.error);
    });
  };
  return {
    get: (key) => run<unknown>('readonly', (rows) => rows.get(key)),
    set: (entries) =>
      run<void>('readwrite', (rows) => {
        for (const [key, value] of Object.entries(entries)) rows.put(value, key);
      }),
    delete: (keys) => run<void>('readwrite', (rows) => keys.forEach((key) => rows.delete(key))),
    keys: async (prefix) => {
      const range = world.IDBKeyRange.bound(prefix, prefix + '\uffff');
      return (await run<IDBValidKey[]>('readonly', (rows) => rows.getAllKeys(range))) as string[];
    },
    close: async () => {
      const closing = opening;
      opening = null;
      (await closing)?.close();
    },
  };
}
