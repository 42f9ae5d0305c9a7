import { CONTAINER_OF_LAUNCH, type ContainerKind, type LaunchKind } from '../../contract/launch-kind.ts';
import type { LaunchMessage } from '../../contract/messages/step-messages.ts';
import type { Attempt, ContainerLaunch } from '../../contract/task/attempt.ts';
import { containerLaunchName, type Task } from '../../contract/task/task.ts';
import { hashSubmitterName } from '../../control/admission/admission-control.ts';
import { type ContainerCapacity, chooseFargatePool } from '../../control/admission/container-capacity.ts';
import { requireBaseCommit } from '../../control/task-commands/base-commit.ts';
import { determineCascadeStage } from '../../control/task-commands/cascade-stage.ts';
import { recordDeliveryRefusal } from '../../control/task-commands/deliver.ts';
import {
  failTaskOnRefusedLaunch,
  hasContainerReported,
  postponeLaunch,
  recordLaunch,
  stopLaunching,
} from '../../control/task-commands/launch.ts';
import { countLostLaunches, findLaunchGiveUpReason } from '../../control/task-commands/launch-limits.ts';
import { recordVerificationFailure } from '../../control/task-commands/record-verification.ts';
import { recordContainerLost } from '../../control/task-commands/recover.ts';
import { sha256 } from '../../lib/sha256.ts';
import { CredentialUnavailableError } from '../../store/credential-provider.ts';
import type { DeliveryInvoker } from '../../store/delivery-invoker.ts';
import type { EcsContainerClient } from '../../store/ecs-containers.ts';
import { LaunchError } from '../../store/launch-error.ts';
import type { LaunchStore } from '../../store/launches.ts';
import type { RunningContainerEntry, RunningContainerStore } from '../../store/running-containers.ts';
import type { TaskStore } from '../../store/task-store.ts';
import {
  type ContainerAssignmentContext,
  renewAssignmentUrls,
  writeContainerAssignment,
} from './write-assignment.ts';

export interface LaunchContext extends ContainerAssignmentContext {
  readonly tasks: TaskStore;
  readonly containers: EcsContainerClient;
  readonly deliveries: DeliveryInvoker;
  readonly launches: LaunchStore;
  readonly register: RunningContainerStore;
  readonly capacity: ContainerCapacity;
  readonly taskDefinitionFamilies: Record<ContainerKind, string>;
  /** Of boxes from another image than the usual one, by its name. */
  readonly familiesByImage?: Readonly<Record<string, Readonly<Record<'agent' | 'gates', string>>>>;
  /** How often the message has come, this time included. */
  readonly receiveCount: number;
  /** Seconds until the message comes again when there is no room for the box. */
  readonly backoffSeconds: number;
  readonly now: Date;
}

/** That there will be no box is a result too: a person, or the retry limit, has the next word. */
async function abandonLaunch(
  message: LaunchMessage,
  failure: 'container_lost' | 'launch_refused',
  why: string,
  context: LaunchContext,
): Promise<'given_up'> {
  // Loaded only here: few functions that know how to launch ever give a challenger up.
  const { recordChallengeWithoutAnswer } = await import('../../control/task-commands/record-challenge.ts');
  await context.tasks.applyCommand(message.task_id, (task) => {
    if (message.kind === 'agent') return failTaskOnRefusedLaunch(task, message.attempt, why, context.now);
    if (message.kind === 'gates')
      return recordVerificationFailure(task, message.attempt, failure, why, context.now);
    if (message.kind === 'challenger')
      return recordChallengeWithoutAnswer(
        task,
        message.attempt,
        failure === 'container_lost' ? 'lost' : 'refused',
        why,
        context.now,
      );
    // Leave to push was given to an earlier one: the repository is asked what became of it.
    if (task.delivery?.state === 'pushing')
      return stopLaunching(task, message.attempt, 'deliver', context.now);
    const work = {
      base_commit: requireBaseCommit(task),
      tree: task.attempts.at(-1)?.artifact?.tree ?? '',
    };
    return recordDeliveryRefusal(task, message.attempt, work, why, context.now);
  });
  return 'given_up';
}

function abandonReason(
  kind: LaunchKind,
  attempt: Attempt,
  failure: 'container_lost' | 'launch_refused',
): string {
  const launch = attempt[kind];
  const nouns = kind === 'deliver' ? 'deliveries' : `${kind} containers`;
  return failure === 'container_lost'
    ? `${launch ? countLostLaunches(launch) : 0} ${nouns} were lost without a report`
    : `${launch?.excused_losses ?? 0} ${nouns} did not start or were taken away; the last: ${attempt.progress?.message ?? 'no reason is known'}`;
}

/**
 * Finds the launch that an earlier delivery of this message recorded, or records one: first its assignment, then an item of its own, then the
 * write of the task that makes it count. Null: the container has reported in the meantime, by what an earlier message gave it.
 * @param present the launch to use again; null: a new one is recorded, with this number
 * @throws LaunchError if the task then names a launch that the dispatcher has not made
 */
