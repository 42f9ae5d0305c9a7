import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FAILURE_CODES, type FailureCode } from '../../../../shared/contract/failure/failure-class.ts';
import {
  FAILURE_CLASS_POLICIES,
  FAILURE_CODE_POLICIES,
  isRemedyOutsideAttemptBudget,
  remedyForCode,
} from '../../../../shared/contract/failure/failure-classes.ts';
import { FAILURE_CLASSES, type FailureClass } from '../../../../shared/contract/failure/failure-record.ts';
import { classifyAttemptFailure } from '../../../../shared/control/failures/attempt-failure.ts';
import {
  classifyFailure,
  type FailureEvidence,
} from '../../../../shared/control/failures/classify-failure.ts';
import { attempt, meteredUsage, report, verdict } from '../../../support/builders.ts';

const FIXTURES = join(import.meta.dirname, '../../../fixtures/agent-clis');
interface Recorded {
  readonly kind: string;
  readonly name: string;
  readonly exit_code: number | null;
  readonly class: FailureCode | null;
}
const recorded = JSON.parse(readFileSync(join(FIXTURES, 'recorded.json'), 'utf8')) as Recorded[];

describe('what the agent CLIs have really printed', () => {
  const failing = recorded.filter(
    (each) => each.class !== null && FAILURE_CODE_POLICIES[each.class].class !== null,
  );

  it.each(failing.map((each) => [each.kind, each.name, each.class as FailureCode, each.exit_code] as const))(
    '%s, %s: what the adapter made of it outweighs all words in it',
    (kind, name, code, exit_code) => {
      const file = join(FIXTURES, kind, `${name}.jsonl`);
      const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
      const classified = classifyFailure({ code, ...(exit_code !== null && { exit_code }), text });
      expect(classified.class).toBe(FAILURE_CODE_POLICIES[code].class);
      expect(classified.matched_rule).toBe(`code ${code}`);
    },
  );

  const told: readonly FailureCode[] = ['rate_limited', 'provider_spend_limit', 'provider_overloaded'];
  const byWords = failing.filter(
    ({ kind, name, class: of }) =>
      of !== null && told.includes(of) && existsSync(join(FIXTURES, kind, `${name}.jsonl`)),
  );

  it('tell enough by their words alone, where nothing else is known', () => {
    const right = byWords.filter(({ kind, name, class: of }) => {
      const text = readFileSync(join(FIXTURES, kind, `${name}.jsonl`), 'utf8');
      return of !== null && classifyFailure({ text }).class === FAILURE_CODE_POLICIES[of].class;
    });
    expect(byWords.length).toBeGreaterThan(10);
    expect(right.length / byWords.length).toBeGreaterThan(0.6);
  });
});

