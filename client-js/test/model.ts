import type { FakeSocket } from './fakes.js';

interface Conn {
  /** Frames under way to the client. */
  out: (string | { close: number; reason: string })[];
  /** How many of the client's frames were read. */
  read: number;
  clientId: string | null;
  attempt: number;
  sent: number;
  acked: number;
  /** The end of the backlog, until `sync` went out. */
  backlog: number | null;
  refused: string | null;
  event: number | null;
  gone: boolean;
}

export const CHANNEL = 'rooms:lobby';
export const DEDUP_MS = 600_000;
const WINDOW = 8;
const MAX_BACKLOG = 15;
const EVENTS_KEPT = 12;

/**
 * A server in memory, as protocol.md describes it: one mailbox, one channel, sends with dedup. It keeps what it must
 * know to judge the client, and throws where the client breaks the protocol.
 */
export class Model {
  epoch = 1;
  seq = 0;
  /** The oldest seq that is kept. */
  earliest = 1;
  /** The msgIds of the mailbox, by seq - 1. */
  ids: string[] = [];
  /** All that ever stood at a seq, by `epoch-seq`: more than one where the server lost the end of the mailbox. */
  private readonly ever = new Map<string, string[]>();
  /** Up to where each client acknowledged, or was told that it had. */
  private readonly ackedEver = new Map<string, number>();
  /** After a loss of the end no message comes that would have this seq, until the client knows: it could not notice. */
  private lostBelow = Infinity;
  losses = 0;
  private readonly cut = new Set<string>();
  /** Payload numbers of accepted sends, in order of their first acceptance, with how often they were accepted. */
  readonly accepted = new Map<number, number>();
  readonly acceptedOrder: number[] = [];
  events = 0;
  readonly conns = new Map<FakeSocket, Conn>();
  /** The client's store has failed, so that a process may have forgotten what the last one knew. */
  mayForget: () => boolean = () => false;
  trace: (line: string) => void = () => {};
  /** May this message be acknowledged? Set by the harness. */
  mayAck: (msgId: string) => boolean = () => true;
  private readonly known = new Map<string, { msgId: string; time: number }>();
  private readonly attempts = new Map<string, number>();

  constructor(
    private readonly random: () => number,
    private readonly now: () => number,
  ) {}

  get epochName(): string {
    return `e${this.epoch}`;
  }

  connect(socket: FakeSocket): void {
    this.conns.set(socket, {
      ...{ out: [], read: 0, clientId: null, attempt: 0, sent: 0, acked: 0, backlog: null, refused: null },
      ...{ event: null, gone: false },
    });
  }

  /** Somebody sends to the user. */
  message(): void {
    if (this.seq + 1 >= this.lostBelow) return;
    this.seq++;
    const at = `${this.epochName}-${this.seq}`;
    const ever = this.ever.get(at) ?? [];
    const id = ever.length > 0 ? `${at}.${ever.length}` : at;
    this.ever.set(at, [...ever, id]);
    this.ids.push(id);
    for (const conn of this.conns.values()) this.pump(conn);
  }

  /** An event in the channel. */
  event(): void {
    this.events++;
    for (const conn of this.conns.values()) this.pumpEvents(conn);
  }

  /** The mailbox is lost and made anew. */
  lose(): void {
    this.epoch++;
    this.seq = 0;
    this.earliest = 1;
    this.ids = [];
    this.ackedEver.clear();
    this.lostBelow = Infinity;
    this.closeAll(1012, 'service_restart');
  }

  /** The end of the mailbox is lost; the epoch stays. `cursor`: the client's, as a later process too will know it. */
  loseEnd(cursor: number): void {
    const depth = this.random() * (this.random() < 0.5 ? 6 : cursor);
    const left = Math.min(this.seq, cursor - 1 - Math.floor(depth));
    if (left < 1 || this.lostBelow < Infinity || this.mayForget()) return; // the client could not notice
    this.losses++;
    this.cut.add(this.epochName);
    this.lostBelow = cursor;
    this.seq = left;
    this.ids.length = left;
    this.earliest = Math.min(this.earliest, left + 1);
    for (const [client, acked] of this.ackedEver) this.ackedEver.set(client, Math.min(acked, left));
    this.closeAll(1012, 'service_restart');
    for (let i = Math.floor(this.random() * 12); i > 0; i--) this.message();
  }

