import { isPatchRefusal } from '../../shared/contract/failure/failure-classes.ts';
import {
  MAX_GATE_REASON_LENGTH,
  MAX_LISTED_MISSING_ITEMS,
  MAX_MISSING_ITEM_LENGTH,
  type VerificationGateRecord,
} from '../../shared/contract/run-record/verification-gate-record.ts';
import { REPOSITORY_CONFIG_FILE } from '../../shared/contract/submission/toolchain-image.ts';
import {
  type CommandResult,
  type CompletionDecision,
  type CompletionObservation,
  decideAgentCompletion,
  NO_AGENT_NUDGE_COUNTS,
} from '../../shared/control/verification-gate/check-completion.ts';
import {
  hasVerificationGateCriteria,
  listRequiredTests,
  type VerificationGateCriteria,
} from '../../shared/control/verification-gate/criteria.ts';
import { formatVerificationNudge } from '../../shared/control/verification-gate/nudge-message.ts';
import { truncateText } from '../../shared/lib/truncate.ts';
import { CheckoutError } from '../../workspace/git/checkout-error.ts';
import type { WorkTreeSnapshot } from '../../workspace/git/work-tree-snapshot.ts';
import { buildCommandEnvironment } from '../../workspace/process/command-environment.ts';
import { classifyProcessResult } from '../../workspace/process/command-outcome.ts';
import { runProcess } from '../../workspace/process/run-process.ts';
import type { ContainerWorkContext } from '../../workspace/supervisor/container.ts';
import type { AgentFailure } from './adapters/run-state.ts';
import { listForwardedEnvironmentVariables } from './agent-environment.ts';
import type { AgentSession } from './agent-session.ts';
import { isTransientAgentFailure } from './session-failure.ts';
import type { PreparedWorkspace } from './workspace-layout.ts';

/**
 * What the base asks of an agent before it is let go, by the text of its `assay.yaml`; null: nothing. What is wrong with the rest of the file, the gates box says.
 * @throws CheckoutError `config_invalid`, before anything is spent.
 */
export async function loadVerificationGateCriteria(
  text: string | null,
  ofTask: readonly string[],
): Promise<VerificationGateCriteria | null> {
  // The parser is loaded only where there is something to parse: most of a box's time is its start.
  if (!text?.includes('verification_gate')) return null;
  const { describeFileProblem, parseYaml } = await import('../../shared/lib/yaml.ts');
  const { VerificationGateConfigFile } = await import(
    '../../shared/control/verification-gate/config-section.ts'
  );
  const parsed = parseYaml(text, REPOSITORY_CONFIG_FILE, VerificationGateConfigFile);
  if (!('value' in parsed))
    throw new CheckoutError('config_invalid', parsed.problems.map(describeFileProblem).join('; '));
  const criteria = parsed.value.verification_gate;
  return criteria && hasVerificationGateCriteria(criteria, ofTask) ? criteria : null;
}

/** What an agent has left when it said that it was done. */
export interface CompletedAgentRun {
  readonly session: AgentSession;
  readonly work: WorkTreeSnapshot;
  /** How it was let go; absent: nothing is asked of it before. */
  readonly gate?: VerificationGateRecord;
}

/** How a run has ended: with work, or with a failure. */
export type AgentRunOutcome =
  | CompletedAgentRun
  | { readonly session: AgentSession; readonly failure: AgentFailure };

export interface VerificationGateContext {
  readonly criteria: VerificationGateCriteria;
  readonly checkWork: (work: WorkTreeSnapshot) => Promise<CompletionObservation>;
  /** Another run of the agent, which is told something. */
  readonly resumeAgent: (message: string, before: AgentSession) => Promise<AgentRunOutcome>;
  /** Milliseconds that are left of the agent's time. */
  readonly timeLeft: () => number;
  readonly abort: AbortSignal;
}

const WHY = {
  satisfied: 'all that the base asks for was there, as seen in the box of the agent',
  forced: 'the agent was told as often as it may be, and something is still missing',
  could_not_run: 'something that the base asks for could not be looked at in the box of the agent',
} as const;

