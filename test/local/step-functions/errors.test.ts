import { afterEach, describe, expect, it, vi } from 'vitest';
import { matchesError } from '../../../local/step-functions/interpreter/errors.ts';
import { retryDelay } from '../../../local/step-functions/interpreter/retry-and-catch.ts';
import { FunctionError, flow, invoke, run } from './support.ts';

describe('which errors a handler takes', () => {
  it.each([
    ['Custom', ['Custom'], true],
    ['Custom', ['Other'], false],
    ['Custom', ['Other', 'Custom'], true],
    ['Custom', ['States.ALL'], true],
    ['Custom', ['States.TaskFailed'], true],
    ['States.Timeout', ['States.ALL'], true],
    ['States.Timeout', ['States.Timeout'], true],
    ['States.Timeout', ['States.TaskFailed'], false],
    ['States.HeartbeatTimeout', ['States.HeartbeatTimeout'], true],
    ['States.HeartbeatTimeout', ['States.Timeout'], true],
    ['States.QueryEvaluationError', ['States.ALL'], true],
    ['States.DataLimitExceeded', ['States.ALL'], false],
    ['States.DataLimitExceeded', ['States.TaskFailed'], false],
    ['States.DataLimitExceeded', ['States.DataLimitExceeded'], true],
    ['States.Runtime', ['States.ALL'], false],
    ['States.Runtime', ['States.Runtime'], false],
  ])('%s by %j: %s', (error, errorEquals, taken) => {
    expect(matchesError(errorEquals, error)).toBe(taken);
  });
});

describe('Catch', () => {
  const caught = (Catch: object[]) =>
    flow(invoke({ Catch }), {
      Caught: { Type: 'Pass', Output: { input: '{% $states.input %}', kept: '{% $kept %}' }, End: true },
      Other: { Type: 'Fail', Error: 'WrongCatcher' },
    });
  const f = () => {
    throw new FunctionError('Custom', 'text');
  };

  it('takes the first catcher that matches, with its Output and Assign', async () => {
    const machine = caught([
      { ErrorEquals: ['Else'], Next: 'Other' },
      {
        ErrorEquals: ['Custom'],
        Next: 'Caught',
        Output: { name: '{% $states.errorOutput.Error %}', from: '{% $states.input.from %}' },
        Assign: { kept: '{% $parse($states.errorOutput.Cause).errorType %}' },
      },
      { ErrorEquals: ['States.ALL'], Next: 'Other' },
    ]);
    expect((await run(machine, { from: 'here' }, { f })).output).toEqual({
      input: { name: 'Custom', from: 'here' },
      kept: 'Custom',
    });
  });

  it('puts out the error when the catcher has no Output', async () => {
    const machine = caught([{ ErrorEquals: ['States.ALL'], Next: 'Caught', Assign: { kept: 1 } }]);
    expect((await run(machine, {}, { f })).output).toMatchObject({
      input: { Error: 'Custom', Cause: expect.stringContaining('text') },
    });
  });

  it('also takes errors of the state’s own expressions', async () => {
    const machine = flow(
      invoke({
        Output: '{% $states.result.absent %}',
        Catch: [{ ErrorEquals: ['States.QueryEvaluationError'], Next: 'Caught', Output: 'caught' }],
      }),
      { Caught: { Type: 'Succeed' } },
    );
    expect((await run(machine, {}, { f: () => 1 })).output).toBe('caught');
  });

  it('leaves the execution failed when no catcher matches', async () => {
    const machine = caught([{ ErrorEquals: ['Else'], Next: 'Other' }]);
    expect(await run(machine, {}, { f })).toMatchObject({ status: 'FAILED', error: 'Custom' });
  });
});

describe('the delay before a retry', () => {
  const retrier = { ErrorEquals: ['X'], IntervalSeconds: 2, MaxAttempts: 9, BackoffRate: 3 };
  it.each([
    [{ JitterStrategy: 'NONE' as const }, 0, 2_000],
    [{ JitterStrategy: 'NONE' as const }, 2, 18_000],
    [{ JitterStrategy: 'NONE' as const, MaxDelaySeconds: 5 }, 2, 5_000],
    [{ JitterStrategy: 'FULL' as const }, 1, 1_500],
  ])('with %j after %i retries is %i ms', (more, tries, expected) => {
    expect(retryDelay({ ...retrier, ...more }, tries, () => 0.25)).toBe(expected);
  });
});

