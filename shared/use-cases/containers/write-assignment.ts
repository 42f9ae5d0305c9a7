import { randomUUID } from 'node:crypto';
import { mintLaunchToken } from '../../contract/access/tokens.ts';
import type { AgentAdapterSettings } from '../../contract/agents/adapter.ts';
import type { Approval } from '../../contract/approval/schema.ts';
import { Evidence } from '../../contract/evidence/schema.ts';
import type { LaunchKind } from '../../contract/launch-kind.ts';
import type {
  AgentAssignment,
  AgentModelAccess,
  ChallengerAssignment,
  GatesAssignment,
  GatesModelAccess,
  LaunchAssignment,
} from '../../contract/messages/assignment.ts';
import { HEARTBEATS_PER_LEASE, s3ObjectKeys } from '../../contract/resource-names.ts';
import type { HiddenTests } from '../../contract/submission/hidden-tests.ts';
import { isModelJudgedSignal, listTestCommands } from '../../contract/submission/signals.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import { buildDeliveryCommitFields } from '../../contract/task/delivery-commit.ts';
import { findDeliveryBranch, type Task } from '../../contract/task/task.ts';
import { describeApprovalDecision } from '../../control/approvals/approval-message.ts';
import { buildPromptParts } from '../../control/cascade/agent-prompt.ts';
import { resolveAttemptAdapter } from '../../control/cascade/provider-fallback.ts';
import {
  agentModelAccess,
  challengerModelAccess,
  gatesModelAccess,
  type ModelGatewaySettings,
} from '../../control/model-gateway/model-access.ts';
import { requireBaseCommit, requireSameBaseCommit } from '../../control/task-commands/base-commit.ts';
import { findTunedRolePrompt } from '../../control/tune/active-changes.ts';
import { truncateText } from '../../lib/truncate.ts';
import type { GitCredentialProvider } from '../../store/credential-provider.ts';
import type { ObjectStore } from '../../store/object-store.ts';
import type { SettingTuningStore } from '../../store/tuning-state.ts';

export interface ContainerAssignmentContext {
  readonly objects: ObjectStore;
  readonly apiUrl: string;
  readonly defaultAdapter: AgentAdapterSettings;
  /** Null: there is no gateway to models. */
  readonly modelGateway: ModelGatewaySettings | null;
  /** Credentials for repositories. */
  readonly getCredential: GitCredentialProvider;
  readonly leaseSeconds: number;
  /** What the deployment has changed of its own settings; absent: nothing. */
  readonly tuning?: Pick<SettingTuningStore, 'read'>;
}

/** What a box says to repositories, each good for one and for an hour. */
interface ReadCredentials {
  readonly read: string | null;
  /** For the repository of the hidden tests, of the gates box alone. */
  readonly hidden: string | null;
}

/** The repository that hidden tests are read from; null when they were handed in. */
async function hiddenRepository({ hidden_tests: place }: Task, objects: ObjectStore): Promise<string | null> {
  if (!place) return null;
  // What is not there any more, the box finds out and says.
  const text = await objects.getByDigest(place.key).catch(() => 'null');
  const tests = JSON.parse(text) as HiddenTests | null;
  return tests?.kind === 'git' ? tests.repository : null;
}

/** @throws CredentialUnavailableError */
async function credentialsFor(
  kind: LaunchKind,
  task: Task,
  { getCredential, objects }: ContainerAssignmentContext,
): Promise<ReadCredentials> {
  const ask = (repository: string) => getCredential({ task_id: task.id, repository, access: 'read' });
  const hidden = kind === 'gates' ? await hiddenRepository(task, objects) : null;
  const [read, forHidden] = await Promise.all([ask(task.repository), hidden === null ? null : ask(hidden)]);
  return { read, hidden: forHidden };
}

/** What the gates box reads the hidden tests with. */
async function hiddenFor(
  { hidden_tests: place }: Task,
  read_credential: string | null,
  objects: ObjectStore,
): Promise<GatesAssignment['hidden_tests']> {
  if (!place) return null;
  const { key, sha256, bytes } = place;
  return { url: await objects.presignGet(key), sha256, bytes, read_credential };
}

/** What the gates container reads the submitted exam with. */
async function examFor(
  { exam: place }: Pick<Task, 'exam'>,
  objects: ObjectStore,
): Promise<Pick<GatesAssignment, 'exam'>> {
  if (!place) return {};
  const { key, sha256, bytes } = place;
  return { exam: { url: await objects.presignGet(key), sha256, bytes } };
}

/** The latest of what the agents of an attempt have asked leave for and were told of; null: nothing. */
const lastApproval = ({ approvals = [] }: Task, { number }: Attempt): Approval | null =>
  approvals.findLast((each) => each.attempt === number && each.status === 'approved') ?? null;

