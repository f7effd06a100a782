import { delayOf, toldDelay } from '../pure/backoff.js';
import { retryAfterHeader } from '../pure/closecodes.js';
import { paid, settle, type PageView, type Range } from '../pure/owed.js';
import { HoldfastError } from '../errors.js';
import type { MailboxPage, Message } from '../types.js';
import type { Context } from './context.js';
import { Handover } from './handover.js';

const LIMIT = 200;

/** An HTTP answer that was not 200. */
export class HttpError extends HoldfastError {
  constructor(
    readonly status: number,
    code: string | undefined,
    readonly retryAfterMs?: number,
  ) {
    super(code ?? `http_${status}`, `the server answered ${status}`);
  }

  static async of(
    response: { status: number; headers: { get(name: string): string | null }; json(): Promise<unknown> },
    now: number,
  ): Promise<HttpError> {
    const problem = (await response.json().catch(() => null)) as { code?: unknown } | null;
    const code = typeof problem?.code === 'string' ? problem.code : undefined;
    return new HttpError(response.status, code, retryAfterHeader(response.headers.get('retry-after'), now));
  }
}

/** Reads what is owed over HTTP and hands it over page by page, the oldest first. */
export class History {
  private readonly handover: Handover<'history'>;
  private busy = false;
  private failures = 0;
  /** The server refused for good; the next connection may ask again. */
  private refusedBy = -1;

  constructor(
    private readonly ctx: Context,
    private readonly holds: (epoch: string, to: number) => boolean,
    private readonly fetchPage: (range: Range, limit: number) => Promise<MailboxPage>,
  ) {
    this.handover = new Handover(
      'history',
      ctx.listeners,
      ctx.timers,
      'history',
      () => ctx.isOpen(),
      (kind, error) => ctx.recorder.failed('handler_failed', error, kind),
    );
  }

  /** Goes on where something is owed and can be handed over; called whenever one of the reasons against it may be gone. */
  kick(): void {
    this.handover.go();
    const { ctx } = this;
    const range = ctx.session.owed[0];
    if (this.busy || !range || !ctx.isOnline() || !ctx.listeners.has('history')) return;
    if (this.refusedBy === ctx.generation() || ctx.timers.has('history-retry')) return;
    if (this.holds(range.epoch, range.to)) return;
    this.busy = true;
    void this.step(range).then(() => {
      this.busy = false;
      this.kick();
    });
  }

  private async step(range: Range): Promise<void> {
    const { ctx } = this;
    const generation = ctx.generation();
    let view: PageView<Message>;
    try {
      view = range.epoch === ctx.session.epoch ? settle(range, await this.fetchPage(range, LIMIT)) : gone(range);
      this.failures = 0;
    } catch (error) {
      if (generation !== ctx.generation() || !ctx.isOnline()) return;
      if (!(error instanceof HttpError && error.status === 409)) return this.failed(error);
      view = gone(range);
    }
    if (generation !== ctx.generation() || !ctx.isOnline()) return; // the next connection asks anew
    const more = view.to < range.to || ctx.session.owed.length > 1;
    await new Promise<void>((done) => this.handover.start({ ...view, epoch: range.epoch, more }, done));
    ctx.session.owed = paid(ctx.session.owed, range.epoch, view.from, view.to);
    ctx.save();
  }

  private failed(error: unknown): void {
    const { ctx } = this;
    const status = error instanceof HttpError ? error.status : 0;
    const told = error instanceof HttpError ? error.retryAfterMs : undefined;
    ctx.recorder.failed('history_failed', error);
    if (status >= 400 && status < 500 && status !== 408 && status !== 429) {
      this.refusedBy = ctx.generation();
      return;
    }
    const delay = told === undefined ? 0 : toldDelay(told, 1000, ctx.random);
    const backoff = delayOf(ctx.backoff, this.failures++, false, ctx.random);
    ctx.timers.set('history-retry', Math.max(delay, backoff), () => this.kick());
  }
}

function gone({ from, to }: Range): PageView<Message> {
  return { messages: [], from, to, lost: { from, to } };
}
