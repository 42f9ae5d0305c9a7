import * as z from 'zod';

/** Rules by which several reviewers come to one decision. */
export const VotingRules = z.strictObject({
  /** The number of configured models that are asked. */
  reviewers: z.number().int().min(1).max(9).default(1),
  strategy: z.enum(['majority', 'quorum', 'weighted', 'unanimous']).default('quorum'),
  /** Approvals that `quorum` needs. */
  quorum: z.number().int().min(1).max(9).default(1),
  /** A reviewer that is less sure than this has abstained. */
  abstention_threshold: z.number().min(0).max(1).default(0.3),
  /** The decision at a tie; `escalate` asks a reviewer. */
  tie_break: z.enum(['reject', 'accept', 'escalate']).default('reject'),
});
export type VotingRules = z.infer<typeof VotingRules>;

/** The vote of one reviewer; null: it could not be asked, or gave no usable answer. */
export type Vote = { readonly approves: boolean; readonly confidence: number } | null;

export interface VoteTally {
  readonly approvals: number;
  readonly rejections: number;
  readonly abstentions: number;
  /** Weights of those who approve, reject and abstain. */
  readonly weights: { readonly approving: number; readonly rejecting: number; readonly abstaining: number };
  /** Mean over the votes that were cast; null: none was. */
  readonly confidence: number | null;
}

/** Counts votes: the one place that does. A missing vote and one that is not sure enough abstain: they never approve. */
export function tallyVotes(
  votes: readonly Vote[],
  abstentionThreshold: number,
  weightOf: (vote: Vote, index: number) => number = () => 1,
): VoteTally {
  const sum = { approving: 0, rejecting: 0, abstaining: 0 };
  const count = { approving: 0, rejecting: 0, abstaining: 0 };
  let confidences = 0;
  for (const [index, vote] of votes.entries()) {
    const isCast = vote !== null && vote.confidence >= abstentionThreshold;
    const side = !isCast ? 'abstaining' : vote.approves ? 'approving' : 'rejecting';
    count[side]++;
    sum[side] += weightOf(vote, index);
    if (isCast) confidences += vote.confidence;
  }
  const cast = count.approving + count.rejecting;
  return {
    approvals: count.approving,
    rejections: count.rejecting,
    abstentions: count.abstaining,
    weights: sum,
    confidence: cast === 0 ? null : confidences / cast,
  };
}

export interface ReviewVoteResult extends VoteTally {
  /** The result; `undecided`: a reviewer decides; `nobody`: no vote was cast. */
  readonly decision: 'approve' | 'reject' | 'undecided' | 'nobody';
}

const TIES = { reject: 'reject', accept: 'approve', escalate: 'undecided' } as const;

function decide(
  { approvals, rejections, abstentions, weights }: VoteTally,
  rules: VotingRules,
): ReviewVoteResult['decision'] {
  if (approvals + rejections === 0) return 'nobody';
  if (rules.strategy === 'unanimous') return rejections === 0 ? 'approve' : 'reject';
  if (rules.strategy === 'quorum') {
    if (approvals >= rules.quorum) return 'approve';
    // Those who abstained might have completed the quorum: that is no vote against the work.
    return rejections === 0 || approvals + abstentions >= rules.quorum ? 'undecided' : 'reject';
  }
  const { approving, rejecting } = weights;
  return approving === rejecting ? TIES[rules.tie_break] : approving > rejecting ? 'approve' : 'reject';
}

/** Decides votes by the rules of `cross_model`. */
export function decideReviewVotes(votes: readonly Vote[], rules: VotingRules): ReviewVoteResult {
  const weightOf = (vote: Vote): number => (rules.strategy === 'weighted' ? (vote?.confidence ?? 0) : 1);
  const tally = tallyVotes(votes, rules.abstention_threshold, weightOf);
  return { ...tally, decision: decide(tally, rules) };
}
