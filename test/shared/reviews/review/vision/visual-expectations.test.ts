import { describe, expect, it } from 'vitest';
import { hasReviewGateFailedOpen } from '../../../../../shared/control/ledger/judgement-rows.ts';
import { joinVerdictWithJudgements } from '../../../../../shared/control/verdict/join-judgements.ts';
import { addMissingReviewGateJudgements } from '../../../../../shared/reviews/reviewers/expected-judgements.ts';
import { gate, judgement, verdict } from '../../../../support/builders.ts';
import { buildPng, buildPngChunk, buildPngHeader, drawPng } from '../../../../support/png-builder.ts';
import { look, reviewed, shotOf } from './support.ts';

const BLUE = [0, 0, 255];
const RED = [220, 20, 20];
const taken = (name: string, colour: readonly number[]) => {
  const png = drawPng(4, 3, colour);
  return [shotOf(name, png, 4, 3), png] as const;
};
const expects = (...expectations: object[]) => ({
  vision: { enabled: true, verifier: 'heuristic', expectations },
});
const blue = { kind: 'dominant_colour', description: 'the page is blue', expected_rgb: BLUE };

describe('rules on pixels', () => {
  it.each<[string, object, readonly number[], 'pass' | 'fail']>([
    ['a colour that is far', blue, RED, 'fail'],
    ['a colour that is near', blue, [10, 10, 240], 'pass'],
    [
      'a colour that is as far as is allowed',
      { ...blue, expected_rgb: [0, 0, 0], tolerance: 1 },
      [255, 255, 255],
      'pass',
    ],
    [
      'unlike the seed’s source, a tolerance of the configuration where none is said',
      blue,
      [0, 0, 180],
      'fail',
    ],
    ['a tolerance of its own before that', { ...blue, tolerance: 0.2 }, [0, 0, 180], 'pass'],
    ['a blank page', { kind: 'not_blank', description: 'there is something' }, [255, 255, 255], 'fail'],
    ['what is no more than medium, for who is free', { ...blue, severity: 'medium' }, RED, 'pass'],
  ])('%s', async (_, expectation, colour, word) => {
    const [said] = await look({ task: reviewed(expects(expectation)), pictures: [taken('start', colour)] });
    expect(said).toMatchObject({
      kind: 'vision',
      outcome: word === 'pass' ? 'passed' : 'failed',
      verdict: word,
      confidence: 1,
      calls: 0,
      model: null,
      cost_usd: null,
    });
  });

  it('send work back with what was seen, and where', async () => {
    const [said] = await look({ task: reviewed(expects(blue)), pictures: [taken('start', RED)] });
    const seen = 'start: the mean colour is (220, 20, 20), 0.730 from (0, 0, 255); 0.15 is allowed';
    expect(said?.reasons).toEqual([
      `vision blocked: the page is blue: ${seen}`,
      `high requirements_mismatch in start: the page is blue (${seen})`,
    ]);
  });

  it.each([
    ['full', 'pass'],
    ['semi', 'pass'],
    ['supervised', 'fail'],
    ['locked', 'fail'],
  ] as const)('count by severity and autonomy as one table has it: medium, %s', async (autonomy, word) => {
    const task = reviewed(expects({ ...blue, severity: 'medium' }));
    const [said] = await look({ task, pictures: [taken('start', RED)], autonomy });
    expect(said?.verdict).toBe(word);
  });

  it('look at the last picture, or at the one that is named', async () => {
    const pictures = [taken('start', BLUE), taken('cart', RED)];
    expect((await look({ task: reviewed(expects(blue)), pictures }))[0]?.verdict).toBe('fail');
    const named = reviewed(expects({ ...blue, screenshot: 'start' }));
    expect((await look({ task: named, pictures }))[0]?.verdict).toBe('pass');
  });
});

describe('a picture that cannot be looked at leaves the gate open, says so and is counted:', () => {
  const [shot, png] = taken('start', BLUE);
  const bomb = buildPng(
    buildPngHeader({ width: 4, height: 3 }),
    buildPngChunk('IDAT', Buffer.alloc(9)),
    buildPngChunk('IEND'),
  );
  const other = drawPng(4, 3, RED);
  it.each<[string, Parameters<typeof look>[0]['pictures'], object, string]>([
    ['it is gone', [[shot, png]], { screenshot: 'cart' }, 'there is no picture cart'],
    [
      'it is another than was taken',
      [[shot, other.subarray(0, png.length)]],
      {},
      'start is not what the evidence tells of',
    ],
    ['it is none', [[shotOf('start', bomb, 4, 3), bomb]], {}, 'cannot be decompressed'],
    ['it is larger than was said', [[shotOf('start', png, 4, 4), png]], {}, 'is 4 x 3, not 4 x 4'],
  ])('%s', async (_, pictures, more, why) => {
    const task = reviewed(expects({ ...blue, ...more }));
    const [said] = await look({ task, ...(pictures && { pictures }) });
    expect(said).toMatchObject({ kind: 'vision', outcome: 'infra_failed', verdict: 'pass', confidence: 0 });
    expect(said?.reasons[0]).toMatch(/^info visual_defect: nobody looked/);
    expect(said?.reasons[0]).toContain(why);
    expect(said && hasReviewGateFailedOpen(said)).toBe(true);
  });

  it('nobody keeps it any more', async () => {
    const gates = [gate({ name: 'screenshots', screenshots: [shot] })];
    const [said] = await look({ task: reviewed(expects(blue)), gates });
    expect(said?.reasons[0]).toContain('not kept any more');
  });
});

