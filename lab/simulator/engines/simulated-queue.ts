import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { SimulatedWorld } from '../world/simulated-world.ts';

/** As in infra/queues.ts. */
const VISIBILITY_SECONDS = 180;
const MAX_RECEIVES = 1_000;
const BATCH = 10;
/** Polls at once: more than one, so that a message which comes twice can be worked on twice. */
const POLLERS = 2;

interface Message {
  readonly id: string;
  readonly body: string;
  receives: number;
  visibleAt: number;
}

/** One queue and its event source mapping: at least once, in no order. */
export class SimulatedQueue {
  readonly name: string;
  readonly #world: SimulatedWorld;
  readonly #invoke: (event: SQSEvent) => Promise<SQSBatchResponse>;
  readonly #messages = new Map<string, Message>();
  readonly deadLetters: string[] = [];
  #made = 0;
  #polling = 0;

  constructor(world: SimulatedWorld, name: string, invoke: (event: SQSEvent) => Promise<SQSBatchResponse>) {
    this.#world = world;
    this.name = name;
    this.#invoke = invoke;
  }

  get isEmpty(): boolean {
    return this.#messages.size === 0;
  }

  send(body: string): { MessageId: string } {
    const id = `${this.name}-${++this.#made}`;
    this.#messages.set(id, { id, body, receives: 0, visibleAt: this.#world.clock.now });
    this.#wake(20);
    return { MessageId: id };
  }

  /** The receipt handle is the message's id and the number of its receive; an old one changes nothing. */
  changeVisibility(handle: string, seconds: number): void {
    const [id = '', receive] = handle.split('|');
    const message = this.#messages.get(id);
    if (!message || message.receives !== Number(receive)) return;
    message.visibleAt = this.#world.clock.now + seconds * 1_000;
    this.#wake(seconds * 1_000);
  }

  #wake(delay: number): void {
    this.#world.clock.schedule(delay + 1, () => this.#poll());
  }

  #poll(): void {
    if (this.#polling >= POLLERS) return;
    const now = this.#world.clock.now;
    const visible = [...this.#messages.values()].filter(({ visibleAt }) => visibleAt <= now).slice(0, BATCH);
    if (visible.length === 0) return;
    for (const message of visible) {
      message.receives++;
      message.visibleAt = now + VISIBILITY_SECONDS * 1_000;
      if (message.receives > MAX_RECEIVES) {
        this.#messages.delete(message.id);
        this.deadLetters.push(message.body);
      }
    }
    this.#polling++;
    void this.#deliver(visible.map((message) => ({ message, handle: `${message.id}|${message.receives}` })));
  }

  async #deliver(batch: readonly { message: Message; handle: string }[]): Promise<void> {
    const failed = await this.#invoke({
      Records: batch.map(({ message, handle }) => ({
        messageId: message.id,
        receiptHandle: handle,
        body: message.body,
        attributes: {
          ApproximateReceiveCount: String(message.receives),
          SentTimestamp: '0',
          SenderId: 'states',
          ApproximateFirstReceiveTimestamp: '0',
        },
        messageAttributes: {},
        md5OfBody: '',
        eventSource: 'aws:sqs',
        eventSourceARN: `arn:aws:sqs:us-east-1:000000000000:${this.name}`,
        awsRegion: 'us-east-1',
      })),
    }).then(
      (response) => new Set(response.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)),
      () => new Set(batch.map(({ message }) => message.id)),
    );
    this.#polling--;
    for (const { message, handle } of batch) {
      if (failed.has(message.id)) {
        // An own visibility timeout that the function has set stands.
        this.#wake(Math.max(0, message.visibleAt - this.#world.clock.now));
        continue;
      }
      // Deleting is a call too: when it goes wrong, the message comes again.
      void this.#world
        .callService(
          'sqs',
          () => `delete ${message.id}`,
          () => {
            if (handle === `${message.id}|${message.receives}`) this.#messages.delete(message.id);
          },
        )
        .catch(() => this.#wake(Math.max(0, message.visibleAt - this.#world.clock.now)));
    }
    this.#poll();
  }
}
