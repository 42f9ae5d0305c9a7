import { ECSClient } from '@aws-sdk/client-ecs';
import { SFNClient } from '@aws-sdk/client-sfn';
import type { Context } from 'aws-lambda';
import * as z from 'zod';
import { CONTAINER_ENV_NAMES, FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { START_GRACE_SECONDS } from '../../shared/control/task-commands/deadline.ts';
import { DailyMetricsStore } from '../../shared/store/daily-metrics.ts';
import { DeadlineStore } from '../../shared/store/deadlines.ts';
import { EcsContainerClient } from '../../shared/store/ecs-containers.ts';
import { readRequiredEnv } from '../../shared/store/env.ts';
import { FileLockStore } from '../../shared/store/file-locks.ts';
import { HeartbeatStore } from '../../shared/store/heartbeats.ts';
import { ModelSpendStore } from '../../shared/store/model-spend.ts';
import { RoleLearningStore } from '../../shared/store/role-learning.ts';
import { RunningContainerStore } from '../../shared/store/running-containers.ts';
import { StepFunctionsClient } from '../../shared/store/state-machines.ts';
import { TaskCountStore } from '../../shared/store/task-counts.ts';
import { TaskStore } from '../../shared/store/task-store.ts';
import { SettingTuningStore } from '../../shared/store/tuning-state.ts';
import { WorkRequestStore } from '../../shared/store/work-requests.ts';
import {
  parseContainerName,
  recordContainerStop,
} from '../../shared/use-cases/containers/container-stopped.ts';
import {
  type ReconcileContainersContext,
  reconcileContainers,
} from '../../shared/use-cases/containers/reconcile-containers.ts';
import { type ReconcileContext, reconcileTasks } from '../../shared/use-cases/operate/reconcile-tasks.ts';
import { runAutomaticTuning } from '../../shared/use-cases/operate/tune-settings.ts';
import { createVerifiedCompletionMetrics } from '../runtime/completion-metrics.ts';
import { readCascadePolicy, readContainerCapacity, readTierModels } from '../runtime/config.ts';
import { withErrorLogging } from '../runtime/log-context.ts';
import { logger } from '../runtime/logger.ts';
import { openTable } from '../runtime/open-table.ts';

const items = openTable();
const tasks = new TaskStore(items);
const deadlines = new DeadlineStore(items);
const locks = new FileLockStore(items, tasks);
const counts = new TaskCountStore(items);
const beats = new HeartbeatStore(items);
const requests = new WorkRequestStore(items);
const beliefs = new RoleLearningStore(items);
const spend = new ModelSpendStore(items);
const tuning = new SettingTuningStore(items);
const figures = new DailyMetricsStore(items);
const policy = readCascadePolicy();
const models = readTierModels();
const register = new RunningContainerStore(items, readContainerCapacity().limits);
const completions = createVerifiedCompletionMetrics();
const context: Omit<
  ReconcileContext & ReconcileContainersContext,
  'graceSeconds' | 'isAfterRestart' | 'hasTimeLeft'
> = {
  tasks,
  register,
  locks,
  counts,
  beliefs,
  spend,
  onCompletion: completions.onCompletion,
  deadlines,
  heartbeats: beats,
  workRequests: requests,
  containers: new EcsContainerClient(new ECSClient({}), readRequiredEnv(FUNCTION_ENV_NAMES.cluster), {
    subnets: [],
    securityGroups: [],
    assignPublicIp: false,
  }),
  stateMachines: new StepFunctionsClient(new SFNClient({})),
  cascadeMachineArn: readRequiredEnv(FUNCTION_ENV_NAMES.cascadeMachine),
  now: () => new Date(),
};

/** What must be left of the invocation's time, in milliseconds, for another ten tasks to be looked at. */
const RESERVE_MS = 5_000;

const Schedule = z.object({
  kind: z.literal('schedule'),
  /** 0, after a start: no box and no execution has outlived the stop, so all that is under way is looked at now. */
  grace_seconds: z.literal(0).optional(),
});
const EcsTaskStopped = z.object({
  'detail-type': z.literal('ECS Task State Change'),
  detail: z.object({
    stopCode: z.string().default(''),
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

/** A destination of Lambda: an invocation that nobody waits for has not ended well, or has waited for too long. */
const DeliveryFailed = z.object({
  'detail-type': z.literal('Lambda Function Invocation Result - Failure'),
  detail: z.object({
    requestContext: z.object({ condition: z.string() }),
    requestPayload: z.object({ launch_name: z.string() }),
    responsePayload: z
      .object({ errorType: z.string().optional(), errorMessage: z.string().optional() })
      .nullish(),
  }),
});

/** What a delivery was lost by. One that was never begun is nobody's failure, as with a box that did not start. */
function deliveryFailureReason({ detail }: z.infer<typeof DeliveryFailed>): {
  stopCode: string;
  why: string;
} {
  const { requestContext, responsePayload } = detail;
  if (requestContext.condition === 'EventAgeExceeded')
    return {
      stopCode: 'TaskFailedToStart',
      why: 'the delivery has waited for too long in the queue of Lambda',
    };
  const said = [responsePayload?.errorType, responsePayload?.errorMessage].filter(Boolean).join(': ');
  return { stopCode: '', why: ['the delivery ended without a report', said].filter(Boolean).join('; ') };
}

function stopReason({ detail }: z.infer<typeof EcsTaskStopped>): string {
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

/** Runs on a schedule over the tasks that are due, and at once for a box that has stopped. */
export const handler = withErrorLogging(
  async (event: unknown, lambda: Pick<Context, 'getRemainingTimeInMillis'>): Promise<unknown> => {
    const stopped = EcsTaskStopped.safeParse(event);
    if (stopped.success) {
      const environment = stopped.data.detail.overrides.containerOverrides.flatMap(
        (each) => each.environment ?? [],
      );
      const box = environment.find(({ name }) => name === CONTAINER_ENV_NAMES.launchName)?.value;
      return {
        lost:
          box === undefined
            ? false
            : await recordContainerStop(box, stopped.data.detail.stopCode, stopReason(stopped.data), context),
      };
    }
    const failed = DeliveryFailed.safeParse(event);
    if (failed.success) {
      const { launch_name: box } = failed.data.detail.requestPayload;
      const { stopCode, why } = deliveryFailureReason(failed.data);
      return {
        lost:
          parseContainerName(box)?.kind === 'deliver' &&
          (await recordContainerStop(box, stopCode, why, context)),
      };
    }
    const { grace_seconds } = Schedule.parse(event);
    const round = {
      ...context,
      graceSeconds: grace_seconds ?? START_GRACE_SECONDS,
      isAfterRestart: grace_seconds === 0,
      hasTimeLeft: () => lambda.getRemainingTimeInMillis() > RESERVE_MS,
    };
    const swept = await reconcileContainers(round).catch((error: unknown) => ({
      containers: null,
      failed: [String(error)],
    }));
    if (swept.failed.length > 0) logger.error('some boxes could not be looked at', { failed: swept.failed });
    const result = await reconcileTasks(round);
    completions.publish();
    if (result.failed.length > 0)
      logger.error('some tasks could not be put right', { failed: result.failed });
    const evolving = {
      tuning,
      beliefs,
      taskCounts: counts,
      dailyMetrics: figures,
      models,
      policy,
      now: new Date(),
    };
    const evolved = await runAutomaticTuning(evolving).catch((error: unknown) => {
      logger.error('the settings could not be looked at', { error });
      return null;
    });
    return { ...result, boxes: swept.containers, evolved };
  },
);
