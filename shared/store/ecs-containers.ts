import {
  DescribeTasksCommand,
  type ECSClient,
  RunTaskCommand,
  type RunTaskCommandInput,
  StopTaskCommand,
} from '@aws-sdk/client-ecs';
import type { ContainerKind } from '../contract/launch-kind.ts';
import { CONTAINER_ENV_NAMES, ECS_CONTAINER_NAMES } from '../contract/resource-names.ts';
import type { FargatePool } from '../control/admission/container-capacity.ts';
import { sha256 } from '../lib/sha256.ts';
import { classifyLaunchError, LaunchError } from './launch-error.ts';

export interface ContainerNetwork {
  readonly subnets: readonly string[];
  readonly securityGroups: readonly string[];
  readonly assignPublicIp: boolean;
}

/** ECS finds a box again by this: at most 36 characters. */
export const startedByTag = (launch: string): string => sha256(launch).slice(0, 32);

export interface ContainerState {
  readonly isStopped: boolean;
  readonly stopCode: string;
  readonly reason: string;
}

/** RunTask takes one or the other. */
const whereToRun = (
  pool: FargatePool,
): Pick<RunTaskCommandInput, 'launchType' | 'capacityProviderStrategy'> =>
  pool === 'spot'
    ? { capacityProviderStrategy: [{ capacityProvider: 'FARGATE_SPOT', weight: 1 }] }
    : { launchType: 'FARGATE' };

/** The containers. */
export class EcsContainerClient {
  readonly #ecs: ECSClient;
  readonly #cluster: string;
  readonly #network: ContainerNetwork;

  constructor(ecs: ECSClient, cluster: string, network: ContainerNetwork) {
    this.#ecs = ecs;
    this.#cluster = cluster;
    this.#network = network;
  }

  /**
   * Starts one box, and answers the ARN of its task. `launch` names it (`launchName`): the client token made from it keeps a repeat from
   * starting a second one. Null: it was started before, and ECS does not say as what. Throws LaunchError.
   */
  async run(
    kind: ContainerKind,
    family: string,
    launch: string,
    assignmentUrl: string,
    pool: FargatePool,
  ): Promise<string | null> {
    const token = sha256(launch);
    const answer = await this.#ecs
      .send(
        new RunTaskCommand({
          cluster: this.#cluster,
          taskDefinition: family,
          clientToken: token,
          startedBy: startedByTag(launch),
          ...whereToRun(pool),
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
                name: ECS_CONTAINER_NAMES[kind],
                environment: [
                  { name: CONTAINER_ENV_NAMES.assignmentUrl, value: assignmentUrl },
                  { name: CONTAINER_ENV_NAMES.launchName, value: launch },
                ],
              },
            ],
          },
        }),
      )
      .catch((error: unknown) => {
        const { name, message } = error instanceof Error ? error : new Error(String(error));
        // The same box was started before, with another presigned URL in its environment: it runs, and one is enough.
        if (name === 'ConflictException')
          return { failures: [], tasks: [{ taskArn: taskOf(error) ?? undefined }] };
        throw new LaunchError(classifyLaunchError([name, message]), `${name}: ${message}`);
      });
    const failure = answer.failures?.[0];
    if (!failure) return answer.tasks?.[0]?.taskArn ?? null;
    const texts = [failure.reason, failure.detail].filter((text) => text !== undefined);
    throw new LaunchError(classifyLaunchError(texts), texts.join(': ') || 'no reason was given');
  }

  /** What ECS says of up to a hundred tasks, by ARN. One that it does not know, or not any more, is not among them. */
  async describe(arns: readonly string[]): Promise<ReadonlyMap<string, ContainerState>> {
    const answer = await this.#ecs.send(
      new DescribeTasksCommand({ cluster: this.#cluster, tasks: [...arns] }),
    );
    return new Map(
      (answer.tasks ?? []).flatMap(({ taskArn, lastStatus, stopCode, stoppedReason }) =>
        taskArn
          ? [
              [
                taskArn,
                {
                  isStopped: lastStatus === 'STOPPED',
                  stopCode: stopCode ?? '',
                  reason: stoppedReason ?? 'ECS gives no reason',
                },
              ],
            ]
          : [],
      ),
    );
  }

  /** Ends a box: asks it to, and kills it after ECS's grace. */
  async stop(arn: string, reason: string): Promise<void> {
    await this.#ecs.send(new StopTaskCommand({ cluster: this.#cluster, task: arn, reason }));
  }
}

/** The ARN of the task that took the token of a request which ECS calls a conflict. */
function taskOf(error: unknown): string | null {
  const ids: unknown = error instanceof Error && 'resourceIds' in error ? error.resourceIds : null;
  const [first] = Array.isArray(ids) ? ids : [];
  return typeof first === 'string' && first !== '' ? first : null;
}
