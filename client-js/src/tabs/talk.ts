import type { SubscribeOptions } from '../core/channels.js';
import type { Events, Metrics, Presence, State } from '../types.js';

/** What one tab wants. */
export interface Wish {
  open: boolean;
  channels: [string, SubscribeOptions][];
  users: string[];
  /** Where this tab is in its channels, as far as it was told events. */
  at: [string, string][];
}

export interface Failure {
  code: string;
  message: string;
  uncertain: boolean;
}

/**
 * What tabs say to each other; `to` names the tab that it is for, absent: all. `asks`: the app called `connect()`, which leads
 * on also from a final end.
 */
export type Talk =
  | { k: 'wish'; tab: string; wish: Wish; asks: boolean }
  | { k: 'bye'; tab: string }
  | { k: 'do'; tab: string; id: string; op: Op; args: any[] }
  | {
      k: 'done';
      to: string;
      id: string;
      value?: unknown;
      error?: Failure;
    }
  | { k: 'lead' }
  | { k: 'now'; to: string; state: State; presence: Presence[]; metrics: Metrics }
  | { k: 'tell'; kind: keyof Events; value: any; metrics?: Metrics }
  | { k: 'logout'; error: Failure | undefined };

export type Op = 'send' | 'history' | 'channelHistory' | 'logout';