const recordOf = (
  { decision, missing, couldNotRun, nudges }: CompletionDecision,
  because: string,
): VerificationGateRecord => ({
  state: decision === 'nudge' ? 'forced' : decision,
  reason: truncateText(because, MAX_GATE_REASON_LENGTH),
  nudges,
  missing: [
    ...missing.map(({ message }) => truncateText(message, MAX_MISSING_ITEM_LENGTH)),
    ...couldNotRun,
  ].slice(0, MAX_LISTED_MISSING_ITEMS),
});

/**
 * Returns whether a failure replaces what was handed in before: it passes by itself, the agent is blocked, or the platform does not take what the
 * agent has left now.
 */
const isBelieved = ({
  session,
  failure,
}: Pick<CompletedAgentRun, 'session'> & { readonly failure: AgentFailure }): boolean =>
  failure.class === 'agent_blocked' ||
  failure.class === 'config_invalid' ||
  isPatchRefusal(failure.class) ||
  isTransientAgentFailure(session, failure);

/** Less than this in milliseconds is no time in which a model can do anything. */
export const MIN_AGENT_RUN_MS = 5_000;

/**
 * Holds an agent back that wants to stop too early: it is told what is missing and runs again, as often as the base allows. What is
 * handed in is what was looked at; a further run that fails takes nothing away from what was there before.
 */
export async function enforceVerificationGate(
  first: CompletedAgentRun,
  holding: VerificationGateContext,
): Promise<AgentRunOutcome> {
  const { criteria, checkWork, resumeAgent, timeLeft, abort } = holding;
  let held = first;
  let nudges = NO_AGENT_NUDGE_COUNTS;
  for (;;) {
    const seen = await checkWork(held.work);
    if (abort.aborted) return held;
    const checked = decideAgentCompletion(criteria, seen, nudges);
    const forced = (because: string) => ({
      ...held,
      gate: recordOf({ ...checked, nudges, decision: 'forced' }, because),
    });
    if (checked.decision !== 'nudge') return { ...held, gate: recordOf(checked, WHY[checked.decision]) };
    if (timeLeft() < MIN_AGENT_RUN_MS) return forced('no time was left to tell the agent what is missing');
    nudges = checked.nudges;
    const next = await resumeAgent(formatVerificationNudge(checked.missing), held.session);
    if (abort.aborted) return next;
    if ('work' in next) held = next;
    else if (isBelieved(next)) return next;
    else {
      held = { session: next.session, work: held.work };
      return forced(`the agent was told what is missing, and its run ended: ${next.failure.reason}`);
    }
  }
}

/** Looks at the checkout as the agent has left it, as that agent's user, once nothing of it runs any more. */
export async function checkAgentWork(
  { patch }: WorkTreeSnapshot,
  criteria: VerificationGateCriteria,
  ofTask: readonly string[],
  { layout }: PreparedWorkspace,
  box: ContainerWorkContext,
  abort: AbortSignal,
): Promise<CompletionObservation> {
  const ran = async (command: string): Promise<CommandResult> => {
    const result = await runProcess(
      { line: command },
      {
        cwd: layout.checkout,
        env: buildCommandEnvironment({
          home: layout.home,
          tmp: layout.tmp,
          passedThrough: listForwardedEnvironmentVariables(),
        }),
        timeoutMs: criteria.timeout_s * 1_000,
        runAs: box.users?.[0] ?? null,
        exclusiveFolder: layout.root,
        abort,
      },
    );
    if (result.end === 'uncontained')
      throw new Error(`what a check of the agent's work left behind cannot be ended: ${result.startError}`);
    return { command, ...classifyProcessResult(result) };
  };
  const tests: CommandResult[] = [];
  for (const command of listRequiredTests(criteria, ofTask)) tests.push(await ran(command));
  const { require_compilation: compile } = criteria;
  return {
    hasFileChanges: patch.length > 0,
    testResults: tests,
    compilationResult: compile === undefined ? null : await ran(compile),
  };
}
