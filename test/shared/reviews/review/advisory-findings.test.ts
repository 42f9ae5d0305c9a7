import { expect, it } from 'vitest';
import { listAdvisoryFindings } from '../../../../shared/reviews/review/advisory-findings.ts';
import { judgement } from '../../../support/builders.ts';

const reasons = ['low missing_element in cart: no sum'];
it.each([
  ['a gate that lets work on keeps what it has found', 'vision', 'pass', reasons],
  ['so does the red team', 'red_team', 'pass', reasons],
  ['what sends work back is among the reasons of the verdict', 'vision', 'fail', []],
  ['what a judge of another kind says of good work is not shown', 'llm_judge', 'pass', []],
] as const)('%s', (_, kind, verdict, kept) => {
  expect(listAdvisoryFindings(judgement({ kind, verdict, reasons }))).toEqual(kept);
});
