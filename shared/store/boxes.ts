import { type ECSClient, ListTasksCommand, RunTaskCommand, StopTaskCommand } from '@aws-sdk/client-ecs';
import { BOX_ENV, CONTAINER_NAME } from '../names.ts';
import type { BoxKind } from '../task/attempt.ts';
import { sha256 } from '../tokens.ts';

/** There is no room for another container just now; the message goes back to the queue. */
export class NoCapacity extends Error {
  constructor(reason: string) {
    super(`no capacity: ${reason}`);
    this.name = 'NoCapacity';
  }
}

export interface BoxNetwork {
  readonly subnets: readonly string[];
  readonly securityGroups: readonly string[];
  readonly assignPublicIp: boolean;
}

/** ECS finds a box again by this: at most 36 characters. */
export const startedBy = (launch: string): string => sha256(launch).slice(0, 32);

const CAPACITY = /^(RESOURCE|AGENT|Capacity)|capacity|throttl|rate exceeded/i;

/** The containers. */
export class Boxes {
  readonly #ecs: ECSClient;
  readonly #cluster: string;
  readonly #network: BoxNetwork;

  constructor(ecs: ECSClient, cluster: string, network: BoxNetwork) {
    this.#ecs = ecs;
    this.#cluster = cluster;
    this.#network = network;
  }

  /**
   * Starts one box. `launch` names it (`launchName`): the client token made from it keeps a repeat from starting a second one.
   * Throws NoCapacity when it is worth trying later, an error otherwise.
   */
  async run(kind: BoxKind, family: string, launch: string, assignmentUrl: string): Promise<void> {
    const token = sha256(launch);
    const answer = await this.#ecs
      .send(
        new RunTaskCommand({
          cluster: this.#cluster,
          taskDefinition: family,
          clientToken: token,
          startedBy: startedBy(launch),
          launchType: 'FARGATE',
          count: 1,
          propagateTags: 'TASK_DEFINITION',
          networkConfiguration: {
            awsvpcConfiguration: {
              subnets: [...this.#network.subnets],
              securityGroups: [...this.#network.securityGroups],
              assignPublicIp: this.#network.assignPublicIp ? 'ENABLED' : 'DISABLED',
            },
          },
          overrides: {
            containerOverrides: [
              {
                name: CONTAINER_NAME[kind],
                environment: [
                  { name: BOX_ENV.assignmentUrl, value: assignmentUrl },
                  { name: BOX_ENV.box, value: launch },
                ],
              },
            ],
          },
        }),
      )
      .catch((error: unknown) => {
        if (error instanceof Error && (error.name === 'ThrottlingException' || CAPACITY.test(error.message)))
          throw new NoCapacity(error.message);
        // The same box was started before, with another presigned URL in its environment: it runs, and one is enough.
        if (error instanceof Error && error.name === 'ConflictException') return null;
        throw error;
      });
    const failure = answer?.failures?.[0];
    if (failure) {
      const reason = `${failure.reason ?? 'unknown'}${failure.detail ? `: ${failure.detail}` : ''}`;
      if (CAPACITY.test(reason)) throw new NoCapacity(reason);
      throw new Error(`RunTask failed: ${reason}`);
    }
  }

  /** Does a box of that name still run, or start? */
  async isRunning(launch: string): Promise<boolean> {
    return (await this.#running(launch)).length > 0;
  }

  /** Ends the boxes of that name: asks them to, and kills them after ECS's grace. */
  async stop(launch: string, reason: string): Promise<void> {
    for (const task of await this.#running(launch))
      await this.#ecs.send(new StopTaskCommand({ cluster: this.#cluster, task, reason }));
  }

  async #running(launch: string): Promise<readonly string[]> {
    const answer = await this.#ecs.send(
      new ListTasksCommand({
        cluster: this.#cluster,
        startedBy: startedBy(launch),
        desiredStatus: 'RUNNING',
      }),
    );
    return answer.taskArns ?? [];
  }
}
