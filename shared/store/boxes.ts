import { type ECSClient, ListTasksCommand, RunTaskCommand, StopTaskCommand } from '@aws-sdk/client-ecs';
import { BOX_ENV, CONTAINER_NAME } from '../names.ts';
import type { BoxKind } from '../task/attempt.ts';
import { sha256 } from '../tokens.ts';
import { NotStarted, whyNotStarted } from './run-task-answers.ts';

export interface BoxNetwork {
  readonly subnets: readonly string[];
  readonly securityGroups: readonly string[];
  readonly assignPublicIp: boolean;
}

/** ECS finds a box again by this: at most 36 characters. */
export const startedBy = (launch: string): string => sha256(launch).slice(0, 32);

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
   * Throws NotStarted.
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
        const { name, message } = error instanceof Error ? error : new Error(String(error));
        // The same box was started before, with another presigned URL in its environment: it runs, and one is enough.
        if (name === 'ConflictException') return null;
        throw new NotStarted(whyNotStarted([name, message]), `${name}: ${message}`);
      });
    const failure = answer?.failures?.[0];
    if (!failure) return;
    const texts = [failure.reason, failure.detail].filter((text) => text !== undefined);
    throw new NotStarted(whyNotStarted(texts), texts.join(': ') || 'no reason was given');
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
