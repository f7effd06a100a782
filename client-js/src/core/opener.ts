import { HoldfastError } from '../errors.js';
import { subjectOf } from '../pure/names.js';
import { storePrefix } from '../pure/urls.js';
import { memoryStore } from '../store/memory.js';
import type { Account } from './account.js';
import type { Recorder } from './recorder.js';
import type { Settings } from './settings.js';

const TRIES = 3;

/** Finds out whose store it is and reads it, once for each account. */
export class Opener {
  private opening: Promise<void> | null = null;
  private user: string | null = null;

  constructor(
    private readonly settings: Settings,
    private readonly recorder: Recorder,
    private readonly tab: string | undefined,
  ) {}

  get isOpen(): boolean {
    return this.opening !== null;
  }

  /** Rejects where nobody knows yet whose store it is, or another process has it; then it may be asked again. */
  open(account: Account): Promise<void> {
    if (!this.opening) {
      const opening = this.load(account).catch((error: unknown) => {
        if (this.opening === opening) this.opening = null;
        throw error;
      });
      this.opening = opening;
    }
    return this.opening;
  }

  /** The next account has a store of its own. */
  forget(): void {
    this.opening = this.user = null;
  }

  /** A token of another user must not carry on what is this one's. */
  check(token: string | undefined): void {
    const subject = token === undefined ? undefined : subjectOf(token);
    if (this.user !== null && subject !== undefined && subject !== this.user) {
      throw new HoldfastError('other_user', 'the token is of another user: call logout() first');
    }
  }

  /** The start of the keys of this server and user. */
  async name(): Promise<string> {
    this.user = await this.settings.user();
    return storePrefix(this.settings.server, this.user) + (this.tab === undefined ? '' : `${this.tab}/`);
  }

  private async load(account: Account): Promise<void> {
    const prefix = await this.name();
    for (let tries = 1; ; tries++) {
      try {
        return account.load(await account.journal.load(prefix));
      } catch (error) {
        if (tries > TRIES || (error instanceof HoldfastError && error.code === 'storage_in_use')) throw error;
        this.recorder.failed('storage_failed', error);
        if (tries === TRIES) account.journal.replace(memoryStore()); // or what cannot be read would be overwritten
      }
    }
  }
}
