import { describe, expect, it } from 'vitest';
import { flow, run } from './support.ts';

const evaluate = async (expression: string, input: unknown = {}) =>
  run(flow({ Type: 'Pass', Output: `{% ${expression} %}`, End: true }), input);

describe('expressions', () => {
  it.each([
    ['$partition([1,2,3,4,5], 2)', [[1, 2], [3, 4], [5]]],
    ['$range(1, 9, 2)', [1, 3, 5, 7, 9]],
    ['$range(3, 1, -1)', [3, 2, 1]],
    ['$range(2, 1, 1)', []],
    ['$parse(\'{"a":[1,{"b":null}]}\')', { a: [1, { b: null }] }],
    ["$hash('abc', 'MD5')", '900150983cd24fb0d6963f7d28e17f72'],
    ["$hash('abc', 'SHA-1')", 'a9993e364706816aba3e25717850c26c9cd0d89d'],
    ["$hash('abc', 'SHA-256')", 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    ['$random(7) = $random(7)', true],
    ['$random() != $random()', true],
    ['$match($uuid(), /^[0-9a-f-]{36}$/).index', 0],
    ['$uuid() != $uuid()', true],
    ['$states.input.list[n > 1].n', [2, 3]],
    ["$merge([$states.input, {'more': true}]).more", true],
  ])('evaluate %s', async (expression, expected) => {
    const result = await evaluate(expression, { list: [{ n: 1 }, { n: 2 }, { n: 3 }] });
    expect(result.output).toEqual(expected);
  });

  it.each([
    '$range(1, 2000, 1)',
    '$range(1, 2, 0)',
    '$partition([1], 0)',
    "$hash('abc', 'CRC32')",
    "$parse('{')",
    "$error('thrown')",
    'function($x) { $x }',
    '$',
  ])('fail with States.QueryEvaluationError for %s', async (expression) => {
    expect(await evaluate(expression)).toMatchObject({
      status: 'FAILED',
      error: 'States.QueryEvaluationError',
    });
  });

  it('see the execution, the state and the machine in the context', async () => {
    const { output } = await evaluate('$states.context', { a: 1 });
    expect(output).toMatchObject({
      Execution: {
        Id: expect.stringMatching(/^arn:aws:states:us-east-1:000000000000:express:M:/),
        Input: { a: 1 },
        Name: expect.any(String),
        StartTime: expect.stringMatching(/Z$/),
      },
      State: { Name: 'First', EnteredTime: expect.stringMatching(/Z$/), RetryCount: 0 },
      StateMachine: { Id: expect.stringContaining(':stateMachine:M'), Name: 'M' },
    });
  });
});

describe('the limit of 256 KiB', () => {
  it('holds for what a state puts out, and is not caught by States.ALL', async () => {
    const machine = flow(
      {
        Type: 'Parallel',
        Branches: [
          {
            StartAt: 'Only',
            States: { Only: { Type: 'Pass', Output: '{% $pad("", 262143) %}', End: true } },
          },
        ],
        Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Caught' }],
        End: true,
      },
      { Caught: { Type: 'Succeed' } },
    );
    expect(await run(machine)).toMatchObject({ status: 'FAILED', error: 'States.DataLimitExceeded' });
  });

  it('counts bytes of UTF-8, and 262,144 of them are allowed', async () => {
    expect((await evaluate('$pad("", 131071, "é")')).status).toBe('SUCCEEDED');
    expect((await evaluate('$pad("", 131072, "é")')).error).toBe('States.DataLimitExceeded');
  });
});