  /** The msgIds that ever stood at a seq. */
  everAt(epoch: string, seq: number): string[] {
    return this.ever.get(`${epoch}-${seq}`) ?? [];
  }

  /** Those of them that are kept no longer. */
  gone(epoch: string, seq: number): string[] {
    const kept = epoch === this.epochName && seq >= this.earliest ? this.ids[seq - 1] : undefined;
    return this.everAt(epoch, seq).filter((id) => id !== kept);
  }

  /** The server has lost the end of the mailbox of this epoch, once or more often. */
  isCut(epoch: string): boolean {
    return this.cut.has(epoch);
  }

  /** The client knows of the loss, for good. */
  private noticed(): void {
    if (!this.mayForget()) this.lostBelow = Infinity;
  }

  /** What is older than the newest few is no longer kept. */
  expire(): void {
    this.earliest = Math.max(this.earliest, this.seq - Math.floor(this.random() * 10));
  }

  closeAll(code: number, reason: string): void {
    for (const conn of this.conns.values()) this.close(conn, code, reason);
  }

  /** Reads one frame of the client; false where there is none. */
  step(socket: FakeSocket): boolean {
    const conn = this.conns.get(socket)!;
    const text = socket.sent[conn.read];
    if (text === undefined || conn.gone) return false;
    conn.read++;
    this.trace(`  > ${text}`);
    if (text === 'ping') conn.out.unshift('pong');
    else this.frame(conn, JSON.parse(text));
    return true;
  }

  private frame(conn: Conn, frame: any): void {
    if (frame.type === 'hello') return this.hello(conn, frame);
    if (conn.clientId === null) throw new Error(`${frame.type} before hello`);
    if (frame.type === 'ack') return this.ack(conn, frame.seq);
    if (frame.type === 'send') return this.send(conn, frame);
    if (frame.type === 'subscribe') return this.subscribe(conn, frame.position);
    if (frame.type === 'unsubscribe') {
      conn.event = null;
      return this.put(conn, { type: 'unsubscribed', channel: CHANNEL });
    }
    throw new Error(`unexpected ${frame.type}`);
  }

  private hello(conn: Conn, hello: any): void {
    if (conn.clientId !== null) throw new Error('a second hello');
    const highest = this.attempts.get(hello.clientId) ?? -1;
    if (hello.attempt <= highest && !this.mayForget()) return this.close(conn, 4002, 'replaced'); // of an older socket
    this.attempts.set(hello.clientId, hello.attempt);
    for (const other of this.conns.values()) {
      if (other.clientId === hello.clientId) this.close(other, 4002, 'replaced');
    }
    conn.clientId = hello.clientId;
    const { lastSeq } = hello;
    const reason = this.refusal(hello);
    const resumed = reason === undefined;
    if (lastSeq !== undefined && reason !== 'ahead') this.noticed();
    conn.sent = conn.acked = resumed ? lastSeq : this.seq;
    conn.backlog = this.seq;
    const known = this.ackedEver.get(hello.clientId) ?? 0;
    this.ackedEver.set(hello.clientId, Math.max(known, conn.acked));
    this.put(conn, {
      ...{ type: 'welcome', resumed, reason, epoch: this.epochName, sessionToken: 't', seq: this.seq },
      ackSeq: resumed || reason === 'gap' ? lastSeq : known,
      limits: { window: WINDOW, payloadBytes: 1000, dedupWindowMs: DEDUP_MS },
      heartbeat: { intervalMs: 25_000, timeoutMs: 8000 },
    });
    this.pump(conn);
    for (const channel of hello.channels ?? []) this.subscribe(conn, channel.position);
  }

  private refusal({ lastSeq, epoch }: any): string | undefined {
    if (lastSeq === undefined) return 'new';
    if (epoch !== undefined && epoch !== this.epochName) return 'epoch';
    if (lastSeq > this.seq) return 'ahead';
    return lastSeq + 1 < this.earliest || this.seq - lastSeq > MAX_BACKLOG ? 'gap' : undefined;
  }

