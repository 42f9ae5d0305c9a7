import { DELIVERY_SECONDS } from '../../../shared/contract/names.ts';
import { Process } from '../world/processes.ts';
import { isKilled, type World } from '../world/world.ts';

/** An invocation of the function that delivers. */
export interface Delivery {
  readonly name: string;
  readonly assignmentUrl: string;
  readonly process: Process;
  isRunning: boolean;
}

export interface NotDelivered {
  readonly 'detail-type': 'Lambda Function Invocation Result - Failure';
  readonly detail: Record<string, unknown>;
}

/** Lambda's invocations that nobody waits for, in memory: they wait for a moment, may come twice, may die, and of those that fail the bus is told. */
export class Deliveries {
  readonly invocations: Delivery[] = [];
  readonly #world: World;
  readonly #program: (delivery: Delivery) => Promise<void>;
  readonly #failed: (event: NotDelivered) => void;

  constructor(
    world: World,
    program: (delivery: Delivery) => Promise<void>,
    failed: (event: NotDelivered) => void,
  ) {
    this.#world = world;
    this.#program = program;
    this.#failed = failed;
  }

  run(operation: string, input: Readonly<Record<string, unknown>>): Record<string, unknown> {
    if (operation !== 'InvokeCommand' || input['InvocationType'] !== 'Event')
      throw new Error(`the simulated Lambda has no ${operation} of ${String(input['InvocationType'])}`);
    const payload = JSON.parse(String(input['Payload'])) as { box: string; assignment_url: string };
    const one: Delivery = {
      name: payload.box,
      assignmentUrl: payload.assignment_url,
      process: new Process(`delivery ${payload.box} #${this.invocations.length + 1}`),
      isRunning: true,
    };
    this.invocations.push(one);
    this.#world.clock.after(
      100 + ((this.invocations.length * 7_919) % 3_000),
      () => void this.#live(one, payload),
    );
    return { StatusCode: 202 };
  }

  async #live(one: Delivery, requestPayload: unknown): Promise<void> {
    let why: string | null = null;
    await this.#world
      .run(one.process, DELIVERY_SECONDS.works, () => this.#program(one))
      .catch((error: unknown) => {
        why = isKilled(error) ? 'Runtime exited' : error instanceof Error ? error.message : String(error);
      });
    one.process.end();
    one.isRunning = false;
    if (why === null) return;
    this.#world.tell(() => `delivery ${one.name} dies: ${why}`);
    this.#failed({
      'detail-type': 'Lambda Function Invocation Result - Failure',
      detail: {
        requestContext: { condition: 'RetriesExhausted' },
        requestPayload,
        responsePayload: { errorType: 'Error', errorMessage: why },
      },
    });
  }
}
