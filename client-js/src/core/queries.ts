import { HoldfastError } from '../errors.js';
import type { Pages } from '../history/pages.js';
import type { PartFiles } from '../parts.js';
import type { Options } from '../types.js';
import type { Account } from './account.js';
import type { Ports } from './ports.js';
import type { Settings } from './settings.js';

type HistoryFile = Awaited<ReturnType<PartFiles['history']>>;

/**
 * What is asked over HTTP, of the node that the client is connected to, or was, or would be. The code for it is loaded
 * with the first question; where it cannot be, the question fails with `not_loaded`, and the next one tries again.
 */
export class Queries {
  readonly HoldfastError = HoldfastError; // for `history.js`, so that nothing is loaded twice
  node: string | null = null;
  private file: HistoryFile | null = null;
  private pages: Pages | null = null;
  private aborts = 0;

  constructor(
    readonly options: Options,
    readonly ports: Ports,
    readonly settings: Settings,
    readonly account: () => Account,
  ) {}

  /** Ends all that is asked. */
  abort(): void {
    this.aborts++;
    this.pages?.abort();
  }

  /** Asks one question. */
  async ask<T>(question: (pages: Pages) => Promise<T>): Promise<T> {
    const { aborts } = this;
    const { Pages } = await this.load();
    this.pages ??= new Pages(this);
    if (aborts !== this.aborts) throw new HoldfastError('unreachable', 'the client was closed');
    return question(this.pages);
  }

  /** What `history.js` has. */
  async load(): Promise<HistoryFile> {
    return (this.file ??= await this.ports.parts.history().catch((error: unknown) => {
      throw new HoldfastError('not_loaded', `history.js, from beside index.js: ${String(error)}`);
    }));
  }
}
