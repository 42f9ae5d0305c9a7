import type * as z from 'zod';
import type { AttemptView, TaskView } from '../../shared/api/schemas.ts';
import type { VerificationNudge } from '../../shared/control/ledger/verification-nudge.ts';
import type { DemoAgent } from './agents.ts';
import type { DemoTask } from './tasks.ts';

export interface DemoOutcome {
  readonly task: TaskView;
  readonly attempts: readonly AttemptView[];
}

/** Everything that the demo found out, before it is printed. */
export interface DemoResult {
  /** The agent CLI that did the tasks; null: scripts in its place. */
  readonly agent: Pick<DemoAgent, 'kind' | 'models'> | null;
  readonly outcomes: readonly DemoOutcome[];
  readonly nudge: z.infer<typeof VerificationNudge>;
  /** `<hash> <branch> <subject>` of what was delivered. */
  readonly branches: readonly string[];
  readonly recordFiles: readonly string[];
  readonly recordsDir: string;
  readonly repository: string;
  readonly folder: string;
  readonly elapsedMs: number;
}

/** What differs from how the demo must end; empty when all is as it should be. What a real model does, nobody can foresee. */
export function surprises(tasks: readonly DemoTask[], result: DemoResult): string[] {
  if (result.agent?.models === 'real') return [];
  const found: string[] = [];
  const differs = (id: string, what: string, is: unknown, expected: unknown): void => {
    if (JSON.stringify(is) !== JSON.stringify(expected))
      found.push(`${id}: ${what} is ${JSON.stringify(is)}, expected ${JSON.stringify(expected)}`);
  };
  for (const { task, expected } of tasks) {
    const outcome = result.outcomes.find((each) => each.task.id === task.id);
    differs(task.id, 'status', outcome?.task.status, expected.status);
    differs(
      task.id,
      'tiers',
      outcome?.attempts.map((attempt) => attempt.tier),
      expected.tiers,
    );
    differs(task.id, 'verified', outcome?.task.verified, expected.verified);
    const allowed = outcome?.task.approvals?.flatMap(({ action, status }) =>
      status === 'approved' ? [action] : [],
    );
    differs(task.id, 'allowed in mid-run', allowed ?? [], expected.allowed ?? []);
    const pushed = result.branches.some((line) => line.split(' ')[1] === `assay/${task.id}`);
    differs(task.id, 'delivered', pushed, expected.delivered);
  }
  const done = tasks.filter(({ expected }) => expected.status === 'done');
  differs('ledger', 'completions', result.nudge.total_completions, done.length);
  differs(
    'ledger',
    'unverified',
    result.nudge.unverified_count,
    done.filter(({ expected }) => !expected.verified).length,
  );
  if (result.recordFiles.length === 0) found.push('ledger: no records were written');
  return found;
}

/** The document of `demo --json`. */
export const demoDocument = (result: DemoResult, unexpected: readonly string[]) => ({
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
