import * as z from 'zod';
import type { ReviewerReply } from '../engine/engine.ts';
import type { GateReviewer, GateReviewInput } from '../engine/reviewer.ts';
import { decideReviewVotes, type Vote, type VotingRules } from '../engine/votes.ts';
import { JUDGE_PROMPTS } from '../judging/prompts.ts';
import { describeMissingGateOpinion, GATE_REVIEWER_DEFAULTS } from './gate-review-defaults.ts';

const CrossModelAnswer = z.strictObject({
  feedback: z.string().max(4_000),
  issues: z.array(z.string().max(1_000)).max(50),
  verdict: z.enum(['approve', 'request_changes']),
  confidence: z.number().min(0).max(1),
});
type CrossModelReview = ReviewerReply<z.output<typeof CrossModelAnswer>>;

interface CrossModelInput extends GateReviewInput {
  readonly block_on_issues: boolean;
  readonly voting: VotingRules;
  /** Files of the patch that the reviewers were not shown. */
  readonly leftOut: readonly string[];
}

const voteOf = (review: CrossModelReview): Vote =>
  'absence' in review
    ? null
    : { approves: review.answer.verdict === 'approve', confidence: review.answer.confidence };

const describeReview = (review: CrossModelReview): string =>
  'absence' in review
    ? describeMissingGateOpinion(review.absence)
    : `${review.answer.verdict}: ${review.answer.feedback}`;

const finding = (rule: string, message: string, file: string | null = null) => ({
  file,
  line: null,
  rule,
  message,
});

function issuesIn(review: CrossModelReview) {
  if ('absence' in review) return [];
  const { verdict, issues, feedback } = review.answer;
  const isApproved = verdict === 'approve';
  const messages = issues.length > 0 || isApproved ? issues : [feedback];
  return messages.map((message) => finding(isApproved ? 'review_remark' : 'review_issue', message));
}

/** Reviews by models of other families than the writer's; their votes decide. */
export const CROSS_MODEL_REVIEWER = {
  ...GATE_REVIEWER_DEFAULTS,
  kind: 'cross_model',
  purpose: 'cross_model',
  family: 'known_other',
  prompt: JUDGE_PROMPTS.cross_model,
  answerSchema: () => CrossModelAnswer,
  maxTokens: 512,
  decide: (reviews, { block_on_issues, voting, leftOut }) => {
    const { decision, approvals, rejections, abstentions, confidence } = decideReviewVotes(
      reviews.map(voteOf),
      voting,
    );
    const isDecided = decision === 'approve' || decision === 'reject';
    const counted =
      reviews.length === 1 ? '' : `${approvals} for it, ${rejections} against, ${abstentions} abstained. `;
    const issues = decision === 'nobody' ? [] : reviews.flatMap(issuesIn);
    const unseen = leftOut.map((file) =>
      finding('not_reviewed', 'there was no room for this file in what the reviewer was shown', file),
    );
    return {
      outcome: !isDecided
        ? 'could_not_run'
        : decision === 'approve' || !block_on_issues
          ? 'passed'
          : 'failed',
      findings: decision === 'nobody' ? [] : [...issues, ...unseen],
      // The next attempt reads this: the issues are what it has to mend.
      detail: [
        `${counted}${reviews.map(describeReview).join(' | ')}`,
        ...issues.filter(({ rule }) => rule === 'review_issue').map(({ message }) => message),
      ]
        .join('\n- ')
        .slice(0, 4_000),
      facts: { approvals, rejections, abstentions, confidence, verdict: decision },
    };
  },
} satisfies GateReviewer<typeof CrossModelAnswer, CrossModelInput, readonly CrossModelReview[]>;
