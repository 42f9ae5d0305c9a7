import type * as z from 'zod';
import type { AttemptView, TaskView } from '../../shared/api/task-schemas.ts';
import type { VerificationNudge } from '../../shared/control/ledger/verification-nudge-schema.ts';
import type { DemoAgent } from './demo-agent.ts';
import type { DemoTask } from './demo-tasks.ts';

export interface DemoTaskOutcome {
  readonly task: TaskView;
  readonly attempts: readonly AttemptView[];
}

/** The result of the demo. */
export interface DemoResult {
  /** The agent CLI that did the tasks; null: scripted agents. */
  readonly agent: Pick<DemoAgent, 'kind' | 'models'> | null;
  readonly outcomes: readonly DemoTaskOutcome[];
  readonly nudge: z.infer<typeof VerificationNudge>;
  /** Delivered branches as `<hash> <branch> <subject>`. */
  readonly branches: readonly string[];
  readonly recordFiles: readonly string[];
  readonly recordsDir: string;
  readonly repository: string;
  readonly folder: string;
  readonly elapsedMs: number;
}

/** Returns the differences from the expected end of the demo. The outcome of real models is not compared. */
export function findUnexpectedOutcomes(tasks: readonly DemoTask[], result: DemoResult): string[] {
  if (result.agent?.models === 'real') return [];
  const found: string[] = [];
  const compare = (id: string, what: string, actual: unknown, expected: unknown): void => {
    if (JSON.stringify(actual) !== JSON.stringify(expected))
      found.push(`${id}: ${what} is ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}`);
  };
  for (const { task, expected } of tasks) {
    const outcome = result.outcomes.find((each) => each.task.id === task.id);
    compare(task.id, 'status', outcome?.task.status, expected.status);
    compare(
      task.id,
      'tiers',
      outcome?.attempts.map((attempt) => attempt.tier),
      expected.tiers,
    );
    compare(task.id, 'verified', outcome?.task.verified, expected.verified);
    const approved = outcome?.task.approvals?.flatMap(({ action, status }) =>
      status === 'approved' ? [action] : [],
    );
    compare(task.id, 'approved actions', approved ?? [], expected.approvedActions ?? []);
    const isDelivered = result.branches.some((line) => line.split(' ')[1] === `assay/${task.id}`);
    compare(task.id, 'delivered', isDelivered, expected.delivered);
  }
  const done = tasks.filter(({ expected }) => expected.status === 'done');
  compare('ledger', 'completions', result.nudge.total_completions, done.length);
  compare(
    'ledger',
    'unverified',
    result.nudge.unverified_count,
    done.filter(({ expected }) => !expected.verified).length,
  );
  if (result.recordFiles.length === 0) found.push('ledger: no records were written');
  return found;
}

/** The result as `demo --json` prints it. */
export const toDemoJson = (result: DemoResult, unexpected: readonly string[]) => ({
  agent: result.agent,
  tasks: result.outcomes.map(({ task, attempts }) => ({
    id: task.id,
    title: task.title,
    status: task.status,
    attempts: attempts.map(({ model, tier, outcome, cost_usd, judging_cost_usd }) => ({
      model,
      tier,
      outcome,
      cost_usd,
      judging_cost_usd,
    })),
    verdict: task.verdict,
    verified: task.verified,
    branch: task.branch,
    cost_usd: task.cost_usd,
    judging_cost_usd: task.judging_cost_usd,
    saved_vs_direct_opus_usd: task.saved_vs_direct_opus_usd,
  })),
  verification_nudge: result.nudge,
  records_dir: result.recordsDir,
  elapsed_ms: result.elapsedMs,
  repository: result.repository,
  folder: result.folder,
  as_expected: unexpected.length === 0,
  unexpected,
});
