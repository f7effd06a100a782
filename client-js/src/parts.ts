/**
 * Code that a page needs late or never: each a file of its own beside `index.js`, loaded when it is needed. A promise
 * that rejects is no end: who asks again makes the platform try again.
 */
export const parts = {
  /** `history.js`: reads pages over HTTP. */
  history: () => import('./history/pages.js'),
  /** `tabs.js`: several tabs share a connection. */
  tabs: () => import('./tabs/tabs.js'),
};

export type PartFiles = typeof parts;
