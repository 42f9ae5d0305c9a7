import { join } from 'node:path';
import { type ContainerApiClient, createContainerApiClient } from '../../shared/api/container-client.ts';
import type { AdapterManifest } from '../../shared/contract/agents/adapter-manifest.ts';
import { ADAPTER_MANIFESTS } from '../../shared/contract/agents/adapter-manifests.ts';
import { parseTestLog } from '../../shared/contract/evidence/logs/parse-test-log.ts';
import { LONGEST_LIMIT_SECONDS } from '../../shared/contract/failure/failure-class.ts';
import { isPatchRefusal } from '../../shared/contract/failure/failure-classes.ts';
import type { AgentAssignment, CommandAdapterUsageFile } from '../../shared/contract/messages/assignment.ts';
import { MAX_OUTPUT_TAIL_CHARS, OUTPUT_TAIL_LINES } from '../../shared/contract/task/attempt.ts';
import type { VerificationGateCriteria } from '../../shared/control/verification-gate/criteria.ts';
import { CheckoutError } from '../../workspace/git/checkout-error.ts';
import { applyPatch } from '../../workspace/git/checkout-tree.ts';
import { fetchCommit } from '../../workspace/git/fetch-commits.ts';
import type { GitStore } from '../../workspace/git/git-store.ts';
import { takeWorkTreeSnapshot, type WorkTreeSnapshot } from '../../workspace/git/work-tree-snapshot.ts';
import type { ContainerWorkContext } from '../../workspace/supervisor/container.ts';
import { downloadPatch } from '../../workspace/supervisor/verified-download.ts';
import { type AgentFailure, type AgentRunState, sumTokenUsage } from './adapters/run-state.ts';
import { type AgentSession, type AgentSessionOptions, computeSessionDeadline } from './agent-session.ts';
import { readBaseConfigText } from './base-config.ts';
import {
  type AgentRunOutcome,
  checkAgentWork,
  enforceVerificationGate,
  loadVerificationGateCriteria,
  MIN_AGENT_RUN_MS,
} from './enforce-verification-gate.ts';
import { applyRoleLimits, loadRole } from './load-role.ts';
import {
  buildPromptHooks,
  createAgentRunMiddleware,
  type MiddlewareRuntime,
} from './middleware/create-middleware.ts';
import { loadAgentMiddlewareSettings } from './middleware/middleware-settings.ts';
import { postApprovalRequest, runWithApprovalRequests } from './request-approval.ts';
import { resumeAgentSession, startOrResumeAgentSession } from './resume.ts';
import { buildAgentExit, determineAgentFailure } from './session-failure.ts';
import { uploadSessionRecord } from './session-record.ts';
import { readUsageFile } from './usage-file.ts';
import { type PreparedWorkspace, prepareWorkspace } from './workspace-layout.ts';

/** Larger patches are uploaded, so that the request stays small; smaller ones save a request. */
const INLINE_PATCH_BYTES = 256 * 1024;
const SUMMARY_CHARACTERS = 20_000;

/** Receives parts of the attempt as soon as they exist. */
export interface AttemptListeners {
  readonly onStart: (state: AgentRunState) => void;
  readonly onMiddleware: (runtime: MiddlewareRuntime | null) => void;
}

/** What an attempt has once it is prepared. */
export interface PreparedAttempt {
  readonly given: AgentAssignment;
  /** The assignment within the limits of its role. */
  readonly assignment: AgentAssignment;
  readonly box: ContainerWorkContext;
  readonly client: ContainerApiClient;
  readonly abort: AbortSignal;
  readonly store: GitStore;
  readonly criteria: VerificationGateCriteria | null;
  readonly workspace: PreparedWorkspace;
  readonly options: AgentSessionOptions & { readonly deadline: number };
}

/** One attempt: the agent works in a checkout of the base commit, and its work or its failure is handed in. */
export class AttemptRun {
  readonly #attempt: PreparedAttempt;
  #snapshotCount = 0;
  /** The last session ended with an approval request that an approver must answer. */
  #isAwaitingApproval = false;

  constructor(attempt: PreparedAttempt) {
    this.#attempt = attempt;
  }

