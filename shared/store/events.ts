import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { type AssayEvent, EVENT_SOURCE } from '../events/schema.ts';

/** PutEvents takes so many at a time. */
const MOST = 10;
/** Tries of what the bus has refused by itself, before everything is to come again. */
const TRIES = 3;

/** The bus of the deployment. */
export class EventPublisher {
  readonly #client: EventBridgeClient;
  readonly #bus: string;

  constructor(client: EventBridgeClient, bus: string) {
    this.#client = client;
    this.#bus = bus;
  }

  /** Resolves when the bus has taken all of them; throws when it has not, so that they are put again: each may come more than once. */
  async put(events: readonly AssayEvent[]): Promise<void> {
    for (let from = 0; from < events.length; from += MOST)
      await this.#putSome(events.slice(from, from + MOST));
  }

  async #putSome(events: readonly AssayEvent[]): Promise<void> {
    let left = events;
    let why = '';
    for (let attempt = 0; attempt < TRIES && left.length > 0; attempt++) {
      const { Entries = [] } = await this.#client.send(
        new PutEventsCommand({
          Entries: left.map(({ name, detail }) => ({
            EventBusName: this.#bus,
            Source: EVENT_SOURCE,
            DetailType: name,
            Detail: JSON.stringify(detail),
            Time: new Date(detail.at),
          })),
        }),
      );
      // The answer has an entry for each of the request, in its order.
      why =
        Entries.map(({ ErrorCode, ErrorMessage }) => ErrorCode && `${ErrorCode}: ${ErrorMessage}`).find(
          Boolean,
        ) ?? '';
      left = left.filter((_, index) => Entries[index]?.EventId === undefined);
    }
    if (left.length > 0)
      throw new Error(
        `the bus has not taken ${left.map(({ detail }) => detail.event_id).join(', ')}: ${why}`,
      );
  }
}
