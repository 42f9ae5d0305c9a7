import { expect, it } from 'vitest';
import { orderReasons } from '../../../../shared/control/verdict/order-reasons.ts';

const order = (...codes: string[]): string[] =>
  orderReasons(codes.map((code) => ({ code, subject: null, message: '' }))).map(({ code }) => code);

it('puts failures first, whichever step adds them', () => {
  expect(order('gate_could_not_run', 'judge_failed')).toEqual(['judge_failed', 'gate_could_not_run']);
  expect(order('advice_change_not_demonstrated', 'review_fail')).toEqual([
    'review_fail',
    'advice_change_not_demonstrated',
  ]);
});

it('puts a fault of ours after a failure of the work', () => {
  expect(order('gate_infra_failed', 'signal_failed')).toEqual(['signal_failed', 'gate_infra_failed']);
});

it('puts reasons without a place of their own before advice', () => {
  expect(order('advice_change_not_demonstrated', 'requirement_changed', 'judge_unsure')).toEqual([
    'requirement_changed',
    'judge_unsure',
    'advice_change_not_demonstrated',
  ]);
});