  /**
   * Fetches the base commit, reads what it asks for, and makes the workspace. A mistake in the configuration is found before
   * anything is spent.
   * @throws CheckoutError
   */
  static async prepare(
    given: AgentAssignment,
    box: ContainerWorkContext,
    client: ContainerApiClient,
    abort: AbortSignal,
    { onStart, onMiddleware }: AttemptListeners,
  ): Promise<AttemptRun> {
    const commit = given.base_commit;
    const { store } = await fetchCommit(join(box.workDir, 'store.git'), {
      url: given.repository,
      ref: commit,
      authorization: given.read_credential,
      allowFile: box.embedded,
    });
    const role = await loadRole(given.role, store, commit);
    const { limits } = role.config;
    const assignment = { ...given, adapter: applyRoleLimits(given.adapter, limits) };
    const config = await readBaseConfigText(store, commit);
    const criteria = await loadVerificationGateCriteria(config, assignment.test_commands);
    const settings = await loadAgentMiddlewareSettings(
      config,
      assignment.middleware_context?.middleware_chain,
    );
    const runtime = await createAgentRunMiddleware(assignment, settings);
    onMiddleware(runtime);
    const tree = await startTree(given, box, store);
    const hooks = buildPromptHooks(runtime);
    const workspace = await prepareWorkspace(assignment, box, role, store, commit, tree, hooks);
    const middleware = runtime?.middleware;
    const options = {
      ...{ abort, onStart, limits, deadline: computeSessionDeadline(assignment) },
      ...(middleware && { middleware }),
    };
    return new AttemptRun({ given, assignment, box, client, abort, store, criteria, workspace, options });
  }

  /** Runs the agent to its end and reports the outcome, unless the attempt is over or waits for an approver. */
  async run(): Promise<void> {
    const { abort, box, given } = this.#attempt;
    // A run that is started now would be paid for and thrown away.
    if (abort.aborted) {
      if (box.abort.aborted) await postInterruption(createContainerApiClient(given, LAST_WORDS_MS), []);
      return;
    }
    const last = await this.#enforceGate(await this.start());
    // No container waits with the task for the approver.
    if (this.#isAwaitingApproval) return;
    if (abort.aborted && !box.abort.aborted) return;
    if (box.abort.aborted)
      return reportInterruption(createContainerApiClient(given, LAST_WORDS_MS), last.session, () =>
        this.takeSnapshot(),
      );
    await this.handIn(last);
  }

  /** Starts the agent, or resumes the session of an earlier container, and continues to an outcome. */
  async start(): Promise<AgentRunOutcome> {
    const { assignment, box, workspace, options } = this.#attempt;
    return this.continueFrom(await startOrResumeAgentSession(assignment, box, workspace, options));
  }

  /** Resumes the agent with a message, which middleware sees first. */
  async resume(message: string, before: AgentSession): Promise<AgentSession> {
    const { middleware } = this.#attempt.options;
    return this.#resumeAsIs(middleware ? await middleware.beforeModel(message) : message, before);
  }

  /** Takes a session to an outcome: answers its approval requests and resumes it as often as middleware asks. */
  async continueFrom(session: AgentSession): Promise<AgentRunOutcome> {
    const { abort, options } = this.#attempt;
    const { middleware } = options;
    let outcome = await this.#outcomeOf(await this.#answerApprovals(session));
    while (
      middleware &&
      !('work' in outcome) &&
      !abort.aborted &&
      !this.#isAwaitingApproval &&
      this.#timeLeft() >= MIN_AGENT_RUN_MS
    ) {
      const message = await middleware.continuationMessage(outcome.failure);
      if (message === null) break;
      const next = await this.#resumeAsIs(message, outcome.session);
      outcome = await this.#outcomeOf(await this.#answerApprovals(next));
    }
    return outcome;
  }

  /** Records what the agent has changed so far, as a tree and a patch. */
  takeSnapshot(): Promise<WorkTreeSnapshot> {
    const { store, assignment, workspace, box } = this.#attempt;
    return takeWorkTreeSnapshot(store, {
      base: assignment.base_commit,
      workTree: workspace.layout.checkout,
      index: workspace.gitIndex,
      scratchFolder: join(box.workDir, `snapshot-${++this.#snapshotCount}`),
      runAs: box.users?.[0] ?? null,
    });
  }

  /** Reports the outcome to the API: the work, or the failure. */
  async handIn(outcome: AgentRunOutcome): Promise<void> {
    const { client, assignment, workspace, options } = this.#attempt;
    const { middleware } = options;
    const { session } = outcome;
    const failure = 'work' in outcome ? null : outcome.failure;
    const claims = await agentClaims(session, workspace.layout.usageFile);
    await middleware?.afterAgent(failure);
    const { unreportedCalls }: AdapterManifest = ADAPTER_MANIFESTS[assignment.adapter.kind];
    const report = {
      ...(middleware && { middleware: middleware.toRecord() }),
      output_tail: tailOf(session),
      exit: buildAgentExit(session, failure),
      ...(claims.usage ? { usage: claims.usage } : {}),
      ...(unreportedCalls !== undefined && { unreported_calls: unreportedCalls }),
    };
    if (!('work' in outcome)) {
      const { reason, class: failure_code } = outcome.failure;
      await client.post('fail', {
        reason: reason.trim().slice(0, SUMMARY_CHARACTERS) || 'no reason given',
        ...retryAfter(outcome.failure),
        failure_code,
        ...report,
        ...(await uploadTranscript(client, session)),
      });
      return;
    }
    const { tree, patch } = outcome.work;
    const work =
      patch.length < INLINE_PATCH_BYTES && isText(patch)
        ? { patch: patch.toString('utf8') }
        : { patch_sha256: await client.upload('patch', patch), patch_bytes: patch.length };
    const logged = parseTestLog(session.result.output);
    // The work must not wait for its log.
    const transcript = await uploadTranscript(client, session);
    await client.post('complete', {
      summary: summaryOf(claims, session),
      ...(logged.length > 0 && { logged_test_runs: logged }),
      ...report,
      ...transcript,
      base_commit: assignment.base_commit,
      tree,
      ...(outcome.gate && { verification_gate: outcome.gate }),
      ...work,
    });
  }

  /** Milliseconds left of the agent's time. */
  #timeLeft(): number {
    return this.#attempt.options.deadline - performance.now();
  }

