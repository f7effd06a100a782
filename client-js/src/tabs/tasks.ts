import type { Checked } from '../core/outbox.js';
import type { Listeners } from '../core/listeners.js';
import type { Recorder } from '../core/recorder.js';
import type { HoldfastError } from '../errors.js';
import type { Failure, Op } from './talk.js';

/** What a tab's app asked for and has no answer to. */
export interface Task {
  id: string;
  op: Op;
  args: any[];
  resolve: (value: any) => void;
  reject: (error: HoldfastError) => void;
}

/** The tasks of a tab, in order; sends wait for a leader as they would in an outbox, and no more of them. */
export class Tasks {
  private readonly tasks = new Map<string, Task>();

  constructor(
    private readonly most: number,
    private readonly listeners: Listeners,
    private readonly recorder: Recorder,
    private readonly Failed: typeof HoldfastError,
  ) {}

  get list(): Task[] {
    return [...this.tasks.values()];
  }

  add(task: Task): void {
    this.tasks.set(task.id, task);
  }

  settle(id: string, value: unknown, error?: Failure): void {
    const task = this.tasks.get(id);
    this.tasks.delete(id);
    if (error) task?.reject(new this.Failed(error.code, error.message, error.uncertain));
    else task?.resolve(value);
  }

  /** There is nobody yet who would take them: the oldest sends beyond the outbox's limit go. */
  bound(): void {
    const sends = this.list.filter(({ op }) => op === 'send');
    for (const task of sends.slice(0, Math.max(0, sends.length - this.most))) this.drop(task, 'overflow');
  }

  /** It was not possible to ask anybody: questions fail, sends wait for the next try. */
  fail(error: Failure): void {
    for (const { id, op } of this.list) if (op !== 'send') this.settle(id, undefined, error);
  }

  /** The account is gone, and the leader told what was dropped; `error`: it could not be deleted. */
  loggedOut(error: Failure | undefined): void {
    const gone = { code: 'logged_out', message: 'logged out', uncertain: false };
    for (const { id, op } of this.list) this.settle(id, undefined, op === 'logout' ? error : gone);
  }

  /** It will not be sent. */
  drop({ id, args }: Task, reason: string): void {
    const { clientMsgId, to, json } = args[0] as Checked;
    this.recorder.metrics.dropped++;
    this.listeners.emit('dropped', { clientMsgId, to, payload: JSON.parse(json), reason, uncertain: false });
    this.settle(id, undefined, { code: reason, message: reason, uncertain: false });
  }
}
