import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { type AssayEvent, EVENT_SOURCE } from '../control/events/event-schemas.ts';
import type { PublishedRecordEvent } from '../control/events/record-events.ts';

/** PutEvents takes so many at a time. */
const MAX_ENTRIES = 10;
/** Bytes of details at a time: PutEvents takes 256 KiB with all that belongs to them. */
const MAX_DETAIL_BYTES = 200_000;
/** Tries of what the bus has refused by itself, before everything is to come again. */
const TRIES = 3;

type PublishedEvent = AssayEvent | PublishedRecordEvent;

/** Parts that PutEvents takes at a time. */
function batchesOf(events: readonly PublishedEvent[]): PublishedEvent[][] {
  const all: PublishedEvent[][] = [];
  let room = 0;
  for (const event of events) {
    const bytes = Buffer.byteLength(JSON.stringify(event.detail));
    const last = all.at(-1);
    if (!last || last.length === MAX_ENTRIES || bytes > room) {
      all.push([event]);
      room = MAX_DETAIL_BYTES - bytes;
    } else {
      last.push(event);
      room -= bytes;
    }
  }
  return all;
}

/** The bus of the deployment. */
export class EventPublisher {
  readonly #client: EventBridgeClient;
  readonly #bus: string;

  constructor(client: EventBridgeClient, bus: string) {
    this.#client = client;
    this.#bus = bus;
  }

  /** Resolves when the bus has taken all of them; throws when it has not, so that they are put again: each may come more than once. */
  async publish(events: readonly PublishedEvent[]): Promise<void> {
    for (const part of batchesOf(events)) await this.#putSome(part);
  }

  async #putSome(events: readonly PublishedEvent[]): Promise<void> {
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