describe('without pictures', () => {
  it.each<[string, ReturnType<typeof gate>[], string]>([
    ['the gate is off', [], 'has not run'],
    [
      'there is no browser',
      [gate({ name: 'screenshots', outcome: 'could_not_run', detail: 'no Chromium' })],
      'could_not_run (no Chromium)',
    ],
    [
      'the application does not start',
      [gate({ name: 'screenshots', outcome: 'failed', detail: 'it ended' })],
      'failed (it ended)',
    ],
    [
      'the gate was passed over',
      [gate({ name: 'screenshots', outcome: 'skipped', detail: 'no code' })],
      'skipped (no code)',
    ],
  ])('nothing is looked at, which is said and is no pass: %s', async (_, gates, why) => {
    for (const [on_missing_deliverable, outcome, word] of [
      ['skip', 'skipped', 'pass'],
      ['hold', 'could_not_run', 'refer'],
      ['block', 'failed', 'fail'],
    ] as const) {
      const vision = { ...expects(blue).vision, on_missing_deliverable };
      const [said] = await look({ task: reviewed({ vision }), gates });
      expect(said).toMatchObject({ kind: 'vision', outcome, verdict: word, calls: 0 });
      expect(said?.request_reason).toContain(why);
      expect(said && hasReviewGateFailedOpen(said)).toBe(false);
    }
  });

  it('unlike the seed, noop is no clean report: it has looked at nothing, and says so', async () => {
    const task = reviewed({ vision: { enabled: true } });
    const [said] = await look({ task, pictures: [taken('start', RED)] });
    expect(said).toMatchObject({ outcome: 'skipped', verdict: 'pass', confidence: null });
    expect(said?.request_reason).toContain('noop looks at nothing');
  });

  it('a workflow that does not want it has nothing said of it', async () => {
    expect(await look({ task: reviewed({}), pictures: [taken('start', RED)] })).toEqual([]);
    expect(addMissingReviewGateJudgements(reviewed({}), verdict(), [])).toEqual([]);
  });
});

describe('work that has been sent back before', () => {
  const task = reviewed({ stakes: 'high', red_team: { enabled: true }, ...expects(blue) });
  const gateOf = (observed: 'pass' | 'fail', made: Parameters<typeof addMissingReviewGateJudgements>[2]) =>
    addMissingReviewGateJudgements(task, verdict({ verdict: observed }), made).find(
      ({ kind }) => kind === 'vision',
    );
  const down = judgement({ kind: 'verification', verdict: 'fail' });
  const attacked = judgement({ kind: 'red_team', verdict: 'fail' });
  it.each([
    ['what ran has failed', gateOf('fail', []), 'what was observed has failed'],
    ['it was graded down', gateOf('pass', [down]), 'graded down'],
    ['the red team has blocked it', gateOf('pass', [attacked]), 'the red team has sent the work back'],
  ])('is not looked at: %s', (_, said, why) => {
    expect(said).toMatchObject({ outcome: 'skipped', verdict: 'pass' });
    expect(said?.request_reason).toContain(why);
  });

  it('is not read for it either', async () => {
    const attacker = {
      provider: 'anthropic',
      model: 'gemini-3',
      key: { via: 'environment', variable: 'K' },
    } as const;
    const finding = {
      attack_surface: 'security',
      severity: 'high',
      description: 'open',
      evidence: ['a:1'],
      suggested_fix: '',
    };
    const said = await look({
      task,
      pictures: [taken('start', RED)],
      models: { red_team: attacker },
      ask: async (_model, { answerSchema }) => ({
        value: answerSchema.parse({ findings: [finding], summary: 's' }) as never,
        ...{ calls: 1, tokens: null, ms: 1 },
      }),
    });
    expect(said.map(({ kind }) => kind)).toEqual(['red_team']);
  });

  it('is looked at where the judging step gave no answer: a fault, and open', () => {
    const said = gateOf('pass', []);
    expect(said).toMatchObject({ outcome: 'infra_failed', verdict: 'pass' });
    expect(said && hasReviewGateFailedOpen(said)).toBe(true);
  });
});

it('adds no evidence: what was not verified is not, whatever is seen', async () => {
  const made = await look({ task: reviewed(expects(blue)), pictures: [taken('start', BLUE)] });
  for (const verified of [true, false])
    for (const word of ['pass', 'refer', 'fail'] as const)
      expect(joinVerdictWithJudgements(verdict({ verdict: word, verified }), made)).toMatchObject({
        verdict: word,
        verified,
      });
});
