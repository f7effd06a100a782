export { HoldfastClient } from './client.js';
export { HoldfastError } from './errors.js';
export { CloseCode } from './pure/closecodes.js';
export { memoryStore } from './store/memory.js';
export type * from './types.js';
export type { BackoffOptions, Jitter, Preset } from './pure/backoff.js';
export type { SubscribeOptions } from './core/channels.js';
export type { Ports } from './core/ports.js';
