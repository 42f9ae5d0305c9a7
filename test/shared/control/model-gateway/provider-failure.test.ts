import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  classifyCallResult,
  parseDurationMs,
} from '../../../../shared/control/model-gateway/provider-failure.ts';
import { FIXED_NOW } from '../../../support/builders.ts';

const at = (seconds: number): string => new Date(FIXED_NOW.getTime() + seconds * 1_000).toISOString();
const waits = (status: number, headers: Record<string, string>, body: unknown = {}): number | null => {
  const end = classifyCallResult(status, new Headers(headers), JSON.stringify(body), FIXED_NOW);
  if (typeof end !== 'object' || end.retryAtMs === null) return null;
  return (end.retryAtMs - FIXED_NOW.getTime()) / 1_000;
};

describe('how long a provider wants to be left alone', () => {
  test.each<[string, Record<string, string>, unknown, number | null]>([
    ['in seconds', { 'retry-after': '600' }, {}, 600],
    ['as a date', { 'retry-after': new Date(FIXED_NOW.getTime() + 90_000).toUTCString() }, {}, 90],
    ['in milliseconds, which are more exact', { 'retry-after': '3', 'retry-after-ms': '2500' }, {}, 2.5],
    [
      'by Anthropic, of the limit that is used up',
      {
        'anthropic-ratelimit-requests-remaining': '12',
        'anthropic-ratelimit-requests-reset': at(500),
        'anthropic-ratelimit-input-tokens-remaining': '0',
        'anthropic-ratelimit-input-tokens-reset': at(40),
      },
      {},
      40,
    ],
    [
      'by OpenAI, of the limit that takes longest',
      {
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '20ms',
        'x-ratelimit-remaining-tokens': '0',
        'x-ratelimit-reset-tokens': '6m0.5s',
      },
      {},
      360.5,
    ],
    [
      'by Google, among the details',
      {},
      {
        error: {
          code: 429,
          details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.07s' }],
        },
      },
      34.07,
    ],
    ['not at all', {}, {}, null],
    ['never', { 'retry-after': 'Tuesday or so' }, { error: { details: 'none' } }, null],
    ['in the past', { 'retry-after': 'Mon, 01 Jan 2001 00:00:00 GMT' }, {}, null],
    ['for a year: eight days are believed', { 'retry-after': '31536000' }, {}, 8 * 86_400],
  ])('is said %s', (_how, headers, body, seconds) => {
    expect(waits(429, headers, body)).toBe(seconds);
    expect(waits(503, headers, body)).toBe(seconds);
  });

  it('is read from whatever comes without harm, and never lies in the past or beyond a day', () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^[\d.msh-]{0,20}$/));
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom(
            'retry-after',
            'retry-after-ms',
            'x-ratelimit-remaining-tokens',
            'x-ratelimit-reset-tokens',
            'anthropic-ratelimit-tokens-reset',
          ),
          text.map((each) => each.replaceAll(/[^\x20-\x7e]/g, '').trim()),
        ),
        fc.oneof(fc.json(), fc.string()),
        (headers, body) => {
          const end = classifyCallResult(429, new Headers(headers), body, FIXED_NOW);
          if (typeof end !== 'object' || end.retryAtMs === null) return;
          expect(end.retryAtMs).toBeGreaterThan(FIXED_NOW.getTime());
          expect(end.retryAtMs).toBeLessThanOrEqual(FIXED_NOW.getTime() + 86_400_000);
        },
      ),
    );
  });

  it.each([
    ['1s', 1_000],
    ['1h2m3.5s', 3_723_500],
    ['250ms', 250],
    ['', null],
    ['1', null],
    ['-1s', null],
    ['1s and more', null],
  ])('takes %j for %s ms', (said, ms) => {
    expect(parseDurationMs(said)).toBe(ms);
  });
});

describe('an answer of a provider', () => {
  it.each([
    [402, 'provider_spend_limit'],
    [429, 'rate_limited'],
    [503, 'provider_overloaded'],
    [529, 'provider_overloaded'],
    [500, 'provider_transient'],
    [502, 'provider_transient'],
    [408, 'provider_transient'],
  ])('of status %i is trouble of the class %s', (status, expected) => {
    expect(classifyCallResult(status, new Headers(), '', FIXED_NOW)).toMatchObject({
      code: expected,
      status,
    });
  });

  it.each([400, 401, 403, 404, 413])('of status %i is not: the request is to blame', (status) => {
    expect(classifyCallResult(status, new Headers(), '', FIXED_NOW)).toBe('well');
  });

  it.each(['code', 'type'])(
    'that says by its %s that a quota is used up is no matter of waiting',
    (field) => {
      const body = JSON.stringify({ error: { [field]: 'insufficient_quota' } });
      expect(classifyCallResult(429, new Headers({ 'retry-after': '5' }), body, FIXED_NOW)).toEqual({
        code: 'provider_spend_limit',
        status: 429,
        retryAtMs: null,
      });
    },
  );
});
