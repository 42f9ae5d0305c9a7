import type { AutonomyLevel } from '../approval/autonomy.ts';
import type { Judgement } from '../judging/judgement.ts';
import { material, type Piece } from '../judging/material.ts';
import type { Question } from '../judging/port.ts';
import { PROMPTS } from '../judging/prompts.ts';
import type { Task } from '../task/task.ts';
import { type RedTeamFinding, RedTeamReport, worstOf } from './finding.ts';
import { gateWord } from './matrix.ts';
import { type RedTeamSettings, STAKES } from './schema.ts';

export const RED_TEAM_SUBJECT = 'red team';
const MAX_TOKENS = 4_096;

/** Whether the attacker is to look at the work of a task; null: its workflow does not want one, or not for so little. */
export function redTeamOf({
  workflow_in_force: workflow,
}: Pick<Task, 'workflow_in_force'>): RedTeamSettings | null {
  const settings = workflow?.review.red_team;
  if (!settings?.enabled) return null;
  return STAKES.indexOf(workflow?.review.stakes ?? 'normal') < STAKES.indexOf(settings.min_stakes)
    ? null
    : settings;
}

export function attackQuestion(
  pieces: readonly Piece[],
  { timeout_s }: Pick<RedTeamSettings, 'timeout_s'>,
): Question<typeof RedTeamReport> {
  const { text, boundary, injections } = material(pieces);
  return {
    prompt: PROMPTS.red_team,
    material: text,
    boundary,
    injections,
    answer: RedTeamReport,
    maxTokens: MAX_TOKENS,
    timeoutMs: timeout_s * 1_000,
  };
}

type Said = Pick<Judgement, 'outcome' | 'verdict' | 'reasons' | 'confidence' | 'injections'>;

const line = ({ attack_surface, severity, description, evidence }: RedTeamFinding): string =>
  `${severity} ${attack_surface}: ${description}${evidence.length > 0 ? ` (${evidence.join('; ')})` : ''}`.slice(
    0,
    1_000,
  );

/** What findings make of work: what blocks sends it back with the summary, what does not is kept with it. */
export function attacked(
  summary: string,
  findings: readonly RedTeamFinding[],
  autonomy: AutonomyLevel,
  injections: readonly string[],
): Said {
  const all = worstOf(findings);
  const isBlocked =
    gateWord(
      all.map(({ severity }) => severity),
      autonomy,
    ) === 'block';
  return {
    outcome: isBlocked ? 'failed' : 'passed',
    verdict: isBlocked ? 'fail' : injections.length > 0 ? 'refer' : 'pass',
    confidence: null,
    reasons: [
      ...(isBlocked ? [`red-team blocked: ${summary.slice(0, 1_000)}`] : []),
      ...all.map(line),
      ...injections,
    ],
    injections: [...injections],
  };
}

/** Nobody has attacked: the gate is open, with a finding that says so, and its faults are counted. */
export const openFault = (outcome: 'inert' | 'timed_out' | 'infra_failed', why: string): Said => ({
  outcome,
  verdict: 'pass',
  confidence: null,
  reasons: [`info correctness: nobody attacked this work: ${why}`.slice(0, 1_000)],
  injections: [],
});

/** Why there is nothing to attack, or null. */
export function missingDeliverable(
  { acceptance_criteria }: Pick<Task, 'acceptance_criteria'>,
  { artifact }: Task['attempts'][number],
): string | null {
  if (!artifact || artifact.patch_bytes === 0) return 'no deliverable could be fetched: the patch is empty';
  return acceptance_criteria.length === 0
    ? 'no deliverable could be fetched: the task has no acceptance criteria to attack it by'
    : null;
}

export const noDeliverable = (why: string, { on_missing_deliverable: then }: RedTeamSettings): Said => ({
  outcome: then === 'block' ? 'failed' : 'skipped',
  verdict: then === 'block' ? 'fail' : 'pass',
  confidence: null,
  reasons: [why],
  injections: [],
});
