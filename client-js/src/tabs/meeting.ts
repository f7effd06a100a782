import type { TabPorts } from './ports.js';
import type { Talk } from './talk.js';

/** Where the tabs of an account meet: a channel on which they speak, and the lock of the one that leads. */
export class Meeting {
  private readonly channel;
  private readonly aborter = new AbortController();
  /** Settles when this tab leaves. */
  private readonly left: Promise<void>;
  private go: () => void = () => {};
  private isClosed = false;

  constructor(
    readonly tabs: TabPorts,
    readonly name: string,
    private readonly tab: string,
    hear: (talk: Talk) => void,
  ) {
    this.left = new Promise((resolve) => (this.go = resolve));
    this.channel = tabs.channel(name);
    this.channel.onmessage = (event: { data: Talk }) => hear(event.data);
  }

  /** Waits for the lock, and leads for as long as it is here; `refused` where there is no lock to be had. */
  start(lead: (left: Promise<void>) => Promise<void>, refused: (error: unknown) => void): void {
    const { left, name, aborter, tab } = this;
    const { locks } = this.tabs;
    const failed = (error: unknown): void => void (aborter.signal.aborted || refused(error));
    // who gets this one knows that the tab is gone
    locks.request(`${name}tab/${tab}`, {}, () => left).catch(failed);
    locks.request(name, { signal: aborter.signal }, () => lead(left)).catch(failed);
  }

  post(talk: Talk): void {
    if (!this.isClosed) this.channel.postMessage(talk);
  }

  /** Wants the lock no more; what is still to be said can be said until `close`. */
  leave(): void {
    this.aborter.abort();
    this.go();
  }

  close(): void {
    this.isClosed = true;
    this.channel.close();
  }
}
