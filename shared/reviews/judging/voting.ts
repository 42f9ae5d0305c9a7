import * as z from 'zod';

/** How several reviewers come to one word. */
export const VotingRules = z.strictObject({
  /** How many of the configured models are asked. */
  reviewers: z.number().int().min(1).max(9).default(1),
  strategy: z.enum(['majority', 'quorum', 'weighted', 'unanimous']).default('quorum'),
  /** Approvals that `quorum` needs. */
  quorum: z.number().int().min(1).max(9).default(1),
  /** A reviewer that is less sure than this has abstained. */
  abstention_threshold: z.number().min(0).max(1).default(0.3),
  /** What counts when as many are for it as against it; `escalate` asks a person. */
  tie_break: z.enum(['reject', 'accept', 'escalate']).default('reject'),
});
export type VotingRules = z.infer<typeof VotingRules>;

/** What one reviewer said; null: it could not be asked, or its answer could not be read. */
export type Vote = { readonly approves: boolean; readonly confidence: number } | null;

export interface VoteCount {
  /** `undecided`: a person decides. `nobody`: nobody has voted. */
  readonly decision: 'approve' | 'reject' | 'undecided' | 'nobody';
  readonly approvals: number;
  readonly rejections: number;
  readonly abstentions: number;
  /** Mean over those who voted; null where nobody has. */
  readonly confidence: number | null;
}

const TIES = { reject: 'reject', accept: 'approve', escalate: 'undecided' } as const;

function decide(
  votes: readonly NonNullable<Vote>[],
  abstentions: number,
  rules: VotingRules,
): VoteCount['decision'] {
  if (votes.length === 0) return 'nobody';
  const weight = (approves: boolean): number =>
    votes
      .filter((vote) => vote.approves === approves)
      .reduce((sum, { confidence }) => sum + (rules.strategy === 'weighted' ? confidence : 1), 0);
  const [good, bad] = [weight(true), weight(false)];
  if (rules.strategy === 'unanimous') return bad === 0 ? 'approve' : 'reject';
  if (rules.strategy === 'quorum') {
    if (good >= rules.quorum) return 'approve';
    // Those who abstained might have made it: that is no word against the work.
    return bad === 0 || good + abstentions >= rules.quorum ? 'undecided' : 'reject';
  }
  return good === bad ? TIES[rules.tie_break] : good > bad ? 'approve' : 'reject';
}

/** Counts votes. Who was not sure, or not there, has abstained: never a word for the work. */
export function countVotes(votes: readonly Vote[], rules: VotingRules): VoteCount {
  const cast = votes.filter(
    (vote) => vote !== null && vote.confidence >= rules.abstention_threshold,
  ) as NonNullable<Vote>[];
  const abstentions = votes.length - cast.length;
  const approvals = cast.filter(({ approves }) => approves).length;
  return {
    decision: decide(cast, abstentions, rules),
    approvals,
    rejections: cast.length - approvals,
    abstentions,
    confidence: cast.length === 0 ? null : cast.reduce((sum, each) => sum + each.confidence, 0) / cast.length,
  };
}