async function findOrRecordLaunch(
  message: LaunchMessage,
  task: Task,
  attempt: Attempt,
  present: ContainerLaunch | null,
  number: number,
  context: LaunchContext,
): Promise<ContainerLaunch | null> {
  const earlier = attempt[message.kind];
  let launch: ContainerLaunch;
  if (present) {
    launch = present;
    await renewAssignmentUrls(launch.assignment_key, message.kind, task, attempt, context);
  } else {
    const { key, token, modelToken } = await writeContainerAssignment(message.kind, task, attempt, context);
    launch = {
      number,
      token_sha256: sha256(token),
      model_token_sha256: message.kind === 'deliver' ? null : modelToken && sha256(modelToken),
      assignment_key: key,
      lost: false,
      ...(earlier?.excused_losses && { excused_losses: earlier.excused_losses }),
      ...(earlier?.earlier_launches && { earlier_launches: earlier.earlier_launches }),
      launched_at: context.now.toISOString(),
    };
    await context.launches.record(task.id, message.attempt, message.kind, launch, context.now);
  }
  const written = await context.tasks.applyCommand(task, (each) =>
    hasContainerReported(each, message.attempt, message.kind)
      ? null
      : recordLaunch(each, message.attempt, message.kind, launch, context.now),
  );
  if (hasContainerReported(written, message.attempt, message.kind)) return null;
  const named = written.attempts.at(-1)?.[message.kind] ?? launch;
  const isOurs = named.token_sha256 === launch.token_sha256 && named.assignment_key === launch.assignment_key;
  if (isOurs || (await context.launches.isRecorded(task.id, message.attempt, message.kind, named)))
    return named;
  throw new LaunchError('unknown', forgedLaunchReason(task, message, named));
}

const forgedLaunchReason = (task: Task, { kind }: LaunchMessage, { number }: ContainerLaunch): string =>
  `task ${task.id} names ${kind} launch ${number}, which the dispatcher has not made; another is launched`;

/** Returns the launch that a message repeats; null: there is none, it is lost, or it is not the dispatcher's. */
async function findRepeatedLaunch(
  message: LaunchMessage,
  task: Task,
  present: ContainerLaunch | null,
  { launches }: LaunchContext,
): Promise<ContainerLaunch | null> {
  if (!present || present.lost) return null;
  if (await launches.isRecorded(task.id, message.attempt, message.kind, present)) return present;
  return null;
}

/** What a box is started from; undefined: the deployment has lost it. What runs the agent's work also judges it. */
const taskDefinitionFamily = (
  kind: ContainerKind,
  { image }: Task,
  context: LaunchContext,
): string | undefined =>
  image === undefined ? context.taskDefinitionFamilies[kind] : context.familiesByImage?.[image]?.[kind];

const hasChallenger = ({ modelGateway }: LaunchContext): boolean =>
  modelGateway?.metersUsage === true && modelGateway.judges.challenger !== undefined;

/** Where a task stands that waits for a box of each kind. */
export const LAUNCH_STAGES = {
  agent: 'run_agent',
  gates: 'run_gates',
  challenger: 'challenge',
  deliver: 'deliver',
} as const;

/**
 * Handles one message of a queue: starts the box, once, however often the message comes. Where the task does not stand where it needs that box (it
 * has reported, or a newer run has asked anew), there is nothing to do: who has written that has made follow what must. Throws when the message should come back later.
 */
