import type * as z from 'zod';
import { familyOfModel, type JudgeModel, type Purpose } from '../../../shared/contract/models/models.ts';
import type { OnError } from '../../../shared/contract/submission/on-error.ts';
import { cut } from '../../../shared/lib/cut.ts';
import { material, type Piece } from '../../../shared/lib/material.ts';
import { costOf } from '../../../shared/reviews/judging/price.ts';
import type { Prompt } from '../../../shared/reviews/judging/prompt.ts';
import type { ShownDiff } from '../../../shared/reviews/judging/shown-diff.ts';
import type { GateContext, GateResult } from '../../core/gate.ts';
import { modelFor } from './model-for.ts';

const MAX_DESCRIPTION = 2_000;

export interface Asking<T extends z.ZodType> {
  readonly prompt: Prompt;
  readonly maxTokens: number;
  readonly diff: ShownDiff;
  /** What is to be known beside task and diff. */
  readonly more?: readonly Piece[];
  /** The only shape that an answer may have. */
  readonly answer: T;
  readonly onError?: OnError | undefined;
}

export type Metadata = NonNullable<GateResult['metadata']>;
export type Asked<T extends z.ZodType> =
  | { readonly answer: z.output<T>; readonly injections: readonly string[]; readonly metadata: Metadata }
  | { readonly instead: GateResult };

const aboutTask = ({ task }: GateContext): Piece[] =>
  task
    ? [
        { label: 'title of the task', text: task.title },
        { label: 'description of the task', text: cut(task.description, MAX_DESCRIPTION) },
      ]
    : [{ label: 'task', text: '(no task is known: judge by the diff alone)' }];

/**
 * Asks one model about the patch. Whatever keeps it from an answer of the very shape that was asked for is an outcome of its own: a
 * gate never passes because nobody could judge.
 */
export async function askModelAbout<T extends z.ZodType>(
  context: GateContext & { readonly judge: NonNullable<GateContext['judge']> },
  model: JudgeModel,
  asking: Asking<T>,
): Promise<Asked<T>> {
  const { prompt, maxTokens, diff, answer, more = [], onError } = asking;
  const shown = material([...aboutTask(context), ...more, { label: 'diff', text: diff.text }]);
  const answered = await context.judge.ask(model, {
    prompt,
    material: shown.text,
    boundary: shown.boundary,
    injections: shown.injections,
    answer,
    maxTokens,
    timeoutMs: context.timeoutMs,
  });
  const metadata: Metadata = {
    tool: 'model',
    tool_version: model.model,
    family: familyOfModel(model),
    prompt: prompt.id,
    prompt_version: prompt.version,
    prompt_sha256: prompt.sha256,
    diff_characters_cut: diff.cut,
    calls: answered.calls,
    input_tokens: answered.tokens?.input ?? null,
    output_tokens: answered.tokens?.output ?? null,
    cost_usd: costOf(model, answered, new Date().toISOString()),
    injections: shown.injections.length,
  };
  return 'outcome' in answered
    ? { instead: without(answered.outcome, `the model gave no answer: ${answered.why}`, metadata, onError) }
    : { answer: answered.value, injections: shown.injections, metadata };
}

/** As above, of the model that serves a purpose, or that the base's configuration names. */
export async function askAbout<T extends z.ZodType>(
  context: GateContext,
  wanted: { readonly purpose: Purpose; readonly model?: string | undefined },
  asking: Asking<T>,
): Promise<Asked<T>> {
  const { judge = null } = context;
  const found = modelFor(judge, wanted.purpose, wanted.model);
  if (judge === null || 'missing' in found)
    return { instead: without('inert', 'missing' in found ? found.missing : '', {}, asking.onError) };
  return askModelAbout({ ...context, judge }, found.model, asking);
}

/** The result of a gate that nobody could judge for. */
export const without = (
  outcome: 'inert' | 'timed_out' | 'infra_failed',
  detail: string,
  metadata: Metadata,
  onError: OnError | undefined,
): GateResult => ({
  outcome,
  kind: 'judged',
  findings: [],
  detail: detail.slice(0, 2_000),
  metadata,
  ...(onError === undefined ? {} : { onError }),
});

/**
 * An opinion as a result. Where the patch tried to talk the model over, it lets nothing out: a person looks at it, whatever
 * `on_error` says.
 */
export const opinion = (result: GateResult, injections: readonly string[]): GateResult =>
  injections.length === 0
    ? result
    : {
        ...result,
        outcome: result.outcome === 'passed' ? 'inert' : result.outcome,
        findings: [
          ...result.findings,
          ...injections.map((message) => ({ file: null, line: null, rule: 'talks_to_the_judge', message })),
        ],
        detail: `${injections.join('; ')}. ${result.detail}`,
      };

/** The result of a gate when there is no diff to judge. */
export const NOTHING_TO_JUDGE: GateResult = {
  outcome: 'skipped',
  kind: 'checked_by_us',
  findings: [],
  detail: 'nothing was changed',
};
