import type { AssayEvent } from '../../../shared/control/events/event-schemas.ts';

interface Entry {
  readonly DetailType: AssayEvent['name'];
  readonly Detail: string;
}

/** The bus: what was put on it, as text by the id that repeats have in common. */
export class SimulatedEventBus {
  readonly #seen = new Map<string, Set<string>>();

  put({ Entries }: Readonly<Record<string, unknown>>): unknown {
    const results = (Entries as readonly Entry[]).map(({ DetailType, Detail }, index) => {
      const { event_id } = JSON.parse(Detail) as { event_id: string };
      const texts = this.#seen.get(event_id) ?? new Set();
      this.#seen.set(event_id, texts.add(`${DetailType} ${Detail}`));
      return { EventId: String(index) };
    });
    return { FailedEntryCount: 0, Entries: results };
  }

  /** Everything that was said under each id. */
  get findEvents(): ReadonlyMap<string, ReadonlySet<string>> {
    return this.#seen;
  }
}
