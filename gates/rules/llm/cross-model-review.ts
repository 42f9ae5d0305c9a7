import * as z from 'zod';
import { allJudgeModels, modelsForPurpose } from '../../../shared/contract/models/judge-models.ts';
import type { OnErrorAction } from '../../../shared/contract/submission/on-error.ts';
import { describeAbsence, missingModelInstruction } from '../../../shared/reviews/engine/absence.ts';
import { excerptWholeFiles } from '../../../shared/reviews/judging/diff-excerpt.ts';
import { PROMPTS } from '../../../shared/reviews/judging/prompts.ts';
import {
  eligibleReviewerModels,
  ReviewerModel,
  SameFamilyError,
} from '../../../shared/reviews/judging/reviewer-model.ts';
import {
  countVotes,
  type Vote,
  type VoteCount,
  type VotingRules,
} from '../../../shared/reviews/judging/voting.ts';
import type { GateContext, GateResult } from '../../core/gate.ts';
import type { Judge } from '../../core/judge.ts';
import {
  askModelAboutPatch,
  createUnjudgedResult,
  type GateMetadata,
  type ModelAnswerOrResult,
  withInjectionCheck,
} from './ask-model.ts';
import { readPatchDiff } from './patch-diff.ts';

const Answer = z.strictObject({
  feedback: z.string().max(4_000),
  issues: z.array(z.string().max(1_000)).max(50),
  verdict: z.enum(['approve', 'request_changes']),
  confidence: z.number().min(0).max(1),
});

interface ReviewSettings {
  readonly model?: string | undefined;
  readonly block_on_issues: boolean;
  readonly max_diff_chars: number;
  readonly max_tokens: number;
  readonly voting: VotingRules;
  readonly on_error?: OnErrorAction | undefined;
}

/** Who is asked, or why nobody is. */
function chooseReviewers(
  judge: Judge | null,
  writer: string,
  { model, voting }: ReviewSettings,
): ReviewerModel[] | string {
  const models = judge?.models ?? {};
  if (model !== undefined) {
    const named = allJudgeModels(models).find((each) => each.model === model);
    if (!named)
      return `the model ${model} is not among those that are configured; ${missingModelInstruction('cross_model')}`;
    try {
      return [new ReviewerModel(named, writer)];
    } catch (error) {
      if (error instanceof SameFamilyError) return error.message;
      throw error;
    }
  }
  const configured = modelsForPurpose(models, 'cross_model');
  if (configured.length === 0) return missingModelInstruction('cross_model');
  const reviewers = eligibleReviewerModels(configured, writer).slice(0, voting.reviewers);
  if (reviewers.length === 0)
    return `every model that is configured for \`cross_model\` is of the same family as ${writer}, which wrote this`;
  return reviewers.length < voting.reviewers
    ? `${voting.reviewers} reviewers are to be asked, and ${reviewers.length} of another family than ${writer} are configured for \`cross_model\``
    : reviewers;
}

type ReviewAnswer = ModelAnswerOrResult<typeof Answer>;

const voteOf = (said: ReviewAnswer): Vote =>
  'instead' in said
    ? null
    : { approves: said.answer.verdict === 'approve', confidence: said.answer.confidence };

const sum = (all: readonly ReviewAnswer[], key: string): number | null =>
  all.reduce<number | null>((total, said) => {
    const value = ('instead' in said ? said.instead.metadata : said.metadata)?.[key];
    return total === null || typeof value !== 'number' ? null : total + value;
  }, 0);

/** What all reviews together say of themselves. What one of them does not know, nobody knows of all. */
function metadataOf(all: readonly ReviewAnswer[], count: VoteCount, writer: string): GateMetadata {
  const each = all.map((said) => ('instead' in said ? said.instead.metadata : said.metadata) ?? {});
  return {
    ...each[0],
    tool_version: each.map(({ tool_version }) => tool_version).join(', '),
    family: [...new Set(each.map(({ family }) => family))].join(', '),
    calls: sum(all, 'calls'),
    input_tokens: sum(all, 'input_tokens'),
    output_tokens: sum(all, 'output_tokens'),
    cost_usd: sum(all, 'cost_usd'),
    writer,
    approvals: count.approvals,
    rejections: count.rejections,
    abstentions: count.abstentions,
    confidence: count.confidence,
  };
}

