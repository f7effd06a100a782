import { HoldfastError } from '../errors.js';

/** `ws://host/v1/ws` from what the app gave: also `http…`, and without the path. */
export function socketUrl(url: string): string {
  const match = /^(ws|http)(s?):\/\/([^/?#]+)([^?#]*)(\?[^#]*)?/i.exec(typeof url === 'string' ? url : '');
  if (!match) throw new HoldfastError('no_url', 'url must begin with ws:// or wss://');
  const path = match[4]!.replace(/\/+$/, '') || '/v1/ws';
  return `ws${match[2]!.toLowerCase()}://${match[3]}${path}${match[5] ?? ''}`;
}

/** Where the HTTP endpoints of the same node are: `http…` without `/v1/ws` and query. */
export function httpBase(url: string): string {
  return url
    .replace(/^ws/, 'http')
    .replace(/\?.*$/, '')
    .replace(/\/v1\/ws$/, '');
}

/** `?a=1&b=2` of what is not undefined. */
export function query(params: Record<string, string | number | undefined>): string {
  const given = Object.entries(params).filter((entry): entry is [string, string | number] => entry[1] !== undefined);
  return given.map(([name, value], i) => `${i ? '&' : '?'}${name}=${encodeURIComponent(value)}`).join('');
}

/** The start of every key in the store: of one server, and of one user of it. */
export function storePrefix(server: string, user: string): string {
  return `holdfast/1/${server}/${user}/`;
}
