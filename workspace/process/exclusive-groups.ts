interface GroupWaiter {
  readonly group: string;
  readonly go: () => void;
}

/**
 * Lets groups in one after the other, in the order in which they ask; members of one group are in together. Time in which somebody
 * waits does not count on its clock, so that nobody's limit runs out while he is not let in.
 */
export class ExclusiveGroupLock {
  #group: string | null = null;
  #inside = 0;
  readonly #waiting: GroupWaiter[] = [];
  #waitedMs = 0;
  #waitingSince: number | null = null;

  /** Milliseconds on the clock of `performance.now()`, without those in which somebody waited. */
  nowExcludingWaits(): number {
    const now = performance.now();
    return now - this.#waitedMs - (this.#waitingSince === null ? 0 : now - this.#waitingSince);
  }

  async runInGroup<T>(group: string, work: () => Promise<T>): Promise<T> {
    // Who comes later waits behind those who wait, also in the group that is in: nobody is kept out for ever.
    if (this.#inside > 0 && (this.#group !== group || this.#waiting.length > 0)) {
      this.#waitingSince ??= performance.now();
      await new Promise<void>((go) => this.#waiting.push({ group, go }));
    } else this.#enter(group);
    try {
      return await work();
    } finally {
      this.#inside--;
      if (this.#inside === 0) this.#next();
    }
  }

  #enter(group: string): void {
    this.#group = group;
    this.#inside++;
  }

  #next(): void {
    const group = this.#waiting[0]?.group;
    if (group === undefined) return;
    for (const each of this.#waiting.splice(0)) {
      if (each.group !== group) this.#waiting.push(each);
      else {
        this.#enter(group);
        each.go();
      }
    }
    if (this.#waiting.length === 0 && this.#waitingSince !== null) {
      this.#waitedMs += performance.now() - this.#waitingSince;
      this.#waitingSince = null;
    }
  }
}
