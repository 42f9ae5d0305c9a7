import { ECSClient } from '@aws-sdk/client-ecs';
import middy from '@middy/core';
import * as z from 'zod';
import { BOX_ENV, ENV } from '../../shared/names.ts';
import { Boxes } from '../../shared/store/boxes.ts';
import { requireEnv } from '../../shared/store/env.ts';
import { Machines, sfnClient } from '../../shared/store/machines.ts';
import { boxStopped, type ReconcileContext, reconcile } from '../../shared/use-cases/reconcile.ts';
import { stores } from '../kit/dynamodb.ts';
import { logger } from '../kit/logger.ts';

const { tasks } = stores();
const context: Omit<ReconcileContext, 'graceSeconds'> = {
  tasks,
  boxes: new Boxes(new ECSClient({}), requireEnv(ENV.cluster), {
    subnets: [],
    securityGroups: [],
    assignPublicIp: false,
  }),
  machines: new Machines(sfnClient()),
  cascadeMachine: requireEnv(ENV.cascadeMachine),
  now: () => new Date(),
};

/** Seconds that a start may take before its absence means that it is lost: Fargate pulls images for a minute or two, which counts as running. */
const GRACE_SECONDS = 30;

const Schedule = z.object({
  kind: z.literal('schedule'),
  grace_seconds: z.number().nonnegative().optional(),
});
const Stopped = z.object({
  'detail-type': z.literal('ECS Task State Change'),
  detail: z.object({
    stoppedReason: z.string().optional(),
    containers: z
      .array(z.object({ exitCode: z.number().optional(), reason: z.string().optional() }))
      .optional(),
    overrides: z.object({
      containerOverrides: z.array(
        z.object({ environment: z.array(z.object({ name: z.string(), value: z.string() })).optional() }),
      ),
    }),
  }),
});

function whyStopped({ detail }: z.infer<typeof Stopped>): string {
  const [container] = detail.containers ?? [];
  return [
    'the container stopped without a report',
    detail.stoppedReason,
    container?.reason,
    container?.exitCode === undefined ? null : `exit code ${container.exitCode}`,
  ]
    .filter(Boolean)
    .join('; ');
}

/** Runs on a schedule over all unfinished tasks, and at once for a box of which ECS says that it has stopped. */
export const handler = middy<unknown, unknown>().handler(async (event) => {
  const stopped = Stopped.safeParse(event);
  if (stopped.success) {
    const environment = stopped.data.detail.overrides.containerOverrides.flatMap(
      (each) => each.environment ?? [],
    );
    const box = environment.find(({ name }) => name === BOX_ENV.box)?.value;
    return { lost: box === undefined ? false : await boxStopped(box, whyStopped(stopped.data), context) };
  }
  const { grace_seconds } = Schedule.parse(event);
  const result = await reconcile({ ...context, graceSeconds: grace_seconds ?? GRACE_SECONDS });
  if (result.failed.length > 0) logger.error('some tasks could not be put right', { failed: result.failed });
  return result;
});