/** Where the work of an attempt stood when it asked for leave, and the session in which it did. */
async function resumeStateFor(
  task: Task,
  attempt: Attempt,
  objects: ObjectStore,
): Promise<Pick<AgentAssignment, 'parked_work' | 'resumed_session'>> {
  const leave = lastApproval(task, attempt);
  if (!leave) return {};
  const { parked_work: work, parked_session: session } = leave;
  return {
    ...(work && {
      parked_work: {
        tree: work.tree,
        patch_url: await objects.presignGet(work.patch_key),
        patch_sha256: work.patch_sha256,
      },
    }),
    ...(session && {
      resumed_session: {
        session: session.id,
        url: await objects.presignGet(s3ObjectKeys.session(task.id, attempt.number, session.sha256)),
        sha256: session.sha256,
        message: describeApprovalDecision(leave),
      },
    }),
  };
}

/** What is known of a task for what is wrapped around its run. */
const middlewareInputFor = (
  task: Task,
  { number }: Attempt,
): NonNullable<AgentAssignment['middleware_context']> => ({
  description: task.description,
  acceptance_criteria: task.acceptance_criteria,
  ...(task.middleware_override && { middleware_chain: task.middleware_override }),
  ...(task.error_action_overrides && { error_action_overrides: task.error_action_overrides }),
  approved_actions: (task.approvals ?? []).flatMap(({ attempt, status, action }) =>
    attempt === number && status === 'approved' ? [action] : [],
  ),
  origin_task_id: task.origin?.task_id ?? null,
  root_content_sha256: task.origin?.root_content_sha256 ?? null,
});

/** How a box reaches models. */
interface ModelAccessTokens {
  /** Of an agent. */
  readonly models: AgentModelAccess | null;
  /** Of gates. */
  readonly opinions: GatesModelAccess | null;
  /** Of a challenger. */
  readonly challenge: ReturnType<typeof challengerModelAccess>;
}

async function assignmentFor(
  kind: LaunchKind,
  task: Task,
  attempt: Attempt,
  token: string,
  key: string,
  { models, opinions, challenge }: ModelAccessTokens,
  credentials: ReadCredentials,
  context: ContainerAssignmentContext,
): Promise<LaunchAssignment> {
  const common = {
    schema_version: 1 as const,
    task_id: task.id,
    attempt: attempt.number,
    api_url: context.apiUrl,
    token,
    delete_url: await context.objects.presignDelete(key),
    repository: task.repository,
    read_credential: credentials.read,
    title: task.title,
  };
  const settings = kind === 'agent' ? ((await context.tuning?.read()) ?? null) : null;
  if (kind === 'agent')
    return {
      ...common,
      kind,
      base_commit: requireBaseCommit(task),
      role: task.role,
      prompt: buildPromptParts(task, task.attempts, settings && findTunedRolePrompt(settings, task)),
      ...(await resumeStateFor(task, attempt, context.objects)),
      model: attempt.model,
      effort: attempt.effort,
      adapter:
        resolveAttemptAdapter(task, attempt, context.defaultAdapter.timeout_s) ?? context.defaultAdapter,
      test_commands: listTestCommands(task),
      middleware_context: middlewareInputFor(task, attempt),
      model_access: models,
      ...(task.pull_request && { pull_request: task.pull_request }),
      heartbeat_s: Math.max(1, context.leaseSeconds / HEARTBEATS_PER_LEASE),
    };
  const examiner = context.modelGateway?.judges.examiner;
  const artifact = attempt.artifact;
  if (!artifact)
    throw new Error(
      `attempt ${attempt.number} of ${task.id} has no artifact to ${kind === 'deliver' ? 'deliver' : 'verify'}`,
    );
  const tree = {
    base_commit: requireSameBaseCommit(task, artifact.base_commit),
    tree: artifact.tree,
    patch_url: await context.objects.presignGet(artifact.patch_key),
    patch_sha256: artifact.patch_sha256,
  };
  if (kind === 'challenger')
    return challengerAssignment(task, attempt, { ...common, ...tree }, challenge, context);
  if (kind === 'gates')
    return {
      ...common,
      ...tree,
      kind,
      ...(task.image !== undefined && { image: task.image }),
      base_ref: task.base_ref,
      role: task.role,
      description: task.description,
      acceptance_criteria: task.acceptance_criteria,
      model: attempt.model,
      // What a model is asked about a signal is asked by the janitor: no key is near a box.
      signals: task.completion_signals.filter((signal) => !isModelJudgedSignal(signal)),
      ...(task.pull_request?.author_signals && { author_signals: task.pull_request.author_signals }),
      ...(task.plan && { plan: { max_tasks: task.plan.max_tasks } }),
      files: task.files,
      expected_changes: task.expected_changes,
      exam_mode: {
        ...(task.acceptance_tests && { task: task.acceptance_tests }),
        ...(examiner?.mode && { deployment: examiner.mode }),
      },
      hidden_tests: await hiddenFor(task, credentials.hidden, context.objects),
      ...(await examFor(task, context.objects)),
      model_access: opinions,
    };
  const { message, author, at } = buildDeliveryCommitFields(task, attempt);
  return {
    ...common,
    ...tree,
    kind,
    branch: findDeliveryBranch(task),
    delivery_mode: task.delivery_mode ?? 'branch',
    target_branch: task.base_ref,
    message,
    author,
    committed_at: at,
  };
}

