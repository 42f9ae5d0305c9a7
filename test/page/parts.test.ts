import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { ApiProblemError, errorFromResponse, TokenExpiredError } from '../../page/api/api-errors.ts';
import { nextPollInterval, POLL_INTERVALS } from '../../page/api/poll-interval.ts';
import { TASK_GROUPS, taskGroupOf } from '../../page/board/task-groups.ts';
import { escapeInvisibleCharacters, escapeToOneLine } from '../../page/components/escape-text.ts';
import { rangeOfAtLeastAWeek } from '../../page/components/week-range.ts';
import { pageRouteHash, pageTitle, parsePageRoute } from '../../page/page-route.ts';
import { shouldShowNudge } from '../../page/shell/verification-nudge-text.ts';
import { createTimeScale } from '../../page/task/time-scale.ts';
import { type TimeSpan, taskTimeSpans } from '../../page/task/time-spans.ts';
import { listUnknownFacts } from '../../page/task/unknown-facts.ts';
import { attemptListView, taskView } from '../../shared/api/task-views.ts';
import { TASK_STATUSES } from '../../shared/contract/task/status.ts';
import { buildVerificationNudge } from '../../shared/control/ledger/verification-nudge.ts';
import { attempt, task } from '../support/builders.ts';
import { buildCompletions } from '../support/completions.ts';
import { heldTask } from './support/story.ts';

describe('text from outside', () => {
  it.each([
    ['\u001b[31mred\u001b[0m', 'red'],
    ['\u001b]0;title\u0007text', 'text'],
    ['a\u202eb', 'a⟨U+202E⟩b'],
    ['a\u0000b\rc', 'a⟨U+0000⟩b⟨U+000D⟩c'],
    ['line\n\tnext 👩\u200d🚀', 'line\n\tnext 👩\u200d🚀'],
  ])('is shown with what would be unseen: %j', (text, shown) => {
    expect(escapeInvisibleCharacters(text)).toBe(shown);
  });

  test('never keeps a character that turns text around or is unseen', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(escapeInvisibleCharacters(text).replace(/[\n\t\u200d]/g, '')).not.toMatch(
          /[\p{Cc}\p{Cf}\u2028\u2029]/u,
        );
      }),
      { numRuns: 40 },
    );
  });

  it('is cut on one line without a look at all of it', () => {
    expect(escapeToOneLine('x'.repeat(5_000_000), 20)).toBe(`${'x'.repeat(19)}…`);
  });
});

describe('how often it asks', () => {
  it('is soon after a change, and less and less else', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 8].reduce<number[]>(
      (all) => [...all, nextPollInterval(all.at(-1) ?? 0, 'same')],
      [],
    );
    expect(waits[0]).toBe(3_000);
    expect(waits.at(-1)).toBe(POLL_INTERVALS.latest);
    expect(nextPollInterval(POLL_INTERVALS.latest, 'changed')).toBe(POLL_INTERVALS.soonest);
    expect(nextPollInterval(29_000, 'away')).toBe(POLL_INTERVALS.away);
  });
});

describe('an answer that is no success', () => {
  it.each([
    [401, { message: 'Unauthorized' }, TokenExpiredError],
    [403, { message: 'Forbidden' }, TokenExpiredError],
    [401, { code: 'unauthenticated' }, TokenExpiredError],
    [403, { code: 'forbidden', detail: 'no' }, ApiProblemError],
    [412, { code: 'version_mismatch', detail: 'no' }, ApiProblemError],
  ])('%i %j is told apart', (status, body, kind) => {
    expect(errorFromResponse(status, body)).toBeInstanceOf(kind);
  });

  it.each([
    [500, { code: 'internal' }],
    [429, null],
    [502, 'x'],
  ])('%i is nobody at home', (status, body) => {
    expect(errorFromResponse(status, body).constructor.name).toBe('ApiUnavailableError');
  });
});

describe('an address', () => {
  it.each([
    { view: 'board' },
    { view: 'board', filter: { group: 'needs review', words: 'a&b #1' } },
    { view: 'quality' },
    { view: 'task', id: 'a/b%#' },
  ] as const)('leads back to %j', (place) => {
    expect(parsePageRoute(pageRouteHash(place))).toEqual(place);
  });

  it.each(['', '#', '#/task/', '#/task/%E0', '#/none'])(
    'that leads nowhere leads to the board: %j',
    (hash) => {
      expect(parsePageRoute(hash)).toEqual({ view: 'board' });
    },
  );
});

it('has a group for every status', () => {
  for (const status of TASK_STATUSES) expect(TASK_GROUPS).toContain(taskGroupOf({ status, hold: null }));
});

it('tells of unverified work above the threshold, once for each further one', () => {
  const at = (unverified: number) => buildVerificationNudge(buildCompletions(3, unverified));
  expect([
    shouldShowNudge(at(1), 0),
    shouldShowNudge(at(3), 0),
    shouldShowNudge(at(3), 3),
    shouldShowNudge(at(4), 3),
    shouldShowNudge(null, 0),
  ]).toEqual([false, true, false, true, false]);
});

