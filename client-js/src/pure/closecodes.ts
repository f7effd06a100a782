/** What the client does after the end of a connection (docs/clients.md, "Ends of a connection"). */
export type Next = 'retry' | 'soon' | 'token' | 'stop';

/** The close codes of protocol.md, section 11, with what the client does next. */
export const CloseCode = {
  NORMAL: 1000,
  GOING_AWAY: 1001,
  PROTOCOL: 1002,
  UNSUPPORTED_DATA: 1003,
  NO_STATUS: 1005,
  ABNORMAL: 1006,
  INVALID_TEXT: 1007,
  POLICY: 1008,
  TOO_LARGE: 1009,
  EXTENSION: 1010,
  INTERNAL_ERROR: 1011,
  SERVICE_RESTART: 1012,
  TRY_AGAIN_LATER: 1013,
  HEARTBEAT_TIMEOUT: 4000,
  SERVER_RESTART: 4001,
  REPLACED: 4002,
  IDLE_TIMEOUT: 4003,
  SLOW_CONSUMER: 4004,
  RATE_LIMITED: 4005,
  PROTOCOL_ERROR: 4400,
  UNAUTHORIZED: 4401,
  FORBIDDEN: 4403,
  HELLO_TIMEOUT: 4408,
  KICKED: 4410,
} as const;

const STOP = new Set([1002, 1003, 1007, 1008, 1009, 1010, 4002]);

/** What to do after a close code; codes that nobody knows have a rule as well. */
export function afterClose(code: number): Next {
  if (code === CloseCode.SERVER_RESTART) return 'soon';
  if (code === CloseCode.UNAUTHORIZED) return 'token';
  return STOP.has(code) || (code >= 4400 && code <= 4499 && code !== CloseCode.HELLO_TIMEOUT) ? 'stop' : 'retry';
}

/** What to do after a handshake that was refused with this HTTP status, where it can be seen at all. */
export function afterStatus(status: number): Next {
  return status === 401 ? 'token' : [400, 403, 426].includes(status) ? 'stop' : 'retry';
}

/** The `retryAfterMs` in the reason of a 4005, in ms; undefined where the reason does not end so. */
export function retryAfterOf(reason: string): number | undefined {
  const ms = /retryAfterMs=(\d{1,9})$/.exec(reason)?.[1];
  return ms === undefined ? undefined : Number(ms);
}

/** A `Retry-After` header, seconds or a date, as ms from `now` (ms since 1970); undefined where it is neither. */
export function retryAfterHeader(value: string | null | undefined, now: number): number | undefined {
  if (!value) return undefined;
  const ms = Number(value) >= 0 ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
