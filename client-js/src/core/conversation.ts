import { PRESETS, toldDelay } from '../pure/backoff.js';
import { CloseCode } from '../pure/closecodes.js';
import type { Account, Frame, Shared } from './account.js';
import { Heartbeat, type HeartbeatOwner, type HeartbeatTimes } from './heartbeat.js';
import { Link, type End } from './link.js';

/** After so long a new token is asked for again, where the server does not say when. */
const RENEW_MS = 5000;

interface Parts extends Shared {
  /** The welcome came, and what it says is taken over. */
  welcomed(): void;
  /** The connection ended, by the server, the network, or since it is dead. */
  ended(generation: number, end: End): void;
}

/** What is said on one connection after the other: hello and welcome, frames to and fro, heartbeat, new tokens. */
export class Conversation implements HeartbeatOwner {
  private link: Link | null = null;
  private account!: Account;
  private readonly heartbeat: Heartbeat;

  constructor(private readonly parts: Parts) {
    this.heartbeat = new Heartbeat(parts.clock, parts.timers, this);
  }

  /** Makes the connection; its hello follows by itself. Throws where there is none to be made. */
  dial(account: Account, generation: number, url: string, token: string | undefined): void {
    const { ports, options, ended } = this.parts;
    const { session, journal } = account;
    session.attempt = Math.max(session.attempt + 1, ports.clock.now());
    account.inbox.dial();
    account.save();
    const stored = journal.written(); // a later process must not come with a lower attempt
    this.account = account;
    const link: Link = new Link(url, ports, {
      opened: () => {
        void stored.then(() => {
          if (this.link === link) link.send(account.hello(options.user, token));
        });
      },
      text: (data) => {
        if (this.link === link) this.came(data);
      },
      ended: (end) => ended(generation, end),
    });
    this.link = link;
  }

  /** Sends where there is a connection. */
  send(frame: object | string): void {
    if (this.link?.send(typeof frame === 'string' ? frame : JSON.stringify(frame))) this.heartbeat.frameSent();
  }

  /** Asks whether the connection lives, and ends it when nothing comes in time. */
  probe(limitMs: number): void {
    this.heartbeat.probe(limitMs);
  }

  /** Leaves the connection; nothing of it is heard any more. */
  leave(code: number, reason: string, dead: boolean): void {
    const { link } = this;
    this.link = null;
    this.heartbeat.stop();
    this.parts.timers.clear('renew');
    link?.leave(code >= 3000 && code <= 4999 ? code : CloseCode.NORMAL, reason, dead);
  }

  private came(data: unknown): void {
    const { recorder, random } = this.parts;
    this.heartbeat.frameCame();
    if (data === 'pong') return;
    let frame: Frame;
    try {
      frame = JSON.parse(data as string) as Frame;
      if (frame.type === 'message' && !Number.isSafeInteger(frame.seq)) throw new Error('a message without seq');
    } catch (error) {
      return recorder.failed('bad_frame', error);
    }
    if (frame.type === 'welcome') return this.welcome(frame);
    if (frame.type === 'sync') return recorder.synced();
    if (frame.type === 'error') {
      if (frame.code === 'token_expiring') void this.renew();
      // what answers `auth`: the old token still holds, and will end
      if (frame.code === 'keys_unavailable') this.renewIn(toldDelay(frame.retryAfterMs ?? RENEW_MS, 1000, random));
    }
    if (recorder.state === 'online') this.account.take(frame);
  }

  private welcome(frame: Frame): void {
    const { account } = this;
    const { recorder } = this.parts;
    if (recorder.state !== 'connecting') return;
    Object.assign(account.limits, frame.limits);
    account.session.sessionToken = frame.sessionToken ?? null;
    account.inbox.welcome(frame as never);
    this.parts.welcomed();
    recorder.welcomed(frame as never);
    this.heartbeat.start(this.heartbeatTimes(frame.heartbeat));
    account.start();
  }

  private heartbeatTimes(told: { intervalMs?: number; timeoutMs?: number } = {}): HeartbeatTimes {
    const { heartbeat: own = {}, preset = 'web' } = this.parts.options;
    return {
      intervalMs: Math.min(told.intervalMs ?? 25_000, PRESETS[preset].heartbeatMs, own.intervalMs ?? Infinity),
      timeoutMs: Math.min(told.timeoutMs ?? 8000, own.timeoutMs ?? Infinity),
      misses: own.misses ?? 2,
    };
  }

  private async renew(): Promise<void> {
    const { settings, recorder } = this.parts;
    const { link, account } = this;
    if (!settings.renewable) return; // the end of the token ends the connection, and then the app is told
    try {
      const token = await settings.nextToken();
      account.check(token);
      if (link === this.link) this.send({ type: 'auth', token });
    } catch (error) {
      if (link !== this.link) return;
      recorder.failed('refused', error, 'token_expiring');
      this.renewIn(RENEW_MS);
    }
  }

  private renewIn(ms: number): void {
    this.parts.timers.set('renew', ms, () => void this.renew());
  }

  ping(): void {
    this.parts.recorder.metrics.pings++;
    this.send('ping');
  }

  missed(): void {
    this.parts.recorder.metrics.misses++;
  }

  dead(): void {
    this.parts.recorder.tell('heartbeat_timeout');
    if (this.link) this.account.fail('heartbeat_timeout');
  }
}