  #resumeAsIs(message: string, before: AgentSession): Promise<AgentSession> {
    const { assignment, box, workspace, options } = this.#attempt;
    return resumeAgentSession(message, before, assignment, box, workspace, options);
  }

  async #answerApprovals(session: AgentSession): Promise<AgentSession> {
    const { client, assignment, workspace, box } = this.#attempt;
    const end = await runWithApprovalRequests(session, {
      path: workspace.layout.approvalFile,
      ask: (request, asking) =>
        postApprovalRequest(
          client,
          request,
          () => this.takeSnapshot(),
          () => uploadSessionRecord(client, assignment, workspace, box, asking),
        ),
      again: (message, before) => this.resume(message, before),
    });
    this.#isAwaitingApproval = end.approvalRequest !== null;
    return end;
  }

  /** @throws Error if processes of the agent cannot be ended: they could change what is handed in. */
  async #outcomeOf(session: AgentSession): Promise<AgentRunOutcome> {
    const { abort, workspace } = this.#attempt;
    if (session.approvalRequest) return { session, failure: INTERRUPTED };
    if (session.result.end === 'uncontained')
      throw new Error(`the agent cannot be ended: ${session.result.startError}`);
    const failure = await runFailure(session, workspace);
    if (failure || abort.aborted) return { session, failure: failure ?? INTERRUPTED };
    try {
      return { session, work: await this.takeSnapshot() };
    } catch (error) {
      if (!(error instanceof CheckoutError) || !isPatchRefusal(error.failureClass)) throw error;
      return { session, failure: { class: error.failureClass, reason: error.message } };
    }
  }

  async #enforceGate(first: AgentRunOutcome): Promise<AgentRunOutcome> {
    const { criteria, abort, assignment, workspace, box } = this.#attempt;
    if (criteria === null || !('work' in first)) return first;
    return enforceVerificationGate(first, {
      criteria,
      abort,
      timeLeft: () => this.#timeLeft(),
      checkWork: (work) => checkAgentWork(work, criteria, assignment.test_commands, workspace, box, abort),
      resumeAgent: async (message, before) => {
        if (before.runState) before.runState.holdBacks++;
        return this.continueFrom(await this.resume(message, before));
      },
    });
  }
}

/** The agent was told to end. Whoever aborted the attempt decides what follows. */
const INTERRUPTED: AgentFailure = { class: 'interrupted', reason: 'told to end' };

/** Returns why a run produced no work, or null. An agent that reports `blocked` is believed. */
async function runFailure(
  session: AgentSession,
  { layout, invocation }: PreparedWorkspace,
): Promise<AgentFailure | null> {
  const { status, summary } = await agentClaims(session, layout.usageFile);
  if (status === 'blocked')
    return { class: 'agent_blocked', reason: summary ?? 'the agent says that it is blocked' };
  return determineAgentFailure(session, invocation.argv[0] ?? '');
}

