import * as z from 'zod';
import { REVIEW_SEVERITIES, type ReviewSeverity } from '../../contract/review/review-stage-names.ts';
import { rankFindingSeverity } from './severity-matrix.ts';

const words = (most: number) => z.string().trim().min(1).max(most);

/** Findings of high and critical severity need something to show: the one rule for all gates of a review. */
export const SEVERE_FINDING_EVIDENCE_RULE = [
  ({
    severity,
    evidence,
  }: {
    readonly severity: ReviewSeverity;
    readonly evidence: readonly string[];
  }): boolean => rankFindingSeverity(severity) < rankFindingSeverity('high') || evidence.length > 0,
  { path: ['evidence'], message: 'is empty: a finding of high or critical severity needs some' },
] satisfies [unknown, object];

/** Fields of every finding of a review. */
export const REVIEW_FINDING_FIELDS = {
  severity: z.enum(REVIEW_SEVERITIES),
  description: words(1_000),
  evidence: z.array(words(500)).max(10),
  suggested_fix: z.string().max(1_000),
};

/** What an attacker says against work. */
export const RedTeamFinding = z
  .strictObject({
    attack_surface: z.enum(['correctness', 'security', 'requirements', 'grounding']),
    ...REVIEW_FINDING_FIELDS,
  })
  .refine(...SEVERE_FINDING_EVIDENCE_RULE);
export type RedTeamFinding = z.infer<typeof RedTeamFinding>;

export const MAX_REVIEW_FINDINGS = 25;
export const RedTeamReport = z.strictObject({
  findings: z.array(RedTeamFinding).max(MAX_REVIEW_FINDINGS),
  summary: z.string().max(4_096),
});
export type RedTeamReport = z.infer<typeof RedTeamReport>;

/** As many as a report holds, the most severe first. */
export const mostSevereFindings = <Finding extends { readonly severity: ReviewSeverity }>(
  findings: readonly Finding[],
): Finding[] =>
  [...findings]
    .sort((a, b) => rankFindingSeverity(b.severity) - rankFindingSeverity(a.severity))
    .slice(0, MAX_REVIEW_FINDINGS);