const describeAnswer = (said: ReviewAnswer): string =>
  'instead' in said ? said.instead.detail : `${said.answer.verdict}: ${said.answer.feedback}`;

/** Has models of other families than the writer's review the patch, and counts their votes. */
export async function runCrossModelReview(
  context: GateContext,
  settings: ReviewSettings,
): Promise<GateResult> {
  const { judge = null, task } = context;
  const writer = task?.writer ?? null;
  const nobody = (why: string): GateResult =>
    createUnjudgedResult('could_not_run', why, {}, settings.on_error);
  if (writer === null) return nobody(describeAbsence({ code: 'unknown_writer' }));
  const reviewers = chooseReviewers(judge, writer, settings);
  if (typeof reviewers === 'string' || judge === null) return nobody(String(reviewers));
  const diff = excerptWholeFiles(await readPatchDiff(context.subject), settings.max_diff_chars);
  const asking = {
    prompt: PROMPTS.cross_model,
    maxTokens: settings.max_tokens,
    diff,
    answerSchema: Answer,
    onError: settings.on_error,
  };
  const all = await Promise.all(
    reviewers.map(({ model }) => askModelAboutPatch({ ...context, judge }, model, asking)),
  );
  const count = countVotes(all.map(voteOf), settings.voting);
  const metadata = { ...metadataOf(all, count, writer), files_left_out: diff.leftOut.length };
  return resultOf(all, count, metadata, diff.leftOut, settings);
}

function resultOf(
  all: readonly ReviewAnswer[],
  { decision, approvals, rejections, abstentions }: VoteCount,
  metadata: GateMetadata,
  leftOut: readonly string[],
  { block_on_issues, on_error }: ReviewSettings,
): GateResult {
  if (decision === 'nobody') {
    const failed = all.flatMap((said) => ('instead' in said ? [said.instead.outcome] : []));
    const outcome = failed.find((each) => each === 'infra_failed' || each === 'timed_out') ?? 'could_not_run';
    return createUnjudgedResult(
      outcome as 'could_not_run',
      all.map(describeAnswer).join(' | '),
      metadata,
      on_error,
    );
  }
  const counted =
    all.length === 1 ? '' : `${approvals} for it, ${rejections} against, ${abstentions} abstained. `;
  const detail = `${counted}${all.map(describeAnswer).join(' | ')}`;
  const issues = all.flatMap((said) => {
    if ('instead' in said) return [];
    const { verdict, issues: named, feedback } = said.answer;
    const approved = verdict === 'approve';
    return (named.length > 0 ? named : approved ? [] : [feedback]).map((message) => ({
      file: null,
      line: null,
      rule: approved ? 'review_remark' : 'review_issue',
      message,
    }));
  });
  const unseen = leftOut.map((file) => ({
    file,
    line: null,
    rule: 'not_reviewed',
    message: 'there was no room for this file in what the reviewer was shown',
  }));
  const result: GateResult = {
    outcome:
      decision === 'undecided'
        ? 'could_not_run'
        : decision === 'approve' || !block_on_issues
          ? 'passed'
          : 'failed',
    kind: 'judged',
    findings: [...issues, ...unseen],
    // The next attempt is told what this says: the issues are what it has to mend.
    detail: [detail, ...issues.filter(({ rule }) => rule === 'review_issue').map(({ message }) => message)]
      .join('\n- ')
      .slice(0, 4_000),
    metadata: { ...metadata, verdict: decision },
  };
  const shown = all.find((said) => !('instead' in said));
  return withInjectionCheck(result, shown && !('instead' in shown) ? shown.injections : []);
}
