import { describe, expect, it } from 'vitest';
import { FunctionError, flow, invoke, run } from './support.ts';

const pass = (output: unknown) => ({ Type: 'Pass', Output: output, End: true });

describe('Pass and Succeed', () => {
  it('pass their input on when they have no Output', async () => {
    const machine = flow({ Type: 'Pass', Next: 'Last' }, { Last: { Type: 'Succeed' } });
    expect(await run(machine, { a: [1, null, 'x'] })).toMatchObject({ output: { a: [1, null, 'x'] } });
  });

  it('replace it by their Output, expressions and constants mixed', async () => {
    const Output = { sum: '{% $states.input.a + 1 %}', list: ['{% $states.input.a %}', 'kept'], n: null };
    const machine = flow({ Type: 'Pass', Next: 'Last' }, { Last: { Type: 'Succeed', Output } });
    expect((await run(machine, { a: 2 })).output).toEqual({ sum: 3, list: [2, 'kept'], n: null });
  });

  it('fail with States.QueryEvaluationError when an expression gives nothing', async () => {
    const result = await run(flow(pass({ x: '{% $states.input.absent %}' })));
    expect(result).toMatchObject({ status: 'FAILED', error: 'States.QueryEvaluationError' });
    expect(result.cause).toContain('Output.x');
  });
});

describe('variables', () => {
  it('are seen by later states, and by Output and Assign of the state only as they were before', async () => {
    const machine = flow(
      { Type: 'Pass', Assign: { n: 1 }, Next: 'Second' },
      {
        Second: {
          Type: 'Pass',
          Assign: { n: '{% $n + 1 %}' },
          Output: { before: '{% $n %}' },
          Next: 'Third',
        },
        Third: pass({ first: '{% $states.input.before %}', after: '{% $n %}' }),
      },
    );
    expect((await run(machine)).output).toEqual({ first: 1, after: 2 });
  });

  it('of the outer flow are read in branches, and those of a branch end with it', async () => {
    const branch = {
      StartAt: 'In',
      States: { In: { Type: 'Pass', Assign: { inner: 5 }, Output: '{% $outer * 2 %}', End: true } },
    };
    const machine = flow(
      { Type: 'Pass', Assign: { outer: 21 }, Next: 'Both' },
      {
        Both: { Type: 'Parallel', Branches: [branch], Next: 'Last' },
        Last: pass({ result: '{% $states.input %}', gone: '{% $not($exists($inner)) %}' }),
      },
    );
    expect((await run(machine)).output).toEqual({ result: [42], gone: true });
  });
});

describe('Choice', () => {
  const machine = flow(
    {
      Type: 'Choice',
      Choices: [
        { Condition: '{% $states.input.n > 10 %}', Next: 'End', Output: 'large', Assign: { way: 'rule' } },
        { Condition: '{% $states.input.n > 5 %}', Next: 'End' },
      ],
      Default: 'End',
      Output: 'default',
      Assign: { way: 'default' },
    },
    { End: pass({ input: '{% $states.input %}', way: "{% $exists($way) ? $way : 'none' %}" }) },
  );
  it.each([
    [11, { input: 'large', way: 'rule' }],
    [6, { input: { n: 6 }, way: 'none' }],
    [1, { input: 'default', way: 'default' }],
  ])('takes the first rule that holds: n = %i', async (n, output) => {
    expect((await run(machine, { n })).output).toEqual(output);
  });

  it('fails with States.NoChoiceMatched when no rule holds and there is no Default', async () => {
    const Choices = [{ Condition: '{% false %}', Next: 'End' }];
    expect(await run(flow({ Type: 'Choice', Choices }, { End: pass(1) }))).toMatchObject({
      status: 'FAILED',
      error: 'States.NoChoiceMatched',
    });
  });

  it('fails when a condition is neither true nor false', async () => {
    const Choices = [{ Condition: '{% 1 %}', Next: 'End' }];
    const result = await run(flow({ Type: 'Choice', Choices }, { End: pass(1) }));
    expect(result).toMatchObject({ status: 'FAILED', error: 'States.QueryEvaluationError' });
  });
});

