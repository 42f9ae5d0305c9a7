import * as z from 'zod';
import type { ModelCallUsage } from '../../contract/judgement/judgement.ts';
import { truncateToBytes } from '../../lib/truncate.ts';
import { type ModelAnswer, type ReviewQuestion, receiptOf } from '../engine/ask-model-port.ts';
import { reviewQuestion } from '../engine/review-question.ts';
import { PROMPTS } from '../judging/prompts.ts';
import { type AtomicProbe, probeId } from './atomic-probe.ts';

/** Criteria could not be turned into probes. */
export class DecompositionError extends Error {
  override readonly name = 'DecompositionFailed';
}

export interface Decomposition {
  readonly probes: readonly AtomicProbe[];
  /** Null: nobody was asked. */
  readonly receipt: ModelCallUsage | null;
}

/** Turns acceptance criteria into questions with the answer yes or no. */
export interface CriteriaDecomposer {
  readonly name: string;
  /** @throws DecompositionFailed */
  decompose(criteria: readonly string[], of: { readonly taskId: string }): Promise<Decomposition>;
}

export const IDENTITY_DECOMPOSER: CriteriaDecomposer = {
  name: 'identity',
  decompose: async (criteria, { taskId }) => ({
    probes: criteria.map((criterion, index) => ({
      id: probeId(taskId, index),
      probe_text: `Does the work satisfy this criterion: ${criterion}`,
      source_criterion: criterion,
    })),
    receipt: null,
  }),
};

export const ProbesAnswer = z.strictObject({
  probes: z
    .array(z.strictObject({ source_criterion_index: z.number(), probe_text: z.string().max(2_000) }))
    .max(2_000),
});

const TIMEOUT_MS = 40_000;
const MAX_TOKENS = 2_048;
/** Characters of all criteria together; each keeps at least as many as `LEAST`. */
const ROOM = 8_000;
const LEAST = 16;

/** Criteria as far as there is room for them, each with its share. @throws DecompositionFailed */
export function truncateCriteria(criteria: readonly string[]): string[] {
  const total = criteria.reduce((sum, each) => sum + each.length, 0);
  if (total <= ROOM) return [...criteria];
  if (criteria.length * LEAST > ROOM)
    throw new DecompositionError(`${criteria.length} criteria are more than a model can be shown at once`);
  const room = ROOM - criteria.length * LEAST;
  return criteria.map((each) => truncateToBytes(each, LEAST + Math.floor((room * each.length) / total)));
}

/** Probes of an answer: what is out of range, blank or over the limit is left out. @throws DecompositionFailed when a criterion has none. */
export function probesFromAnswer(
  { probes }: z.output<typeof ProbesAnswer>,
  criteria: readonly string[],
  { taskId, most }: { readonly taskId: string; readonly most: number },
): AtomicProbe[] {
  const counts = criteria.map(() => 0);
  const kept: AtomicProbe[] = [];
  for (const { source_criterion_index: index, probe_text } of probes) {
    const criterion = Number.isInteger(index) ? criteria[index] : undefined;
    if (criterion === undefined || probe_text.trim() === '' || (counts[index] ?? 0) >= most) continue;
    counts[index] = (counts[index] ?? 0) + 1;
    kept.push({
      id: probeId(taskId, kept.length),
      probe_text: probe_text.trim(),
      source_criterion: criterion,
    });
  }
  if (kept.length === 0) throw new DecompositionError('the answer has no probe that can be used');
  const without = criteria.filter((_, index) => counts[index] === 0);
  if (without.length > 0)
    throw new DecompositionError(
      `no probe was given for: ${without.map((each) => truncateToBytes(each, 100)).join('; ')}`,
    );
  return kept;
}

type AskForProbes = (
  question: ReviewQuestion<typeof ProbesAnswer>,
) => Promise<ModelAnswer<z.output<typeof ProbesAnswer>>>;

/** Asks a model for the probes. @param most of each criterion. */
export function createLlmDecomposer(ask: AskForProbes, most: number): CriteriaDecomposer {
  if (!Number.isInteger(most) || most < 1) throw new RangeError('at least one probe for each criterion');
  return {
    name: 'llm',
    decompose: async (criteria, { taskId }) => {
      if (criteria.length === 0) return { probes: [], receipt: null };
      const shown = truncateCriteria(criteria).map((text, index) => ({
        kind: 'criterion' as const,
        label: `criterion ${index}`,
        text,
      }));
      const question = reviewQuestion(
        {
          prompt: PROMPTS.atomic_probes,
          answerSchema: ProbesAnswer,
          maxTokens: MAX_TOKENS,
          timeoutMs: TIMEOUT_MS,
        },
        [...shown, { kind: 'probe_limit', label: 'most probes for each criterion', text: String(most) }],
      );
      const answered = await ask(question);
      if ('outcome' in answered) throw new DecompositionError(answered.why, { cause: answered });
      return {
        probes: probesFromAnswer(answered.value, criteria, { taskId, most }),
        receipt: receiptOf(answered),
      };
    },
  };
}
