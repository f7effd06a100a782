import type { Store } from '../types.js';

/** Keeps everything for as long as the process lives; values are copied, as a real store would. */
export function memoryStore(): Store {
  const rows = new Map<string, string>();
  return {
    get: async (key) => {
      const text = rows.get(key);
      return text === undefined ? undefined : JSON.parse(text);
    },
    set: async (entries) => {
      for (const [key, value] of Object.entries(entries)) rows.set(key, JSON.stringify(value));
    },
    delete: async (keys) => keys.forEach((key) => rows.delete(key)),
    keys: async (prefix) => [...rows.keys()].filter((key) => key.startsWith(prefix)),
    close: async () => {},
  };
}