describe('Wait', () => {
  it.each([
    ['a constant', { Seconds: 0 }],
    ['an expression', { Seconds: '{% $states.input.zero %}' }],
    ['a time that has passed', { Timestamp: '2020-01-01T00:00:00Z' }],
  ])('goes on after %s', async (_name, wait) => {
    const machine = flow({ Type: 'Wait', ...wait, Output: 'waited', End: true });
    expect((await run(machine, { zero: 0 })).output).toBe('waited');
  });

  it.each([
    ['Seconds', '{% "soon" %}'],
    ['Seconds', '{% -1 %}'],
    ['Timestamp', '{% "not a time" %}'],
  ])('fails when %s is %s', async (field, value) => {
    const result = await run(flow({ Type: 'Wait', [field]: value, End: true }));
    expect(result).toMatchObject({ status: 'FAILED', error: 'States.QueryEvaluationError' });
  });
});

describe('Fail', () => {
  it('ends the execution with its error and cause, expressions included', async () => {
    const machine = flow({ Type: 'Fail', Error: 'Broken', Cause: "{% 'because of ' & $states.input.why %}" });
    expect(await run(machine, { why: 'tests' })).toMatchObject({
      status: 'FAILED',
      error: 'Broken',
      cause: 'because of tests',
    });
  });
});

describe('Parallel', () => {
  const branch = (state: object) => ({ StartAt: 'Only', States: { Only: state } });

  it('gives every branch its Arguments and puts the results in the order of the branches', async () => {
    const machine = flow({
      Type: 'Parallel',
      Arguments: { n: '{% $states.input.n + 1 %}' },
      Branches: [branch(invoke()), branch(pass('{% $states.input.n * 10 %}'))],
      Output: '{% $states.result %}',
      End: true,
    });
    const late = async (payload: unknown) => {
      await new Promise(setImmediate);
      return payload;
    };
    expect((await run(machine, { n: 1 }, { f: late })).output).toEqual([{ n: 2 }, 20]);
  });

  it('stops the other branches when one fails, and can catch its error by name', async () => {
    const machine = flow(
      {
        Type: 'Parallel',
        Branches: [
          branch({ Type: 'Wait', Seconds: 3600, End: true }),
          branch({ Type: 'Fail', Error: 'Broken', Cause: 'branch' }),
        ],
        Catch: [{ ErrorEquals: ['Broken'], Next: 'Caught', Output: '{% $states.errorOutput %}' }],
        End: true,
      },
      { Caught: { Type: 'Succeed' } },
    );
    expect((await run(machine)).output).toEqual({ Error: 'Broken', Cause: 'branch' });
  });
});

describe('Map', () => {
  const map = (more: object, state: object) =>
    flow({
      Type: 'Map',
      ItemProcessor: {
        ProcessorConfig: { Mode: 'INLINE' },
        StartAt: 'Item',
        States: { Item: state },
      },
      End: true,
      ...more,
    });

  it('runs its processor for each item, with the item as input, and keeps the order', async () => {
    const machine = map({ Items: '{% $states.input.list %}' }, pass('{% $states.input * 2 %}'));
    expect((await run(machine, { list: [3, 1, 2] })).output).toEqual([6, 2, 4]);
  });

  it('takes its own input as the items and gives ItemSelector and states the item and its index', async () => {
    const ItemSelector = { at: '{% $states.context.Map.Item.Index %}', all: '{% $count($states.input) %}' };
    const state = pass({ got: '{% $states.input %}', value: '{% $states.context.Map.Item.Value %}' });
    expect((await run(map({ ItemSelector }, state), ['a', 'b'])).output).toEqual([
      { got: { at: 0, all: 2 }, value: 'a' },
      { got: { at: 1, all: 2 }, value: 'b' },
    ]);
  });

  it('runs no more iterations at once than MaxConcurrency', async () => {
    let running = 0;
    let most = 0;
    const f = async () => {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running--;
      return null;
    };
    await run(map({ MaxConcurrency: 3 }, invoke()), [1, 2, 3, 4, 5, 6, 7, 8], { f });
    expect(most).toBe(3);
  });

  it('fails with the error of an iteration, and starts no further one', async () => {
    const seen: unknown[] = [];
    const f = (item: unknown) => {
      seen.push(item);
      throw new FunctionError('BadItem');
    };
    const result = await run(map({ MaxConcurrency: 1 }, invoke()), [1, 2, 3], { f });
    expect(result).toMatchObject({ status: 'FAILED', error: 'BadItem' });
    expect(seen).toEqual([1]);
  });

  it('refuses items that are not an array', async () => {
    const result = await run(map({}, pass(1)), { not: 'an array' });
    expect(result).toMatchObject({ status: 'FAILED', error: 'States.QueryEvaluationError' });
  });

  it('gives an empty array for no items', async () => {
    expect((await run(map({}, pass(1)), [])).output).toEqual([]);
  });
});
