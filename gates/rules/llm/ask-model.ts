import type * as z from 'zod';
import {
  type JudgeModel,
  type JudgePurpose,
  judgeModelFamily,
} from '../../../shared/contract/models/judge-models.ts';
import type { OnErrorAction } from '../../../shared/contract/submission/on-error.ts';
import { truncateToBytes } from '../../../shared/lib/truncate.ts';
import { askCostUsd } from '../../../shared/reviews/engine/ask-cost.ts';
import type { JudgePrompt } from '../../../shared/reviews/engine/prompt.ts';
import type { ReviewPiece } from '../../../shared/reviews/engine/review-piece.ts';
import { reviewQuestion } from '../../../shared/reviews/engine/review-question.ts';
import type { DiffExcerpt } from '../../../shared/reviews/judging/diff-excerpt.ts';
import type { GateContext, GateResult } from '../../core/gate.ts';
import { selectJudgeModel } from './select-model.ts';

const MAX_DESCRIPTION = 2_000;

export interface ModelQuestion<T extends z.ZodType> {
  readonly prompt: JudgePrompt;
  readonly maxTokens: number;
  readonly diff: DiffExcerpt;
  /** What is to be known beside task and diff. */
  readonly extraMaterial?: readonly ReviewPiece[];
  /** The only shape that an answer may have. */
  readonly answerSchema: T;
  readonly onError?: OnErrorAction | undefined;
}

export type GateMetadata = NonNullable<GateResult['metadata']>;
export type ModelAnswerOrResult<T extends z.ZodType> =
  | { readonly answer: z.output<T>; readonly injections: readonly string[]; readonly metadata: GateMetadata }
  | { readonly instead: GateResult };

const buildTaskMaterial = ({ task }: GateContext): ReviewPiece[] =>
  task
    ? [
        { kind: 'task', label: 'title of the task', text: task.title },
        {
          kind: 'task',
          label: 'description of the task',
          text: truncateToBytes(task.description, MAX_DESCRIPTION),
        },
      ]
    : [{ kind: 'task', label: 'task', text: '(no task is known: judge by the diff alone)' }];

/**
 * Asks one model about the patch. Whatever keeps it from an answer of the very shape that was asked for is an outcome of its own: a
 * gate never passes because nobody could judge.
 */
export async function askModelAboutPatch<T extends z.ZodType>(
  context: GateContext & { readonly judge: NonNullable<GateContext['judge']> },
  model: JudgeModel,
  asking: ModelQuestion<T>,
): Promise<ModelAnswerOrResult<T>> {
  const { prompt, maxTokens, diff, answerSchema, extraMaterial = [], onError } = asking;
  const question = reviewQuestion({ prompt, answerSchema, maxTokens, timeoutMs: context.timeoutMs }, [
    ...buildTaskMaterial(context),
    ...extraMaterial,
    { kind: 'diff', label: 'diff', text: diff.text },
  ]);
  const answered = await context.judge.ask(model, question);
  const metadata: GateMetadata = {
    tool: 'model',
    tool_version: model.model,
    family: judgeModelFamily(model),
    prompt: prompt.id,
    prompt_version: prompt.version,
    prompt_sha256: prompt.sha256,
    diff_characters_cut: diff.omitted_chars,
    calls: answered.calls,
    input_tokens: answered.tokens?.input ?? null,
    output_tokens: answered.tokens?.output ?? null,
    cost_usd: askCostUsd(model, answered, new Date().toISOString()),
    injections: question.injections.length,
  };
  return 'outcome' in answered
    ? {
        instead: createUnjudgedResult(
          answered.outcome,
          `the model gave no answer: ${answered.why}`,
          metadata,
          onError,
        ),
      }
    : { answer: answered.value, injections: question.injections, metadata };
}

/** As above, of the model that serves a purpose, or that the base's configuration names. */
export async function askModelForPurpose<T extends z.ZodType>(
  context: GateContext,
  wanted: { readonly purpose: JudgePurpose; readonly model?: string | undefined },
  asking: ModelQuestion<T>,
): Promise<ModelAnswerOrResult<T>> {
  const { judge = null } = context;
  const found = selectJudgeModel(judge, wanted.purpose, wanted.model);
  if (judge === null || 'missing' in found)
    return {
      instead: createUnjudgedResult(
        'could_not_run',
        'missing' in found ? found.missing : '',
        {},
        asking.onError,
      ),
    };
  return askModelAboutPatch({ ...context, judge }, found.model, asking);
}

/** The result of a gate that nobody could judge for. */
export const createUnjudgedResult = (
  outcome: 'could_not_run' | 'timed_out' | 'infra_failed',
  detail: string,
  metadata: GateMetadata,
  onError: OnErrorAction | undefined,
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
export const withInjectionCheck = (result: GateResult, injections: readonly string[]): GateResult =>
  injections.length === 0
    ? result
    : {
        ...result,
        outcome: result.outcome === 'passed' ? 'could_not_run' : result.outcome,
        findings: [
          ...result.findings,
          ...injections.map((message) => ({ file: null, line: null, rule: 'talks_to_the_judge', message })),
        ],
        detail: `${injections.join('; ')}. ${result.detail}`,
      };

/** The result of a gate when there is no diff to judge. */
export const EMPTY_DIFF_RESULT: GateResult = {
  outcome: 'skipped',
  kind: 'checked',
  findings: [],
  detail: 'nothing was changed',
};
