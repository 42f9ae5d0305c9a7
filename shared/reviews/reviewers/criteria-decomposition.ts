import * as z from 'zod';
import type { ResolvedVerification } from '../../contract/workflow/resolved-workflow.ts';
import { truncateToBytes } from '../../lib/truncate.ts';
import type { MissingOpinionReason } from '../engine/missing-opinion.ts';
import type { JudgingReviewer } from '../engine/reviewer.ts';
import { JUDGE_PROMPTS } from '../judging/prompts.ts';
import { type AtomicProbe, probeId } from '../rubric/atomic-probe.ts';
import { createEmptyGradingRecord } from '../rubric/grading.ts';

const ProbesAnswer = z.strictObject({
  probes: z
    .array(z.strictObject({ source_criterion_index: z.number(), probe_text: z.string().max(2_000) }))
    .max(2_000),
});

/** Most characters of all criteria together; each keeps at least `MIN_CHARS`. */
const MAX_CHARS = 8_000;
const MIN_CHARS = 16;

/** Returns the criteria as far as there is room for them, each with its share; null: they are too many. */
export function truncateCriteria(criteria: readonly string[]): string[] | null {
  const total = criteria.reduce((sum, each) => sum + each.length, 0);
  if (total <= MAX_CHARS) return [...criteria];
  const room = MAX_CHARS - criteria.length * MIN_CHARS;
  return room < 0
    ? null
    : criteria.map((each) => truncateToBytes(each, MIN_CHARS + Math.floor((room * each.length) / total)));
}

/** One probe for each criterion, without a model. */
export const createProbePerCriterion = (criteria: readonly string[], taskId: string): AtomicProbe[] =>
  criteria.map((criterion, index) => ({
    id: probeId(taskId, index),
    probe_text: `Does the work satisfy this criterion: ${criterion}`,
    source_criterion: criterion,
  }));

const unusable = (why: string): MissingOpinionReason => ({
  code: 'unreadable_answer',
  outcome: 'could_not_run',
  why,
});

interface DecompositionSubject {
  readonly of: ResolvedVerification;
}
export interface DecompositionInput extends DecompositionSubject {
  readonly criteria: readonly string[];
  readonly taskId: string;
}

/**
 * Returns the probes of an answer: what is out of range, blank or over the limit is left out. Without a probe for each
 * criterion the answer is unusable.
 */
export function probesFromAnswer(
  { probes }: z.output<typeof ProbesAnswer>,
  {
    criteria,
    taskId,
    of,
  }: Pick<DecompositionInput, 'criteria' | 'taskId'> & {
    readonly of: Pick<ResolvedVerification, 'max_probes_per_criterion'>;
  },
): AtomicProbe[] | MissingOpinionReason {
  const counts = criteria.map(() => 0);
  const kept: AtomicProbe[] = [];
  for (const { source_criterion_index: index, probe_text } of probes) {
    const criterion = Number.isInteger(index) ? criteria[index] : undefined;
    const count = counts[index] ?? 0;
    if (criterion === undefined || probe_text.trim() === '' || count >= of.max_probes_per_criterion) continue;
    counts[index] = count + 1;
    kept.push({
      id: probeId(taskId, kept.length),
      probe_text: probe_text.trim(),
      source_criterion: criterion,
    });
  }
  if (kept.length === 0) return unusable('the answer has no probe that can be used');
  const without = criteria.filter((_, index) => counts[index] === 0);
  return without.length === 0
    ? kept
    : unusable(`no probe was given for: ${without.map((each) => truncateToBytes(each, 100)).join('; ')}`);
}

/** Turns acceptance criteria into questions with the answer yes or no. */
export const CRITERIA_DECOMPOSITION_REVIEWER = {
  kind: 'decomposition',
  purpose: 'decomposer',
  family: 'any',
  prompt: JUDGE_PROMPTS.atomic_probes,
  answerSchema: () => ProbesAnswer,
  maxTokens: 2_048,
  timeoutMs: () => 40_000,
  shows: ['criterion', 'probe_limit'],
  pieces: ({ criteria, of }) => [
    ...(truncateCriteria(criteria) ?? []).map((text, index) => ({
      kind: 'criterion' as const,
      label: `criterion ${index}`,
      text,
    })),
    {
      kind: 'probe_limit',
      label: 'most probes for each criterion',
      text: String(of.max_probes_per_criterion),
    },
  ],
  head: ({ of }) => ({ subject: `probes of ${of.node}`, grading: createEmptyGradingRecord(of) }),
  because: ({ of }) => `asked: ${of.node} has its criteria taken apart`,
  decide: (probes, { criteria }) => ({
    outcome: 'passed',
    verdict: 'pass',
    reasons: [`${probes.length} probes of ${criteria.length} criteria`],
  }),
  absent: () => 'hold',
  absenceOpinion: (why) => ({ reasons: [`the criteria could not be taken apart: ${why}`] }),
} satisfies JudgingReviewer<
  typeof ProbesAnswer,
  DecompositionInput,
  DecompositionSubject,
  readonly AtomicProbe[]
>;
