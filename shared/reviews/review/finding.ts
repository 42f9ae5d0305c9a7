import * as z from 'zod';
import { SEVERITIES, type Severity } from '../../contract/review/kinds.ts';
import { rank } from './matrix.ts';

const words = (most: number) => z.string().trim().min(1).max(most);

/** Findings of high and critical severity need something to show: the one rule for all gates of a review. */
export const needsEvidence = [
  ({ severity, evidence }: { readonly severity: Severity; readonly evidence: readonly string[] }): boolean =>
    rank(severity) < rank('high') || evidence.length > 0,
  { path: ['evidence'], message: 'is empty: a finding of high or critical severity needs some' },
] satisfies [unknown, object];

/** What an attacker says against work. */
export const RedTeamFinding = z
  .strictObject({
    attack_surface: z.enum(['correctness', 'security', 'requirements', 'grounding']),
    severity: z.enum(SEVERITIES),
    description: words(1_000),
    evidence: z.array(words(500)).max(10),
    suggested_fix: z.string().max(1_000),
  })
  .refine(...needsEvidence);
export type RedTeamFinding = z.infer<typeof RedTeamFinding>;

export const MAX_FINDINGS = 25;
export const RedTeamReport = z.strictObject({
  findings: z.array(RedTeamFinding).max(MAX_FINDINGS),
  summary: z.string().max(4_096),
});
export type RedTeamReport = z.infer<typeof RedTeamReport>;

/** As many as a report holds, the most severe first. */
export const worstOf = <Finding extends { readonly severity: Severity }>(
  findings: readonly Finding[],
): Finding[] => [...findings].sort((a, b) => rank(b.severity) - rank(a.severity)).slice(0, MAX_FINDINGS);
