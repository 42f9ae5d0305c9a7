/** Something that will happen. Background events alone keep no run going: a schedule that ticks for ever, a time limit of hours. */
interface ScheduledEvent {
  readonly at: number;
  readonly order: number;
  readonly background: boolean;
  readonly fire: () => void;
  cancelled: boolean;
}

const before = (a: ScheduledEvent, b: ScheduledEvent): boolean =>
  a.at < b.at || (a.at === b.at && a.order < b.order);

/** Virtual time in milliseconds since 1970, and what is to happen in it: a binary heap, first in first out at the same instant. */
export class VirtualClock {
  now: number;
  fired = 0;
  #foreground = 0;
  #order = 0;
  readonly #heap: ScheduledEvent[] = [];

  constructor(start: number) {
    this.now = start;
  }

  /** Calls `fire` in `milliseconds`. Answers with what calls that off. */
  schedule(milliseconds: number, fire: () => void, background = false): () => void {
    const event: ScheduledEvent = {
      at: this.now + Math.max(0, milliseconds),
      order: this.#order++,
      background,
      fire,
      cancelled: false,
    };
    this.#push(event);
    if (!background) this.#foreground++;
    return () => {
      if (event.cancelled) return;
      event.cancelled = true;
      if (!background) this.#foreground--;
    };
  }

  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.schedule(milliseconds, resolve);
    });
  }

  /** True while something other than background events is to come. */
  get isBusy(): boolean {
    return this.#foreground > 0;
  }

  /** Fires the next event. False when there is none. */
  step(): boolean {
    for (;;) {
      const event = this.#pop();
      if (!event) return false;
      if (event.cancelled) continue;
      event.cancelled = true;
      if (!event.background) this.#foreground--;
      this.now = Math.max(this.now, event.at);
      this.fired++;
      event.fire();
      return true;
    }
  }

  #push(event: ScheduledEvent): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(event);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent] as ScheduledEvent;
      if (!before(event, above)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = event;
  }

  #pop(): ScheduledEvent | undefined {
    const heap = this.#heap;
    const top = heap[0];
    const last = heap.pop();
    if (!top || !last || heap.length === 0) return top;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1] as ScheduledEvent, heap[child] as ScheduledEvent))
        child++;
      const below = heap[child] as ScheduledEvent;
      if (!before(below, last)) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = last;
    return top;
  }
}
