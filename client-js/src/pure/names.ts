import { HoldfastError } from '../errors.js';
import type { Target } from '../types.js';

const NAME = /^[A-Za-z0-9._~@:-]{1,128}$/;
const MOST_USERS = 100;
/** With `u` only a half of a surrogate pair that stands alone is one. */
const NUL_OR_HALF = /[\0\ud800-\udfff]/u;
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** Whether it is a user's or client's name as protocol.md, section 2, wants it. */
export function isName(value: unknown): value is string {
  return typeof value === 'string' && NAME.test(value);
}

/** The channel, or an error of code `bad_frame`. */
export function checkChannel(channel: unknown): string {
  if (typeof channel !== 'string' || !channel || channel.length > 256 || CONTROL.test(channel)) {
    throw new HoldfastError('bad_frame', 'a channel has 1 to 256 printable characters');
  }
  return channel;
}

/** The names, or an error of code `bad_frame`. */
export function checkNames(users: readonly unknown[]): string[] {
  if (!Array.isArray(users) || !users.every(isName)) {
    throw new HoldfastError('bad_frame', 'a user has 1 to 128 characters of [A-Za-z0-9._~@:-]');
  }
  return users;
}

/** The target with only the fields that the protocol knows, or an error of code `bad_frame`. */
export function checkTarget(to: Target): Target {
  const given = (to ?? {}) as Record<string, unknown>;
  const fields = ['user', 'users', 'channel'].filter((field) => given[field] !== undefined);
  if (fields.length !== 1) throw new HoldfastError('bad_frame', 'to is one of {user}, {users} and {channel}');
  if (fields[0] === 'channel') return { channel: checkChannel(given.channel) };
  if (fields[0] === 'user') return { user: checkNames([given.user])[0]! };
  const users = [...new Set(checkNames(given.users as unknown[]))];
  if (users.length === 0 || users.length > MOST_USERS) {
    throw new HoldfastError('bad_frame', `users names 1 to ${MOST_USERS}`);
  }
  return { users };
}

/** The client's own id of a message, or an error of code `bad_frame`. */
export function checkMessageId(id: unknown): string {
  if (typeof id !== 'string' || !id || id.length > 64 || NUL_OR_HALF.test(id)) {
    throw new HoldfastError('bad_frame', 'clientMsgId has 1 to 64 characters, no NUL');
  }
  return id;
}

/** The payload as JSON, or an error of code `bad_frame` or `payload_too_large`. */
export function checkPayload(payload: unknown, most: number): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(payload);
  } catch (error) {
    throw new HoldfastError('bad_frame', `the payload is no JSON: ${String(error)}`);
  }
  if (text === undefined) throw new HoldfastError('bad_frame', 'the payload is no JSON');
  const bytes = utf8Length(text);
  if (bytes > most) throw new HoldfastError('payload_too_large', `the payload has ${bytes} bytes, at most ${most}`);
  return text;
}

/** Bytes of a string in UTF-8, without making them. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7f) bytes += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return bytes;
}

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** `length` random characters of 64, 6 bits each. */
export function randomId(length: number, random: () => number): string {
  let id = '';
  for (let i = 0; i < length; i++) id += BASE64URL[(random() * 64) & 63];
  return id;
}

/** The claim `sub` of a JWT, unchecked: the server checks it. Undefined where there is no JWT, or it has none. */
export function subjectOf(token: string | undefined): string | undefined {
  try {
    // base64url by hand, since React Native has not always had `atob`
    const sixes = Array.from(token!.split('.')[1]!, (char) => BASE64URL.indexOf(char).toString(2).padStart(6, '0'));
    const bytes = sixes.join('').match(/.{8}/g)!;
    const text = bytes.map((byte) => '%' + parseInt(byte, 2).toString(16).padStart(2, '0')).join('');
    const sub: unknown = JSON.parse(decodeURIComponent(text)).sub;
    return typeof sub === 'string' ? sub : undefined;
  } catch {
    return undefined; // not a JWT: then the option `user` or the clientId names the store
  }
}