  private pump(conn: Conn): void {
    if (conn.clientId === null || conn.gone) return;
    for (; conn.sent < this.seq && conn.sent - conn.acked < WINDOW;) {
      this.synced(conn);
      const seq = ++conn.sent;
      this.put(conn, { type: 'message', ...this.stored(seq) });
    }
    this.synced(conn);
  }

  private synced(conn: Conn): void {
    if (conn.backlog === null || conn.sent < conn.backlog) return;
    this.put(conn, { type: 'sync', cursor: conn.sent });
    conn.backlog = null;
  }

  private ack(conn: Conn, seq: number): void {
    if (seq > conn.sent) throw new Error(`ack ${seq} beyond sent ${conn.sent}`);
    for (let one = conn.acked + 1; one <= seq; one++) {
      if (!this.mayAck(this.ids[one - 1]!)) throw new Error(`ack of ${one}, which was not handed over`);
    }
    if (seq > conn.acked) {
      this.noticed();
      conn.acked = seq;
      this.ackedEver.set(conn.clientId!, Math.max(this.ackedEver.get(conn.clientId!) ?? 0, seq));
    }
    this.pump(conn);
  }

  private stored(seq: number): object {
    const msgId = this.ids[seq - 1]!;
    return { seq, msgId, from: 'a', ts: 1, payload: { epoch: this.epochName, msgId } };
  }

  private send(conn: Conn, { clientMsgId, payload }: any): void {
    const error = (code: string, retryable: boolean): void =>
      this.put(conn, { type: 'error', code, message: code, retryable, clientMsgId });
    if (conn.out.some((frame) => typeof frame === 'string' && frame.includes(`"clientMsgId":"${clientMsgId}"`)))
      throw new Error(`${clientMsgId} came again before it was answered`);
    if (conn.refused !== null && conn.refused !== clientMsgId) return error('out_of_order', true);
    if (this.random() < 0.1) {
      conn.refused = clientMsgId;
      return error('overloaded', true);
    }
    conn.refused = null;
    if (payload.bad) return error('forbidden', false);
    const known = this.known.get(clientMsgId);
    if (!known || this.now() - known.time >= DEDUP_MS) {
      this.known.set(clientMsgId, { msgId: `m${payload.i}`, time: this.now() });
      const times = this.accepted.get(payload.i) ?? 0;
      this.accepted.set(payload.i, times + 1);
      if (times === 0) this.acceptedOrder.push(payload.i);
    }
    this.put(conn, { type: 'sent', clientMsgId, msgId: `m${payload.i}` });
  }

  private subscribe(conn: Conn, position: string | undefined): void {
    const at = position === undefined ? null : Number(position);
    const tooOld = at !== null && this.events - at > EVENTS_KEPT;
    conn.event = at === null || tooOld ? this.events : at;
    const reason = at === null ? 'new' : tooOld ? 'gap' : undefined;
    const told = positionOf(conn.event);
    this.put(conn, { type: 'subscribed', channel: CHANNEL, position: told, recovered: !reason, reason });
    this.pumpEvents(conn);
  }

  private pumpEvents(conn: Conn): void {
    while (conn.event !== null && !conn.gone && conn.event < this.events) {
      const n = ++conn.event;
      this.put(conn, { type: 'event', channel: CHANNEL, position: positionOf(n), ts: 1, payload: n });
    }
  }

  private close(conn: Conn, code: number, reason: string): void {
    if (conn.gone) return;
    conn.gone = true;
    conn.out.push({ close: code, reason });
  }

  private put(conn: Conn, frame: object): void {
    if (!conn.gone) conn.out.push(JSON.stringify(frame));
  }

  /** The answer to a request for history. */
  history(url: string): { status: number; body: unknown } {
    const params = new URL(url).searchParams;
    if (params.get('epoch') !== this.epochName) return { status: 409, body: { code: 'other_epoch' } };
    const after = Number(params.get('after'));
    const first = Math.max(after + 1, this.earliest);
    const last = Math.min(this.seq, first + 4);
    const messages = [];
    for (let seq = first; seq <= last; seq++) messages.push(this.stored(seq));
    const body = {
      epoch: this.epochName,
      latestSeq: this.seq,
      earliestSeq: this.earliest,
      more: last < this.seq,
      messages,
    };
    return { status: 200, body };
  }
}

function positionOf(n: number): string {
  return String(n).padStart(6, '0');
}