describe('a failure', () => {
  it.each<[string, FailureEvidence, FailureClass, string]>([
    [
      'a status before words',
      { http_status: 401, text: 'I fixed the timeout bug' },
      'provider_auth',
      'http_status 401',
    ],
    [
      'a spent limit that comes as 429',
      { http_status: 429, error_code: 'insufficient_quota' },
      'provider_spend_limit',
      'error_code insufficient_quota',
    ],
    [
      'our own word for it',
      { http_status: 429, code: 'provider_spend_limit' },
      'provider_spend_limit',
      'code provider_spend_limit',
    ],
    ['overload', { http_status: 529 }, 'provider_transient', 'http_status 529'],
    ['a code of the system', { error_code: 'ECONNRESET' }, 'provider_transient', 'error_code ECONNRESET'],
    ['a time limit of ours', { timed_out: true }, 'timeout', 'timed_out'],
    ['the exit code of timeout(1)', { exit_code: 124 }, 'timeout', 'exit_code 124'],
    [
      'spending before limits of rate',
      { text: 'Spend limit exceeded; too many requests' },
      'provider_spend_limit',
      'text "spend limit"',
    ],
    ['a bare code', { text: 'the answer was 429' }, 'rate_limited', 'text "429"'],
    ['no code within a number', { text: 'error in line 4290' }, 'unknown', 'nothing matched'],
    [
      'a path',
      { text: 'ENOENT: no such file or directory' },
      'missing_target_path',
      'text "no such file or directory"',
    ],
    [
      'policy before approval',
      { text: 'Tool call blocked: requires approval' },
      'policy_blocked',
      'text "tool call blocked"',
    ],
    [
      'arguments',
      { text: 'Failed to parse arguments as JSON' },
      'invalid_tool_args',
      'text "failed to parse arguments as json"',
    ],
    ['nothing at all', {}, 'unknown', 'nothing matched'],
  ])('is told by %s', (_what, envelope, expected, rule) => {
    expect(classifyFailure(envelope)).toMatchObject({
      class: expected,
      matched_rule: rule,
      ...FAILURE_CLASS_POLICIES[expected],
    });
  });

  it('is one of ten, the same each time, whatever is said of it', () => {
    const envelope = fc.record(
      {
        http_status: fc.integer({ min: 100, max: 599 }),
        error_code: fc.string(),
        exit_code: fc.nat(255),
        code: fc.constantFrom(...FAILURE_CODES),
        text: fc.string({ unit: 'grapheme', maxLength: 300 }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(envelope, (each) => {
        const of = classifyFailure(each);
        expect(FAILURE_CLASSES).toContain(of.class);
        // Who cannot be helped by the same again never gets it.
        if (!of.retryable) expect(['stronger_tier', 'end', 'judge']).toContain(of.remedy);
        expect(classifyFailure(each)).toEqual(classifyFailure(each));
      }),
    );
  });

  it('is repeated only where its class is retryable, whatever finer word there is for it', () => {
    for (const code of FAILURE_CODES) {
      const of = classifyFailure({ code });
      expect(of.remedy).toBe(remedyForCode(code));
      if (isRemedyOutsideAttemptBudget(of.remedy) || of.remedy === 'again')
        expect([code, of.retryable]).toEqual([code, true]);
    }
  });

  it('is told by words only where they are of the program that failed', () => {
    const prose = 'I fixed the timeout bug, and now the service answers HTTP 401';
    const told = (end: { failure_text_source?: 'summary' | 'output_tail' }, fields = {}) =>
      classifyAttemptFailure(
        attempt({ report: report({ status: 'failed', failure_code: 'agent_failed', exit: end, ...fields }) }),
      );
    expect(told({}, { summary: prose, output_tail: prose })).toMatchObject({
      class: 'unknown',
      code: 'agent_failed',
      matched_rule: 'nothing matched',
    });
    expect(
      told({ failure_text_source: 'output_tail' }, { output_tail: 'error: HTTP 429', summary: prose }),
    ).toMatchObject({
      class: 'rate_limited',
      code: 'rate_limited',
      remedy: 'later',
      matched_rule: 'text "http 429"',
    });
  });

  it('is told by how its program ended, where no better word is there', () => {
    const ended = (end: object, fields = {}) =>
      classifyAttemptFailure(
        attempt({ report: report({ status: 'failed', failure_code: 'agent_failed', exit: end, ...fields }) }),
      );
    expect(ended({ signal: 'SIGKILL' })).toMatchObject({
      class: 'unknown',
      code: 'agent_crashed',
      remedy: 'excused',
      matched_rule: 'signal SIGKILL',
    });
    expect(ended({ exit_code: 124 })).toMatchObject({ class: 'timeout', remedy: 'again' });
    expect(ended({ http_status: 529, exit_code: 1 })).toMatchObject({ matched_rule: 'http_status 529' });
    expect(ended({ exit_code: 1 })).toMatchObject({ class: 'unknown', remedy: 'judge' });
    expect(ended({ error_code: 'error_max_turns' }, { failure_code: 'turn_limit' })).toMatchObject({
      class: 'timeout',
      matched_rule: 'error_code error_max_turns',
      remedy: 'stronger_tier',
    });
  });

  it('of an attempt is none where there is work to judge', () => {
    expect(
      classifyAttemptFailure(attempt({ report: report(), verdict: verdict({ verdict: 'fail' }) })),
    ).toBeNull();
    const failed = report({ status: 'failed', failure_code: 'provider_transient', summary: 'sorry' });
    expect(classifyAttemptFailure(attempt({ report: failed }))?.matched_rule).toBe('code provider_transient');
    const seen = meteredUsage({ code: 'rate_limited', status: 429, calls: 3, retry_at: null });
    expect(classifyAttemptFailure(attempt({ report: failed, metered_usage: seen }))).toMatchObject({
      class: 'rate_limited',
      retryable: true,
      matched_rule: 'http_status 429',
    });
  });
});
