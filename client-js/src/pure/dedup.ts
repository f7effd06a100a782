/** The last ids that were met, oldest first; bounded. */
export class Dedup {
  private readonly ids = new Set<string>();

  constructor(
    private readonly most = 1000,
    ids: readonly string[] = [],
  ) {
    for (const id of ids) this.add(id);
  }

  has(id: string): boolean {
    return this.ids.has(id);
  }

  /** True when the id is new; it is known from now on. */
  add(id: string): boolean {
    if (this.ids.has(id)) return false;
    this.ids.add(id);
    if (this.ids.size > this.most) this.ids.delete(this.ids.values().next().value!); // the oldest
    return true;
  }

  /** Oldest first. */
  list(): string[] {
    return [...this.ids];
  }
}
