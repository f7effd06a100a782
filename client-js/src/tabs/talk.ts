import type { SubscribeOptions } from '../core/channels.js';
import type { Events, Metrics, Presence, State } from '../types.js';

/** What one tab wants. */
export interface Wish {
  open: boolean;
  channels: [string, SubscribeOptions][];
  users: string[];
}

/** What tabs say to each other; `to` names the tab that it is for, absent: all. */
export type Talk =
  | { k: 'wish'; tab: string; wish: Wish }
  | { k: 'bye'; tab: string }
  | { k: 'do'; tab: string; id: string; op: Op; args: any[] }
  | {
      k: 'done';
      to: string;
      id: string;
      value?: unknown;
      error?: { code: string; message: string; uncertain: boolean };
    }
  | { k: 'lead' }
  | { k: 'now'; to: string; state: State; presence: Presence[]; metrics: Metrics }
  | { k: 'tell'; kind: keyof Events; value: any; metrics?: Metrics }
  | { k: 'logout' };

export type Op = 'send' | 'history' | 'channelHistory' | 'logout';
