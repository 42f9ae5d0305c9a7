import type { Judgement } from '../../contract/judgement/judgement.ts';

/** What a gate of a review has found, or why it has not looked, where that lets the work on; what stops work is among the reasons of its verdict. */
export const listAdvisoryFindings = ({
  kind,
  verdict,
  reasons,
}: Pick<Judgement, 'kind' | 'verdict' | 'reasons'>): readonly string[] =>
  (kind === 'red_team' || kind === 'vision') && verdict === 'pass' ? reasons : [];
