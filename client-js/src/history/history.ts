import { paid, toldEpoch, type PageView, type Range } from '../pure/owed.js';
import type { Message } from '../types.js';
import type { Account } from '../core/account.js';
import type { Handover } from '../core/handover.js';
import type { HttpProblem, Pages } from './pages.js';

/** Reads what is owed over HTTP and hands it over page by page, the oldest first. */
export class History {
  private busy = false;
  private failures = 0;
  /** The server refused for good; the next connection may ask again. */
  private refusedBy = -1;

  constructor(
    private readonly ctx: Account,
    private readonly handover: Handover<'history'>,
  ) {}

  /** Goes on where something is owed and can be handed over; called whenever one of the reasons against it may be gone. */
  kick(): void {
    this.handover.go();
    const { ctx } = this;
    const range = ctx.session.owed[0];
    if (this.busy || !range || !ctx.isOnline() || !ctx.listeners.has('history')) return;
    if (this.refusedBy === ctx.generation() || ctx.timers.has('history-retry')) return;
    if (ctx.inbox.holds(range.epoch, range.to)) return;
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
      view = await ctx.queries.ask((pages: Pages) => pages.owed(range, ctx.session.epoch));
      this.failures = 0;
    } catch (error) {
      if (generation === ctx.generation() && ctx.isOnline()) this.failed(error as HttpProblem);
      return;
    }
    if (generation !== ctx.generation() || !ctx.isOnline()) return; // the next connection asks anew
    const more = view.to < range.to || ctx.session.owed.length > 1;
    const { inbox, recorder, session } = ctx;
    const { era } = inbox;
    const messages = view.messages.filter(({ msgId }) => !inbox.seen.has(msgId));
    recorder.metrics.duplicates += view.messages.length - messages.length;
    const page = { ...view, messages, epoch: toldEpoch(range), more };
    await new Promise<void>((done) => this.handover.start(page, done));
    if (era === inbox.era) session.owed = paid(session.owed, range.epoch, view.from, view.to);
    for (const { msgId } of messages) inbox.seen.add(msgId);
    inbox.store();
  }

  private failed(error: Partial<HttpProblem>): void {
    const { ctx } = this;
    const { status = 0, retryAfterMs } = error;
    ctx.recorder.failed('history_failed', error);
    if (status >= 400 && status < 500 && status !== 408 && status !== 429) {
      this.refusedBy = ctx.generation();
      return;
    }
    ctx.timers.set('history-retry', ctx.delay(this.failures++, retryAfterMs), () => this.kick());
  }
}
