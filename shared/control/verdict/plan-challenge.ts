import {
  CHALLENGE_DEFAULTS,
  type ChallengeSettings,
  type ExamMode,
  type ResolvedChallengeSettings,
} from '../../contract/check-outcome.ts';
import type { Evidence, Verdict } from '../../contract/evidence/schema.ts';
import { toMicroUsd } from '../../contract/models/budgets.ts';
import { type JudgeModels, judgeModelFamily } from '../../contract/models/judge-models.ts';
import { modelFamily } from '../../contract/models/model-family.ts';
import type { Attempt, AttemptChallenge } from '../../contract/task/attempt.ts';
import { computeAttemptCost } from '../../contract/task/attempt-cost.ts';
import type { Task } from '../../contract/task/task.ts';
import { compilePathFilter } from '../../lib/glob/glob.ts';

/** Merges the settings of the deployment, the repository and the task; the narrower level counts. */
export const resolveChallengeSettings = (
  deployment: ChallengeSettings | undefined,
  repository: ChallengeSettings | undefined,
  task: ExamMode | undefined,
): ResolvedChallengeSettings => {
  const levels = [repository, deployment];
  const chosen = <Name extends keyof ChallengeSettings>(name: Name): ResolvedChallengeSettings[Name] => {
    const level = levels.find((each) => each?.[name] !== undefined);
    return (level?.[name] ?? CHALLENGE_DEFAULTS[name]) as ResolvedChallengeSettings[Name];
  };
  return {
    mode: task ?? chosen('mode'),
    tasks: chosen('tasks'),
    timeout_s: chosen('timeout_s'),
    cost_share: chosen('cost_share'),
    min_usd: chosen('min_usd'),
    refer_above: chosen('refer_above'),
  };
};

/** Roles whose work is risky whatever its size. */
const RISKY_ROLES: readonly string[] = ['security', 'architect', 'devops'];

type ChallengedTask = Pick<Task, 'role' | 'complexity' | 'scope' | 'plan' | 'challenge'>;

const isRisky = ({ role, complexity, scope }: ChallengedTask): boolean =>
  complexity === 'high' || scope === 'large' || RISKY_ROLES.includes(role);

type ChangedFiles = Pick<Evidence, 'changed_files' | 'changed_files_total'>;

function isChosen(
  tasks: ResolvedChallengeSettings['tasks'],
  task: ChallengedTask,
  { changed_files: changedFiles, changed_files_total: total = changedFiles.length }: ChangedFiles,
): boolean {
  if (tasks === 'all') return true;
  const { risk, paths, min_changed_files } = tasks;
  const isNamed = compilePathFilter(paths);
  // Files that were cut from the list may match: a large patch must not evade its challenge.
  const isCut = total > changedFiles.length;
  return (
    (risk && isRisky(task)) ||
    (paths.length > 0 && (isCut || changedFiles.some(isNamed))) ||
    (min_changed_files !== undefined && total >= min_changed_files)
  );
}

/** A challenge that has not begun: its verdict is pending. */
export type PlannedChallenge = AttemptChallenge & { readonly pending_verdict: Verdict };

/**
 * Returns the challenge that an attempt gets after everything cheaper, or null: it has not passed, no challenger is configured for its
 * writer, or the settings leave it out.
 */
export function planChallenge(
  task: ChallengedTask,
  attempt: Attempt,
  verdict: Verdict,
  evidence: ChangedFiles & Pick<Evidence, 'challenge' | 'empty_patch'>,
  models: JudgeModels,
  now: Date,
): PlannedChallenge | null {
  const { challenger } = models;
  if (verdict.verdict !== 'pass' || !challenger || task.plan || attempt.merge || evidence.empty_patch)
    return null;
  // The same maker errs alike; where no model or an unknown one wrote, any may ask.
  if (attempt.model !== null && judgeModelFamily(challenger) === modelFamily(attempt.model)) return null;
  const settings = resolveChallengeSettings(challenger.challenge, evidence.challenge, task.challenge);
  if (settings.mode === 'off' || !isChosen(settings.tasks, task, evidence)) return null;
  const { challenge: earlier, ...work } = attempt;
  const usd = Math.max(settings.min_usd, computeAttemptCost({ ...work, verdict }).usd * settings.cost_share);
  // The meter counts all challenges of an attempt together.
  const spent = earlier?.metered_usage?.cost_usd ?? 0;
  return {
    pending_verdict: verdict,
    mode: settings.mode,
    budget_micro_usd: toMicroUsd(usd + spent),
    timeout_s: settings.timeout_s,
    refer_above: settings.refer_above,
    requested_at: now.toISOString(),
    outcome: null,
    effect: null,
    key: null,
    ...(earlier?.metered_usage && { metered_usage: earlier.metered_usage }),
  };
}
