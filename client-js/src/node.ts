export { fileStore } from './store/file.js';
export type { Store } from './types.js';
