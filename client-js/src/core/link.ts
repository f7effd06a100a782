import { retryAfterHeader } from '../pure/closecodes.js';
import type { SocketLike } from '../types.js';
import type { Ports } from './ports.js';

/** How a connection ended: a close code, or the status of a refused handshake, or neither: 1006. */
export interface End {
  code: number;
  reason: string;
  status?: number;
  retryAfterMs?: number | undefined;
}

export interface LinkEvents {
  opened(): void;
  text(data: unknown): void;
  ended(end: End): void;
}

const SUBPROTOCOL = 'holdfast.v1';

/**
 * One socket. It tells its end once, whichever of `error` and `close` comes first, and nothing at all after that or after
 * it was left.
 */
export class Link {
  private isOpen = false;
  private socket: SocketLike | null;

  constructor(
    url: string,
    ports: Ports,
    private readonly events: LinkEvents,
  ) {
    const socket = new ports.webSocket!(url, [SUBPROTOCOL]);
    this.socket = socket;
    socket.onopen = () => {
      this.isOpen = true;
      events.opened();
    };
    socket.onmessage = (event: { data?: unknown }) => events.text(event.data);
    socket.onerror = () => this.end({ code: 1006, reason: 'error' });
    socket.onclose = (event?: { code?: number; reason?: string }) =>
      this.end({ code: event?.code || 1006, reason: event?.reason ?? '' });
    // the `ws` package tells the status of a refused handshake; browsers do not
    const emitter = socket as { on?: (event: string, run: (request: unknown, response: any) => void) => void };
    emitter.on?.('unexpected-response', (_request, response) => {
      const retryAfterMs = retryAfterHeader(response.headers?.['retry-after'], ports.clock.now());
      const status = Number(response.statusCode);
      response.resume?.();
      this.end({ code: 1006, reason: `http_${status}`, status, retryAfterMs });
    });
  }

  /** False where the socket did not take it; its end comes by itself. */
  send(text: string): boolean {
    try {
      this.socket?.send(text);
      return this.socket !== null;
    } catch {
      return false; // closing already: `close` tells it
    }
  }

  /** Leaves the socket at once, with a close frame where that still goes out; its end is not told. */
  leave(code: number, reason: string, dead = false): void {
    const socket = this.socket as (SocketLike & { terminate?(): void }) | null;
    if (!socket) return;
    this.socket = null;
    // not null: `ws` throws where nobody hears its error
    socket.onopen = socket.onmessage = socket.onclose = socket.onerror = () => {};
    try {
      if (this.isOpen) socket.close(code, reason);
      else socket.close();
      if (dead || !this.isOpen) socket.terminate?.(); // else `ws` would wait 30 s for an answer
    } catch {
      // a socket that cannot even be closed is left as it is
    }
  }

  private end(end: End): void {
    if (!this.socket) return;
    this.leave(1000, '', true);
    this.events.ended(end);
  }
}
