import type { Store } from '../types.js';

/** Texts by key, as a `Map` has them. */
export interface Texts {
  get(key: string): string | null | undefined;
  set(key: string, text: string): unknown;
  delete(key: string): unknown;
  keys(): Iterable<string>;
}

/** Keeps everything for as long as the process lives; values are copied, as a real store would. */
export function memoryStore(): Store {
  return textStore(new Map<string, string>());
}

/** What a row has; one that is damaged is a text, as which no row can be read. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Values as JSON in what keeps texts. */
export function textStore(texts: Texts): Store {
  return {
    get: async (key) => {
      const text = texts.get(key) ?? null;
      return text === null ? undefined : parsed(text);
    },
    set: async (entries) => {
      const before = Object.keys(entries).map((key) => [key, texts.get(key) ?? null] as const);
      try {
        for (const [key, value] of Object.entries(entries)) texts.set(key, JSON.stringify(value));
      } catch (error) {
        // full: none of them stays
        for (const [key, text] of before) text === null ? texts.delete(key) : texts.set(key, text);
        throw error;
      }
    },
    delete: async (keys) => keys.forEach((key) => texts.delete(key)),
    keys: async (prefix) => [...texts.keys()].filter((key) => key.startsWith(prefix)),
    close: async () => {},
  };
}