export async function launchContainer(
  message: LaunchMessage,
  context: LaunchContext,
): Promise<'launched' | 'given_up' | 'dropped'> {
  const task = await context.tasks.get(message.task_id);
  if (!task) return 'dropped';
  const isThere = determineCascadeStage(task, message.run) === LAUNCH_STAGES[message.kind];
  if (!isThere || hasContainerReported(task, message.attempt, message.kind)) return 'dropped';
  const attempt = task.attempts.at(-1);
  if (!attempt) return 'dropped';
  const present = attempt[message.kind] ?? null;
  const failure = findLaunchGiveUpReason(present, message.kind);
  if (failure !== null)
    return abandonLaunch(message, failure, abandonReason(message.kind, attempt, failure), context);
  if (present?.lost && Date.parse(present.launched_at) > context.now.getTime())
    throw new LaunchError(
      'capacity',
      `the last container did not start; the next may at ${present.launched_at}`,
    );
  const repeated = await findRepeatedLaunch(message, task, present, context);
  const number = repeated?.number ?? (present?.number ?? 0) + 1;
  const name = containerLaunchName(task.id, attempt.number, message.kind, number);
  if (message.kind === 'deliver') return startDelivery(message, task, attempt, repeated, number, context);
  const kind = CONTAINER_OF_LAUNCH[message.kind];
  const family = taskDefinitionFamily(kind, task, context);
  if (family === undefined)
    return abandonLaunch(
      message,
      'launch_refused',
      `this deployment has no image "${task.image}" any more`,
      context,
    );
  // Its settings may have changed since the challenge was planned; no later launch would know a challenger either.
  if (message.kind === 'challenger' && !hasChallenger(context))
    return abandonLaunch(message, 'launch_refused', 'this deployment has no challenger', context);
  // Before anything is written of it: what waits for room waits in the queue, and costs the task nothing.
  const entry = await context.register.admit(
    { name, by: hashSubmitterName(task), priority: task.priority },
    chooseFargatePool(context.capacity, kind, context.receiveCount),
    context.capacity.containers[kind].cpu,
    context.now,
  );
  if (typeof entry === 'string') {
    const why = `there is no room for ${name} within the vCPUs of this deployment`;
    throw new LaunchError('capacity', why, entry === 'next');
  }
  // By an earlier delivery of this message.
  if (entry.arn !== null) return 'launched';
  let launch: ContainerLaunch | null;
  try {
    launch = await findOrRecordLaunch(message, task, attempt, repeated, number, context);
  } catch (error) {
    if (!(error instanceof CredentialUnavailableError) || error.isTransient) throw error;
    await context.register.release(entry);
    return abandonLaunch(
      message,
      'launch_refused',
      `no credential for the repository: ${error.message}`,
      context,
    );
  }
  if (launch === null) {
    await context.register.release(entry);
    return 'dropped';
  }
  if (launch.number !== number)
    throw new LaunchError('capacity', `${name} was overtaken by ${launch.number}`);
  const arn = await startContainer(message, kind, family, attempt, launch, entry, context);
  if (arn instanceof LaunchError) {
    const why = `ECS refuses the ${message.kind} container: ${arn.message}`;
    return abandonLaunch(message, 'launch_refused', why, context);
  }
  if (arn !== null) {
    await context.register.recordStart(entry, arn);
    return 'launched';
  }
  await context.tasks.applyCommand(task.id, (each) =>
    recordContainerLost(each, attempt.number, message.kind, number, NOT_SAID, context.now),
  );
  await context.register.release(entry);
  return 'dropped';
}

const NOT_SAID = 'the container was started before, and ECS does not say what became of it';

/** Has ECS run a box. What it will never run is an answer; all else comes again. @throws LaunchError */
async function startContainer(
  message: LaunchMessage,
  kind: ContainerKind,
  family: string,
  attempt: Attempt,
  launch: ContainerLaunch,
  entry: RunningContainerEntry,
  context: LaunchContext,
): Promise<string | null | LaunchError> {
  try {
    return await context.containers.run(
      kind,
      family,
      entry.name,
      await context.objects.presignGet(launch.assignment_key),
      entry.pool,
    );
  } catch (error) {
    const refusal = await permanentLaunchError(error, message, attempt, context);
    // What nobody understands may have started it all the same.
    if (error instanceof LaunchError && error.kind !== 'unknown') await context.register.release(entry);
    if (refusal) return refusal;
    throw error;
  }
}

/** What an error at a start comes to: a refusal for good, or null; then until its message comes again, the box is on its way and not lost, also when nobody knows what the error means. */
async function permanentLaunchError(
  error: unknown,
  { task_id, kind }: LaunchMessage,
  { number }: Attempt,
  { tasks, backoffSeconds, now }: LaunchContext,
): Promise<LaunchError | null> {
  if (error instanceof LaunchError && error.kind === 'fatal') return error;
  await tasks.applyCommand(task_id, (each) => postponeLaunch(each, number, kind, backoffSeconds, now));
  return null;
}

/**
 * Has the function deliver. It takes no vCPUs, so it is in no register. A repeat invokes it again, which finds the assignment taken.
 * @throws LaunchError
 */
async function startDelivery(
  message: LaunchMessage,
  task: Task,
  attempt: Attempt,
  repeated: ContainerLaunch | null,
  number: number,
  context: LaunchContext,
): Promise<'launched' | 'given_up' | 'dropped'> {
  let launch: ContainerLaunch | null;
  try {
    launch = await findOrRecordLaunch(message, task, attempt, repeated, number, context);
  } catch (error) {
    if (!(error instanceof CredentialUnavailableError) || error.isTransient) throw error;
    const why = `no credential for the repository: ${error.message}`;
    return abandonLaunch(message, 'launch_refused', why, context);
  }
  if (launch === null) return 'dropped';
  const name = containerLaunchName(task.id, attempt.number, 'deliver', launch.number);
  if (launch.number !== number) throw new LaunchError('capacity', `${name} was overtaken`);
  try {
    await context.deliveries.invoke(name, await context.objects.presignGet(launch.assignment_key));
    return 'launched';
  } catch (error) {
    const refusal = await permanentLaunchError(error, message, attempt, context);
    if (!refusal) throw error;
    return abandonLaunch(
      message,
      'launch_refused',
      `Lambda refuses the delivery: ${refusal.message}`,
      context,
    );
  }
}
