import { describe, expect, test } from 'vitest';
import { HttpServiceUnreachableError } from '../../../../shared/api/http-client.ts';
import { FailureActionOverrides } from '../../../../shared/contract/failure/error-action-overrides.ts';
import { FAILURE_CODES } from '../../../../shared/contract/failure/failure-class.ts';
import {
  FAILURE_CLASS_POLICIES,
  FAILURE_CODE_POLICIES,
  remedyForCode,
} from '../../../../shared/contract/failure/failure-classes.ts';
import { FAILURE_CLASSES } from '../../../../shared/contract/failure/failure-record.ts';
import { Refusal } from '../../../../shared/contract/refusal.ts';
import { decideNextCascadeAction } from '../../../../shared/control/cascade/decide-after-attempt.ts';
import { classifyFailure } from '../../../../shared/control/failures/classify-failure.ts';
import {
  applyErrorActionOverrides,
  ERROR_ACTION_OF_REMEDY,
} from '../../../../shared/control/failures/remedy-actions.ts';
import {
  AssumptionViolatedError,
  ClarificationRequiredError,
  classifyErrorFailureCode,
  findErrorActionForError,
  PlanReviewRequiredError,
  ToolActionBlockedError,
} from '../../../../shared/control/failures/thrown-errors.ts';
import { MiddlewareConfigError } from '../../../../shared/control/middleware/compose-middleware.ts';
import { attempt, FIXED_NOW, task } from '../../../support/builders.ts';

const MODELS = { haiku: 'h', sonnet: 's', opus: 'o' };

describe('retry, escalate or fail is read off the one table of failures', () => {
  test.each([
    ['timeout', 'retry'],
    ['invalid_tool_args', 'escalate'],
    ['missing_target_path', 'escalate'],
    ['policy_blocked', 'escalate'],
    ['permission_required', 'escalate'],
    ['provider_spend_limit', 'fail'],
    ['provider_auth', 'fail'],
    ['rate_limited', 'retry'],
    ['provider_transient', 'retry'],
    ['unknown', 'escalate'],
  ] as const)('%s: %s', (of, action) => {
    expect(ERROR_ACTION_OF_REMEDY[FAILURE_CLASS_POLICIES[of].remedy]).toBe(action);
  });

  test('for each word of our boxes, too', () => {
    for (const code of FAILURE_CODES)
      expect(['retry', 'escalate', 'fail']).toContain(ERROR_ACTION_OF_REMEDY[remedyForCode(code)]);
  });
});

const named = (name: string, more: object = {}): Error => Object.assign(new Error(name), { name, ...more });

describe('what is thrown is', () => {
  test.each([
    [named('ThrottlingException'), 'retry'],
    [named('TimeoutError'), 'retry'],
    [new HttpServiceUnreachableError('x'), 'retry'],
    [named('Error', { code: 'ECONNRESET' }), 'retry'],
    [named('Error', { code: 'UND_ERR_SOCKET' }), 'retry'],
    [named('Odd', { retryable: true }), 'retry'],
    [new ClarificationRequiredError('T', ['r']), 'escalate'],
    [new PlanReviewRequiredError('T', 'locked'), 'escalate'],
    [new AssumptionViolatedError('x'), 'escalate'],
    [new ToolActionBlockedError('x'), 'escalate'],
    [new MiddlewareConfigError('x'), 'fail'],
    [named('ZodError'), 'fail'],
    [new Refusal('self_review', 'x'), 'fail'],
    [new TypeError('x'), 'fail'],
    ['a text', 'fail'],
    [null, 'fail'],
  ] as const)('%s: %s', (error, action) => {
    expect(findErrorActionForError(error)).toBe(action);
    expect(FAILURE_CODE_POLICIES).toHaveProperty(classifyErrorFailureCode(error));
  });
});

describe("a task's own word", () => {
  const failed = (
    failure_class: (typeof FAILURE_CODES)[number],
    error_action_overrides?: FailureActionOverrides,
  ) =>
    decideNextCascadeAction(
      task({
        status: 'in_review',
        ...(error_action_overrides && { error_action_overrides: error_action_overrides }),
        attempts: [
          attempt({
            number: 1,
            report: {
              status: 'failed',
              summary: 's',
              failure_code: failure_class,
              output_tail: '',
              retry_after_s: null,
              at: FIXED_NOW.toISOString(),
            },
          }),
        ],
      }),
      MODELS,
    );

  test.each([
    ['provider_auth', undefined, 'give_up'],
    ['provider_auth', { provider_auth: 'retry' }, 'retry'],
    ['provider_auth', { provider_auth: 'escalate' }, 'escalate'],
    ['timeout', undefined, 'retry'],
    ['timeout', { timeout: 'fail' }, 'give_up'],
    ['timeout', { timeout: 'escalate' }, 'escalate'],
    ['context_too_long', { invalid_tool_args: 'fail' }, 'give_up'],
    ['timeout', { rate_limited: 'fail' }, 'retry'],
  ] as const)('of %s, %j: %s', (of, actions, decision) => {
    expect(failed(of, actions).action).toBe(decision);
  });

  test('that is the usual one leaves the finer one of the table', () => {
    const limited = classifyFailure({ code: 'rate_limited' });
    expect(applyErrorActionOverrides(limited, { rate_limited: 'retry' })).toBe(limited);
    expect(applyErrorActionOverrides(limited, { rate_limited: 'fail' })).toMatchObject({
      class: 'rate_limited',
      remedy: 'end',
    });
  });

  test.each(FAILURE_CLASSES)('may be about %s, and only one of three words', (of) => {
    expect(FailureActionOverrides.safeParse({ [of]: 'fail' }).success).toBe(true);
    expect(FailureActionOverrides.safeParse({ [of]: 'ignore' }).success).toBe(false);
  });

  test('may not be about what is no class', () => {
    expect(FailureActionOverrides.safeParse({ nope: 'fail' }).success).toBe(false);
  });
});