/** Most characters of a check's detail that a challenger is shown. */
const MAX_CHECK_DETAIL = 2_000;

async function challengerAssignment(
  task: Task,
  attempt: Attempt,
  common: Omit<
    ChallengerAssignment,
    | 'kind'
    | 'description'
    | 'acceptance_criteria'
    | 'files'
    | 'expected_changes'
    | 'checks'
    | 'requirements'
    | 'model'
    | 'adapter'
    | 'mode'
    | 'refer_above'
    | 'model_access'
    | 'judge_access'
  >,
  access: ModelAccessTokens['challenge'],
  { objects, modelGateway }: ContainerAssignmentContext,
): Promise<ChallengerAssignment> {
  const { challenge, verification } = attempt;
  const challenger = modelGateway?.judges.challenger;
  if (!challenge || !verification || !challenger)
    throw new Error(`attempt ${attempt.number} of ${task.id} has no challenger`);
  const { challengerAdapter } = await import('../../control/model-gateway/challenger-adapter.ts');
  const { gates } = Evidence.parse(JSON.parse(await objects.getByDigest(verification.key)));
  return {
    ...common,
    kind: 'challenger',
    ...(task.image !== undefined && { image: task.image }),
    description: task.description,
    acceptance_criteria: task.acceptance_criteria,
    files: task.files,
    expected_changes: task.expected_changes,
    checks: gates.map(({ name, outcome, detail }) => ({
      name,
      outcome,
      detail: truncateText(detail, MAX_CHECK_DETAIL),
    })),
    requirements: gates.flatMap(
      ({ independent }) =>
        independent?.points.map(({ requirement, result: { outcome } }) => ({ requirement, outcome })) ?? [],
    ),
    model: challenger.model,
    adapter: challengerAdapter(challenger, challenge.timeout_s),
    mode: challenge.mode,
    refer_above: challenge.refer_above,
    model_access: access?.model ?? null,
    judge_access: access?.judge ?? null,
  };
}

/** An assignment that was written, and what its launch is known by. */
interface WrittenAssignment {
  readonly key: string;
  readonly token: string;
  /** Token of a gateway that meters; null: no call of the container is metered. */
  readonly modelToken: string | null;
}

/** Writes what a box is to do where only that box finds it. @throws CredentialUnavailableError */
export async function writeContainerAssignment(
  kind: LaunchKind,
  task: Task,
  attempt: Attempt,
  context: ContainerAssignmentContext,
): Promise<WrittenAssignment> {
  const token = mintLaunchToken(kind, task.id, attempt.number);
  const gateway = context.modelGateway;
  const access: ModelAccessTokens = {
    models:
      kind === 'agent' && gateway && task.runner === 'managed'
        ? agentModelAccess(task, attempt, gateway)
        : null,
    opinions: kind === 'gates' && gateway ? gatesModelAccess(task, attempt, gateway) : null,
    challenge: kind === 'challenger' && gateway ? challengerModelAccess(task, attempt, gateway) : null,
  };
  const credentials = await credentialsFor(kind, task, context);
  const key = s3ObjectKeys.assignment(task.id, attempt.number, kind, randomUUID());
  const assignment = await assignmentFor(kind, task, attempt, token, key, access, credentials, context);
  await context.objects.put(key, JSON.stringify(assignment), 'application/json');
  const modelToken = gateway?.metersUsage
    ? ((access.models ?? access.opinions ?? access.challenge?.model)?.token ?? null)
    : null;
  return { key, token, modelToken };
}

/**
 * Signs the URLs of an assignment again: a box that had to wait for room picks it up long after it was written. Not one that a box has
 * taken: that is removed, and stays so.
 */
export async function renewAssignmentUrls(
  key: string,
  kind: LaunchKind,
  task: Task,
  present: Attempt,
  context: ContainerAssignmentContext,
): Promise<void> {
  const { artifact } = present;
  const { objects } = context;
  const fresh = async (text: string): Promise<string> => {
    const assignment = JSON.parse(text) as LaunchAssignment;
    const { read, hidden } = await credentialsFor(kind, task, context);
    return JSON.stringify({
      ...assignment,
      read_credential: read,
      ...(assignment.kind === 'gates' && {
        hidden_tests: await hiddenFor(task, hidden, objects),
        ...(await examFor(task, objects)),
      }),
      delete_url: await objects.presignDelete(key),
      ...(assignment.kind === 'agent' && (await resumeStateFor(task, present, objects))),
      ...('patch_url' in assignment && artifact
        ? { patch_url: await objects.presignGet(artifact.patch_key) }
        : {}),
    });
  };
  await objects.replace(key, fresh, 'application/json');
}
