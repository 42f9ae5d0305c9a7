import { Process } from '../world/processes.ts';
import { isKilled, OutsideError, type World } from '../world/world.ts';

/** A box that RunTask has started: what it was told, and how it stands. */
export interface Box {
  readonly name: string;
  readonly family: string;
  readonly assignmentUrl: string;
  readonly startedBy: string;
  readonly process: Process;
  isRunning: boolean;
}

export interface BoxStopped {
  readonly 'detail-type': 'ECS Task State Change';
  readonly detail: Record<string, unknown>;
}

interface RunTask {
  readonly clientToken?: string;
  readonly startedBy?: string;
  readonly taskDefinition?: string;
  readonly overrides?: {
    readonly containerOverrides?: readonly {
      readonly environment?: readonly { readonly name?: string; readonly value?: string }[];
    }[];
  };
}

/** Fargate in memory: client tokens, capacity, boxes that take their time to start and may die. */
export class Containers {
  readonly boxes: Box[] = [];
  readonly #tokens = new Map<string, { request: string; box: Box }>();
  readonly #world: World;
  readonly #names: { readonly box: string; readonly url: string };
  /** Runs a box's program. */
  readonly #program: (box: Box) => Promise<void>;
  readonly #stopped: (event: BoxStopped) => void;

  constructor(
    world: World,
    names: { readonly box: string; readonly url: string },
    program: (box: Box) => Promise<void>,
    stopped: (event: BoxStopped) => void,
  ) {
    this.#world = world;
    this.#names = names;
    this.#program = program;
    this.#stopped = stopped;
  }

  run(operation: string, input: Readonly<Record<string, unknown>>): Record<string, unknown> {
    if (operation === 'ListTasksCommand')
      return {
        taskArns: this.boxes
          .filter((box) => box.isRunning && box.startedBy === input['startedBy'])
          .map(({ name }) => `arn:aws:ecs:us-east-1:000000000000:task/c/${name}`),
      };
    if (operation !== 'RunTaskCommand') throw new Error(`the simulated Fargate has no ${operation}`);
    return this.#start(input as RunTask);
  }

  #start(input: RunTask): Record<string, unknown> {
    const token = input.clientToken ?? '';
    const request = JSON.stringify(input);
    const known = this.#tokens.get(token);
    if (known && known.request !== request)
      throw new OutsideError('ConflictException', 'the client token was used for another request');
    if (known) return { tasks: [{}], failures: [] };
    const environment = input.overrides?.containerOverrides?.[0]?.environment ?? [];
    const value = (wanted: string): string => environment.find(({ name }) => name === wanted)?.value ?? '';
    const name = value(this.#names.box);
    const box: Box = {
      name,
      family: input.taskDefinition ?? '',
      assignmentUrl: value(this.#names.url),
      startedBy: input.startedBy ?? '',
      process: new Process(`box ${name}`),
      isRunning: true,
    };
    const attempt = (each: string): string => each.slice(0, each.lastIndexOf('/'));
    const other = this.boxes.find((each) => each.isRunning && attempt(each.name) === attempt(name));
    if (other)
      this.#world.violate('one box of an attempt at a time', `${name} starts while ${other.name} runs`);
    this.#tokens.set(token, { request, box });
    this.boxes.push(box);
    this.#world.tell(() => `box ${name} is being started`);
    // Fargate fetches an image for up to a minute.
    this.#world.clock.after(5_000 + ((this.boxes.length * 7_919) % 25_000), () => void this.#live(box));
    return { tasks: [{}], failures: [] };
  }

  async #live(box: Box): Promise<void> {
    if (this.#world.isDown('ecs')) {
      box.process.end();
      box.isRunning = false;
      this.#world.tell(() => `box ${box.name} does not start`);
      this.#tell(box, {
        stopCode: 'TaskFailedToStart',
        stoppedReason: 'CannotPullContainerError: no connection',
      });
      return;
    }
    let exitCode = 0;
    let why = 'Essential container in task exited';
    await this.#world
      .run(box.process, 6 * 3_600, () => this.#program(box))
      .catch((error: unknown) => {
        exitCode = isKilled(error) ? 137 : 1;
        why = error instanceof Error ? error.message : String(error);
      });
    box.process.end();
    box.isRunning = false;
    if (exitCode !== 0) this.#world.tell(() => `box ${box.name} dies: ${why}`);
    this.#tell(box, {
      stopCode: 'EssentialContainerExited',
      stoppedReason: why.slice(0, 200),
      containers: [{ exitCode }],
    });
  }

  #tell(box: Box, of: Record<string, unknown>): void {
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
