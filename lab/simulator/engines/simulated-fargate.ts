import { CONTAINER_CPU, VCPU_QUOTA } from '../simulated-environment.ts';
import { SimulatedProcess } from '../world/simulated-process.ts';
import { isProcessKilledError, ServiceCallError, type SimulatedWorld } from '../world/simulated-world.ts';

/** A box that RunTask has started: what it was told, and how it stands. */
export interface SimulatedContainer {
  readonly name: string;
  readonly family: string;
  readonly assignmentUrl: string;
  readonly startedBy: string;
  readonly process: SimulatedProcess;
  isRunning: boolean;
  readonly pool: 'on_demand' | 'spot';
  /** When it ended and what ECS says of it. */
  ended: { readonly at: number; readonly of: Readonly<Record<string, unknown>> } | null;
}

const arnOf = ({ name }: SimulatedContainer): string => `arn:aws:ecs:us-east-1:000000000000:task/c/${name}`;
const cpuOf = (family: string): number => CONTAINER_CPU[family as keyof typeof CONTAINER_CPU].cpu;

export interface ContainerStoppedEvent {
  readonly 'detail-type': 'ECS Task State Change';
  readonly detail: Record<string, unknown>;
}

interface RunTask {
  readonly clientToken?: string;
  readonly startedBy?: string;
  readonly taskDefinition?: string;
  readonly capacityProviderStrategy?: unknown;
  readonly overrides?: {
    readonly containerOverrides?: readonly {
      readonly environment?: readonly { readonly name?: string; readonly value?: string }[];
    }[];
  };
}

/** Fargate in memory: client tokens, capacity, boxes that take their time to start and may die. */
export class SimulatedFargate {
  readonly containers: SimulatedContainer[] = [];
  readonly #tokens = new Map<string, { request: string; box: SimulatedContainer }>();
  readonly #world: SimulatedWorld;
  readonly #names: { readonly box: string; readonly url: string };
  /** Runs a box's program. */
  readonly #program: (box: SimulatedContainer) => Promise<void>;
  readonly #stopped: (event: ContainerStoppedEvent) => void;

  constructor(
    world: SimulatedWorld,
    names: { readonly box: string; readonly url: string },
    program: (box: SimulatedContainer) => Promise<void>,
    stopped: (event: ContainerStoppedEvent) => void,
  ) {
    this.#world = world;
    this.#names = names;
    this.#program = program;
    this.#stopped = stopped;
  }

  run(operation: string, input: Readonly<Record<string, unknown>>): Record<string, unknown> {
    if (operation === 'DescribeTasksCommand') return { tasks: this.#describe(input['tasks'] as string[]) };
    if (operation === 'StopTaskCommand') {
      this.containers.find((box) => arnOf(box) === input['task'])?.process.kill('was stopped');
      return {};
    }
    if (operation !== 'RunTaskCommand') throw new Error(`the simulated Fargate has no ${operation}`);
    return this.#start(input as RunTask);
  }

  #start(input: RunTask): Record<string, unknown> {
    const token = input.clientToken ?? '';
    const request = JSON.stringify(input);
    const known = this.#tokens.get(token);
    if (known && known.request !== request)
      throw Object.assign(
        new ServiceCallError('ConflictException', 'the client token was used for another request'),
        { resourceIds: [arnOf(known.box)] },
      );
    if (known) return { tasks: [{ taskArn: arnOf(known.box) }], failures: [] };
    const environment = input.overrides?.containerOverrides?.[0]?.environment ?? [];
    const value = (wanted: string): string => environment.find(({ name }) => name === wanted)?.value ?? '';
    const name = value(this.#names.box);
    const box: SimulatedContainer = {
      name,
      family: input.taskDefinition ?? '',
      assignmentUrl: value(this.#names.url),
      startedBy: input.startedBy ?? '',
      process: new SimulatedProcess(`box ${name}`),
      isRunning: true,
      ended: null,
      pool: input.capacityProviderStrategy ? 'spot' : 'on_demand',
    };
    if (!this.#hasRoom(box))
      this.#world.reportViolation(
        'launches stay under the quota',
        `${name} is asked for, and there is no room for it`,
      );
    const attempt = (each: string): string => each.slice(0, each.lastIndexOf('/'));
    const other = this.containers.find((each) => each.isRunning && attempt(each.name) === attempt(name));
    if (other)
      this.#world.reportViolation(
        'one box of an attempt at a time',
        `${name} starts while ${other.name} runs`,
      );
    this.#tokens.set(token, { request, box });
    this.containers.push(box);
    this.#world.logEvent(() => `box ${name} is being started`);
    // Fargate fetches an image for up to a minute.
    this.#world.clock.schedule(
      5_000 + ((this.containers.length * 7_919) % 25_000),
      () => void this.#live(box),
    );
    return { tasks: [{ taskArn: arnOf(box) }], failures: [] };
  }

  #hasRoom({ family, pool }: SimulatedContainer): boolean {
    const running = this.containers.filter((each) => each.isRunning && each.pool === pool);
    const used = running.reduce((sum, each) => sum + cpuOf(each.family), 0);
    return used + cpuOf(family) <= VCPU_QUOTA[pool];
  }

  /** What stopped a while ago is known no more. */
  #describe(arns: readonly string[]): Record<string, unknown>[] {
    return this.containers.flatMap((box) => {
      if (!arns.includes(arnOf(box))) return [];
      if (box.ended && this.#world.clock.now - box.ended.at > 3_600_000) return [];
      return [
        {
          taskArn: arnOf(box),
          lastStatus: box.ended ? 'STOPPED' : 'RUNNING',
          ...(box.ended && {
            stopCode: box.ended.of['stopCode'],
            stoppedReason: box.ended.of['stoppedReason'],
          }),
        },
      ];
    });
  }

  async #live(box: SimulatedContainer): Promise<void> {
    if (this.#world.isDown('ecs')) {
      box.process.end();
      box.isRunning = false;
      this.#world.logEvent(() => `box ${box.name} does not start`);
      this.#tell(box, {
        stopCode: 'TaskFailedToStart',
        stoppedReason: 'CannotPullContainerError: no connection',
      });
      return;
    }
    let exitCode = 0;
    let why = 'Essential container in task exited';
    await this.#world
      .runProcess(box.process, 6 * 3_600, () => this.#program(box))
      .catch((error: unknown) => {
        exitCode = isProcessKilledError(error) ? 137 : 1;
        why = error instanceof Error ? error.message : String(error);
      });
    box.process.end();
    box.isRunning = false;
    if (exitCode !== 0) this.#world.logEvent(() => `box ${box.name} dies: ${why}`);
    this.#tell(box, {
      stopCode: 'EssentialContainerExited',
      stoppedReason: why.slice(0, 200),
      containers: [{ exitCode }],
    });
  }

  #tell(box: SimulatedContainer, of: Record<string, unknown>): void {
    box.ended = { at: this.#world.clock.now, of };
    this.#stopped({
      'detail-type': 'ECS Task State Change',
      detail: {
        lastStatus: 'STOPPED',
        ...of,
        overrides: { containerOverrides: [{ environment: [{ name: this.#names.box, value: box.name }] }] },
      },
    });
  }
}
