import { DELIVERY_LIMIT_SECONDS } from '../../../shared/contract/resource-names.ts';
import { SimulatedProcess } from '../world/simulated-process.ts';
import { isProcessKilledError, type SimulatedWorld } from '../world/simulated-world.ts';

/** An invocation of the function that delivers. */
export interface DeliveryInvocation {
  readonly name: string;
  readonly assignmentUrl: string;
  readonly process: SimulatedProcess;
  isRunning: boolean;
}

export interface DeliveryFailedEvent {
  readonly 'detail-type': 'Lambda Function Invocation Result - Failure';
  readonly detail: Record<string, unknown>;
}

/** Lambda's invocations that nobody waits for, in memory: they wait for a moment, may come twice, may die, and of those that fail the bus is told. */
export class DeliveryInvocations {
  readonly invocations: DeliveryInvocation[] = [];
  readonly #world: SimulatedWorld;
  readonly #program: (delivery: DeliveryInvocation) => Promise<void>;
  readonly #failed: (event: DeliveryFailedEvent) => void;

  constructor(
    world: SimulatedWorld,
    program: (delivery: DeliveryInvocation) => Promise<void>,
    failed: (event: DeliveryFailedEvent) => void,
  ) {
    this.#world = world;
    this.#program = program;
    this.#failed = failed;
  }

  run(operation: string, input: Readonly<Record<string, unknown>>): Record<string, unknown> {
    if (operation !== 'InvokeCommand' || input['InvocationType'] !== 'Event')
      throw new Error(`the simulated Lambda has no ${operation} of ${String(input['InvocationType'])}`);
    const payload = JSON.parse(String(input['Payload'])) as { box: string; assignment_url: string };
    const one: DeliveryInvocation = {
      name: payload.box,
      assignmentUrl: payload.assignment_url,
      process: new SimulatedProcess(`delivery ${payload.box} #${this.invocations.length + 1}`),
      isRunning: true,
    };
    this.invocations.push(one);
    this.#world.clock.schedule(
      100 + ((this.invocations.length * 7_919) % 3_000),
      () => void this.#live(one, payload),
    );
    return { StatusCode: 202 };
  }

  async #live(one: DeliveryInvocation, requestPayload: unknown): Promise<void> {
    let why: string | null = null;
    await this.#world
      .runProcess(one.process, DELIVERY_LIMIT_SECONDS.run, () => this.#program(one))
      .catch((error: unknown) => {
        why = isProcessKilledError(error)
          ? 'Runtime exited'
          : error instanceof Error
            ? error.message
            : String(error);
      });
    one.process.end();
    one.isRunning = false;
    if (why === null) return;
    this.#world.logEvent(() => `delivery ${one.name} dies: ${why}`);
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