/** Returns the tree that the agent starts from: the base, or the parked work of an approval request. */
async function startTree(
  { base_commit, parked_work: parked }: AgentAssignment,
  box: ContainerWorkContext,
  store: GitStore,
): Promise<string> {
  if (!parked) return base_commit;
  const patch = await downloadPatch(parked);
  const tree = await applyPatch(store, base_commit, patch, join(box.workDir, 'parked.index'));
  if (tree !== parked.tree)
    throw new CheckoutError('patch_does_not_apply', `what was parked is tree ${parked.tree}, not ${tree}`);
  return tree;
}

/** Time limit in milliseconds of the last report; the machine is gone soon after. */
const LAST_WORDS_MS = 30_000;

/**
 * Reports that the container is being stopped: uploads the work so far, then reports `interrupted`, so that the API starts the attempt
 * again.
 */
async function reportInterruption(
  client: ContainerApiClient,
  session: AgentSession,
  snapshotOf: () => Promise<{ readonly patch: Buffer }>,
): Promise<void> {
  const left: string[] = [];
  try {
    const { patch } = await snapshotOf();
    if (patch.length > 0) left.push(`patch ${await client.upload('patch', patch)}`);
    const { transcript_sha256: transcript } = await uploadTranscript(client, session);
    if (transcript !== undefined) left.push(`transcript ${transcript}`);
  } catch (error) {
    console.error(`what was done so far: ${error instanceof Error ? error.message : String(error)}`);
  }
  await postInterruption(client, left);
}

async function postInterruption(client: ContainerApiClient, left: readonly string[]): Promise<void> {
  const reason = `the container was told to end${left.length > 0 ? `; what there was: ${left.join(', ')}` : ''}`;
  await client.post('fail', { reason, failure_code: 'interrupted' });
}

/** A patch in another encoding than UTF-8 would not survive JSON. */
const isText = (patch: Buffer): boolean => Buffer.from(patch.toString('utf8')).equals(patch);

/** Uploads the transcript if it holds more than the tail in the report. Returns its digest, or nothing. */
async function uploadTranscript(
  client: ContainerApiClient,
  { result, runState }: AgentSession,
): Promise<{ readonly transcript_sha256?: string }> {
  if (result.output === '' || (runState === null && outputTail(result.output) === result.output)) return {};
  try {
    return { transcript_sha256: await client.upload('transcript', Buffer.from(result.output)) };
  } catch (error) {
    // Nice to have: the work itself must not be lost because its log could not be stored.
    console.error(`transcript: ${error instanceof Error ? error.message : String(error)}`);
    return {};
  }
}

/** Returns what the agent claims about its work: from its events, else from its usage file. */
async function agentClaims({ runState }: AgentSession, usageFile: string): Promise<CommandAdapterUsageFile> {
  if (runState === null) return readUsageFile(usageFile);
  const usage = sumTokenUsage(runState);
  const summary = runState.summary ?? runState.lastMessage;
  return {
    ...(usage ? { usage } : {}),
    ...(runState.status ? { status: runState.status } : {}),
    ...(summary === null ? {} : { summary: summary.slice(0, SUMMARY_CHARACTERS) }),
  };
}

/** Returns the end of the output; of a CLI its last message, not its events. */
const tailOf = ({ result, runState }: AgentSession): string =>
  outputTail(runState === null ? result.output : (runState.lastMessage ?? runState.failure?.reason ?? ''));

/** The last lines of a text; the newline at its end begins no line. */
const outputTail = (text: string): string => {
  const lines = text.split('\n');
  return lines
    .slice(-OUTPUT_TAIL_LINES - (lines.at(-1) === '' ? 1 : 0))
    .join('\n')
    .slice(-MAX_OUTPUT_TAIL_CHARS);
};

/** Returns the provider's retry-after in whole seconds, between one second and one day. */
const retryAfter = (failure: AgentFailure): { retry_after_s?: number } =>
  failure.retryAfterSeconds === undefined
    ? {}
    : { retry_after_s: Math.min(LONGEST_LIMIT_SECONDS, Math.max(1, Math.ceil(failure.retryAfterSeconds))) };

const summaryOf = (claimed: CommandAdapterUsageFile, { result, runState }: AgentSession): string =>
  (
    claimed.summary?.trim() ||
    (runState === null ? result.output.trim().slice(-SUMMARY_CHARACTERS) : '') ||
    'the agent said nothing'
  ).trim();