describe('Retry', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('waits its delays, counts each retrier on its own and then leaves the error to Catch', async () => {
    vi.useFakeTimers();
    const errors = ['A', 'B', 'A', 'A'];
    const times: number[] = [];
    const machine = flow(
      invoke({
        Retry: [
          { ErrorEquals: ['A'], IntervalSeconds: 1, BackoffRate: 2, MaxAttempts: 2 },
          { ErrorEquals: ['B'], IntervalSeconds: 10 },
        ],
        Catch: [{ ErrorEquals: ['A'], Next: 'Caught', Output: '{% $states.context.State.RetryCount %}' }],
      }),
      { Caught: { Type: 'Succeed' } },
    );
    const start = Date.now();
    const f = () => {
      times.push(Date.now() - start);
      throw new FunctionError(errors[times.length - 1] ?? 'none left');
    };
    const running = run(machine, {}, { f });
    await vi.advanceTimersByTimeAsync(60_000);
    expect((await running).output).toBe(3);
    expect(times).toEqual([0, 1_000, 11_000, 13_000]);
  });

  it('does not retry with MaxAttempts 0, nor States.Runtime', async () => {
    const f = () => {
      throw new FunctionError('A');
    };
    const never = invoke({ Retry: [{ ErrorEquals: ['States.ALL'], MaxAttempts: 0 }] });
    expect(await run(flow(never), {}, { f })).toMatchObject({ error: 'A' });
    const runtime = invoke({ Arguments: '{% "no object" %}', Retry: [{ ErrorEquals: ['States.ALL'] }] });
    expect(await run(flow(runtime))).toMatchObject({ error: 'States.Runtime' });
  });

  it('succeeds with the attempt that does', async () => {
    vi.useFakeTimers();
    const f = (_payload: unknown, call: number) => {
      if (call < 3) throw new FunctionError('Flaky');
      return call;
    };
    const running = run(flow(invoke({ Retry: [{ ErrorEquals: ['Flaky'] }] })), {}, { f });
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await running).toMatchObject({ status: 'SUCCEEDED', output: 3 });
  });
});

describe('time limits', () => {
  afterEach(() => {
    vi.useRealTimers();
  });
  const hang = () => new Promise(() => {});

  it('of a task end it with States.Timeout', async () => {
    vi.useFakeTimers();
    const machine = flow(
      invoke({
        TimeoutSeconds: '{% $states.input.limit %}',
        Catch: [{ ErrorEquals: ['States.Timeout'], Next: 'Caught', Output: 'late' }],
      }),
      { Caught: { Type: 'Succeed' } },
    );
    const running = run(machine, { limit: 2 }, { f: hang });
    await vi.advanceTimersByTimeAsync(2_000);
    expect((await running).output).toBe('late');
  });

  it('of the machine end the execution as TIMED_OUT, past any Catch', async () => {
    vi.useFakeTimers();
    const task = invoke({ Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Caught' }] });
    const machine = { ...flow(task, { Caught: { Type: 'Succeed' } }), TimeoutSeconds: 5 };
    const running = run(machine, {}, { f: hang });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await running).toMatchObject({ status: 'TIMED_OUT' });
  });

  it('of any execution are five minutes', async () => {
    vi.useFakeTimers();
    const running = run(flow(invoke()), {}, { f: hang });
    await vi.advanceTimersByTimeAsync(300_000);
    expect(await running).toMatchObject({ status: 'TIMED_OUT' });
  });

  it('of states entered end a loop that waits for nothing', async () => {
    const machine = flow({ Type: 'Pass', Next: 'Again' }, { Again: { Type: 'Pass', Next: 'First' } });
    expect(await run(machine)).toMatchObject({ status: 'FAILED', error: 'States.Runtime' });
  });
});