describe('a task', () => {
  it('is unknown in everything before anybody has begun', () => {
    const fresh = task({ base_commit: null });
    expect(listUnknownFacts(taskView(fresh), attemptListView(fresh))).toEqual([
      'Which commit the base is: it is not resolved yet.',
      'Everything about the work: nobody has begun.',
    ]);
  });

  it('says what of it is unknown when a gate could not run, and when a cost is', () => {
    const held = heldTask();
    expect(listUnknownFacts(taskView(held), attemptListView(held))).toContain(
      'Attempt 1: what security_scan would say (could not run).',
    );
    const costless = task({
      attempts: [
        attempt({
          model: null,
          report: {
            status: 'completed',
            summary: 's',
            failure_code: null,
            output_tail: '',
            retry_after_s: null,
            at: '2026-11-20T10:01:00.000Z',
          },
        }),
      ],
    });
    expect(listUnknownFacts(taskView(costless), attemptListView(costless)).join(' ')).toMatch(
      /which model did it.*what it cost.*not checked yet/s,
    );
  });

  it('is told over time from its submission on, and no stretch ends before it begins', () => {
    const held = heldTask();
    const spans = taskTimeSpans(taskView(held), attemptListView(held).attempts);
    expect(spans[0]).toMatchObject({ kind: 'waiting', start: Date.parse(held.created_at) });
    expect(spans.at(-1)).toMatchObject({ kind: 'person', end: null });
    for (const { start, end } of spans) expect(end === null || end >= start).toBe(true);
  });
});

describe('a tab', () => {
  it('is called by what is looked at, whatever stands in the address', () => {
    const called = ['#/board', '#/quality', '#/task/T1', '#/task/a%E2%80%AEb'].map((each) =>
      pageTitle(parsePageRoute(each)),
    );
    expect(called).toEqual(['Assay', 'Quality · Assay', 'T1 · Assay', 'a⟨U+202E⟩b · Assay']);
  });
});

describe('how time is drawn', () => {
  it('takes a week at least, up to the latest day', () => {
    const day = 86_400;
    expect(rangeOfAtLeastAWeek(100 * day, 100 * day)).toEqual([93 * day, 100 * day]);
    expect(rangeOfAtLeastAWeek(71 * day, 100 * day)).toEqual([71 * day, 100 * day]);
  });

  it('gives no time to what was remembered', () => {
    const held = heldTask();
    const [first] = attemptListView(held).attempts;
    if (!first?.verification) throw new Error('the story has no evidence');
    const gates = first.verification.gates.map((each) => ({ ...each, cached: true }));
    const spans = taskTimeSpans(taskView(held), [
      { ...first, verification: { ...first.verification, gates } },
    ]);
    const drawn = spans.filter(({ kind }) => kind === 'gate');
    expect(drawn.length).toBeGreaterThan(0);
    for (const { start, end } of drawn) expect(end).toBe(start);
  });

  const span = (kind: TimeSpan['kind'], from: number, to: number | null): TimeSpan => ({
    ...{ label: kind, kind, start: from, end: to, note: '', depth: 0 },
  });

  it('leaves work its room where a person is waited for for days', () => {
    const spans = [span('waiting', 0, 60), span('agent', 60, 160), span('person', 160, null)];
    const { positionOf, hasShortenedWaits } = createTimeScale(spans, 0, 400_000, 400_000);
    expect(hasShortenedWaits).toBe(true);
    // Of 15, 100 and 15.
    expect(
      [positionOf(0), positionOf(60), positionOf(160), positionOf(400_000)].map((each) =>
        Math.round(each * 130),
      ),
    ).toEqual([0, 15, 115, 130]);
  });

  test('never turns time around, begins at 0 and ends at 1', () => {
    const spans = fc.array(
      fc
        .tuple(fc.constantFrom('waiting', 'agent', 'gate', 'person'), fc.nat(1_000), fc.option(fc.nat(1_000)))
        .map(([kind, from, took]) =>
          span(kind as TimeSpan['kind'], from, took === null ? null : from + took),
        ),
      { minLength: 1, maxLength: 8 },
    );
    fc.assert(
      fc.property(spans, fc.array(fc.nat(2_500), { minLength: 2, maxLength: 6 }), (all, moments) => {
        const now = 2_000;
        const first = Math.min(...all.map(({ start }) => start));
        const last = Math.max(first + 1, ...all.map(({ start, end }) => end ?? Math.max(start, now)));
        const { positionOf } = createTimeScale(all, first, last, now);
        const inside = moments.map((each) => Math.min(last, Math.max(first, each))).sort((a, b) => a - b);
        const drawn = inside.map(positionOf);
        expect(drawn).toEqual(drawn.toSorted((a, b) => a - b));
        for (const each of drawn) expect(each >= 0 && each <= 1 + 1e-9).toBe(true);
        expect([positionOf(first), Math.round(positionOf(last) * 1e6) / 1e6]).toEqual([0, 1]);
      }),
      { numRuns: 200 },
    );
  });
});
