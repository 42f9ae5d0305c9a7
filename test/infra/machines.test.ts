import aslValidator from 'asl-validator';
import jsonata from 'jsonata';
import { describe, expect, it } from 'vitest';
import { cascadeDefinition } from '../../infra/machines/cascade.ts';
import { janitorDefinition } from '../../infra/machines/janitor.ts';
import type { State } from '../../infra/machines/states.ts';
import { compileMachine } from '../../local/states/definition/compile.ts';
import { StateError } from '../../local/states/interpreter/errors.ts';
import { runFlow } from '../../local/states/interpreter/run.ts';
import type { Callback } from '../../local/states/interpreter/scope.ts';
import { unaskedJudgement } from '../../shared/judging/signal.ts';
import {
  CascadeInput,
  CascadeStep,
  JanitorStep,
  LaunchMessage,
  STAGES,
} from '../../shared/messages/queue.ts';

const SIGNAL = { type: 'llm_judge', criteria: 'it adds', on_error: 'hold' } as const;
const QUEUES = [1, 2, 3].map((priority) => `https://sqs.test/agents-${priority}`) as [string, string, string];
const cascade = cascadeDefinition({
  partition: 'aws',
  cascadeFunction: 'arn:aws:lambda:eu-west-1:123456789012:function:cascade',
  resolverFunction: 'arn:aws:lambda:eu-west-1:123456789012:function:resolver',
  janitorMachine: 'arn:aws:states:eu-west-1:123456789012:stateMachine:janitor',
  agentQueues: QUEUES,
  gatesQueue: 'https://sqs.test/gates',
});
const janitor = janitorDefinition({
  partition: 'aws',
  janitorFunction: 'arn:aws:lambda:eu-west-1:123456789012:function:janitor',
  judgeFunction: 'arn:aws:lambda:eu-west-1:123456789012:function:judge',
});
const MACHINES = { cascade, janitor };

const statesOf = (definition: State) => definition['States'] as Record<string, State>;
function stateOf(definition: State, name: string): State {
  const state = statesOf(definition)[name];
  if (!state) throw new Error(`there is no state ${name}`);
  return state;
}
const tasks = Object.entries(MACHINES).flatMap(([machine, definition]) =>
  Object.entries(statesOf(definition)).flatMap(([name, state]) =>
    state['Type'] === 'Task' ? [{ machine, name, state }] : [],
  ),
);

function expressionsIn(value: unknown): string[] {
  if (typeof value === 'string') return /^\{%[\s\S]*%\}$/.test(value) ? [value.slice(2, -2)] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(expressionsIn) : [];
}

describe('both definitions', () => {
  it.each(Object.entries(MACHINES))('the %s is valid in the Amazon States Language', (_name, definition) => {
    const { isValid, errorsText } = aslValidator(definition, { checkArn: false });
    expect(errorsText()).toBe('');
    expect(isValid).toBe(true);
  });

  it.each(Object.entries(MACHINES))(
    'the %s uses nothing that the embedded default cannot run',
    (_name, definition) => {
      expect(() => compileMachine(definition)).not.toThrow();
    },
  );

  it.each(Object.entries(MACHINES))('the %s has JSONata that parses', (_name, definition) => {
    const expressions = expressionsIn(definition);
    expect(expressions.length).toBeGreaterThan(0);
    for (const expression of expressions) expect(() => jsonata(expression)).not.toThrow();
  });

  it.each(tasks)(
    '$machine, $name says where it goes on, when it gives up, and what it does about errors',
    ({ machine, name, state }) => {
      expect(state['Next'] ?? state['End']).toBeDefined();
      expect(state['TimeoutSeconds']).toBeGreaterThan(0);
      expect(state['Retry']).toEqual(
        (state['Retry'] as State[]).map(() => expect.objectContaining({ JitterStrategy: 'FULL' })),
      );
      // Work that nobody has judged is combined as such; whatever else goes wrong ends the execution.
      const then = machine === 'janitor' && name === 'Judge' ? 'Combine' : 'Unexpected';
      expect(state['Catch']).toEqual([{ ErrorEquals: ['States.ALL'], Next: then }]);
    },
  );

  it.each(tasks.filter(({ state }) => String(state['Resource']).endsWith('.waitForTaskToken')))(
    '$machine, $name asks again within minutes when no word comes',
    ({ state }) => {
      expect(state['HeartbeatSeconds']).toBeLessThanOrEqual(900);
      const [again] = state['Retry'] as State[];
      expect(again?.['ErrorEquals']).toEqual(['States.HeartbeatTimeout']);
      // For as long as a message is kept.
      expect(Number(again?.['MaxAttempts']) * Number(state['HeartbeatSeconds'])).toBeGreaterThan(4 * 86_400);
    },
  );

  it('use the three integrations that they are allowed and no other', () => {
    expect(new Set(tasks.map(({ state }) => state['Resource']))).toEqual(
      new Set([
        'arn:aws:states:::lambda:invoke',
        'arn:aws:states:::sqs:sendMessage.waitForTaskToken',
        'arn:aws:states:::aws-sdk:sfn:startSyncExecution',
      ]),
    );
  });
});

interface Call {
  readonly kind: string;
  readonly args: Record<string, unknown>;
}

/** Runs a machine whose tasks answer, in turn, what `answers` says; tells which states were entered and what was asked. */
async function run(definition: State, input: unknown, answers: readonly unknown[]) {
  const entered: string[] = [];
  const calls: Call[] = [];
  const waiting = new Map<string, Callback>();
  let given = 0;
  const next = () => {
    if (given >= answers.length) throw new Error(`no answer left for call ${given + 1}`);
    return answers[given++];
  };
  const output = await runFlow(compileMachine(definition), input, {
    signal: new AbortController().signal,
    context: { Execution: { Input: input } },
    variables: {},
    environment: {
      call: async (resource, args) => {
        calls.push({ kind: resource.kind, args: args as Record<string, unknown> });
        const answer = next();
        if (answer instanceof Error) throw answer;
        if (resource.kind === 'lambda:invoke') return { Payload: answer };
        if (resource.kind !== 'sqs:sendMessage') return answer;
        const { task_token } = (args as { MessageBody: LaunchMessage }).MessageBody;
        queueMicrotask(() => waiting.get(task_token)?.succeed(answer));
        return { MessageId: 'sent' };
      },
      tokens: {
        create: () => `token-${calls.length}`,
        wait: (token, callback) => {
          waiting.set(token, callback);
          return () => waiting.delete(token);
        },
      },
      record: (_type, details) => {
        if ('input' in details) entered.push(String(details['name']));
      },
      transition: () => {},
    },
  });
  expect(given).toBe(answers.length);
  return { entered, calls, output };
}

const INPUT = { task_id: 'T1', run: 4 };
const at = (stage: string, attempt = 1, priority = 2) => ({ stage, attempt, priority, submitter: 'ann' });
const janitorSaid = { Status: 'SUCCEEDED', Output: '{"verdict":"pass"}' };

describe('the cascade', () => {
  it('takes a task that passes at once from its base to its delivery in 11 transitions', async () => {
    const { entered } = await run(cascade, INPUT, [
      at('select_model', 0),
      at('run_agent'),
      { stage: 'run_gates' },
      { stage: 'verify' },
      janitorSaid,
      at('deliver'),
      { stage: 'settle' },
      at('ended'),
    ]);
    expect(entered).toEqual([
      'ResolveBase',
      'SelectModel',
      'WhereNext',
      'RunAgent',
      'RunGates',
      'WhereNext',
      'Verify',
      'Decide',
      'WhereNext',
      'Deliver',
      'Settle',
    ]);
  });

  it('climbs: a verdict of fail leads to the next model, and the next attempt is asked for', async () => {
    const { entered, calls } = await run(cascade, INPUT, [
      at('select_model', 0),
      at('run_agent', 1),
      { stage: 'run_gates' },
      { stage: 'verify' },
      janitorSaid,
      at('select_model', 1),
      at('run_agent', 2),
      { stage: 'decide' },
      { stage: 'decide' },
      at('settle', 2),
      at('ended', 2),
    ]);
    expect(entered.filter((name) => name !== 'WhereNext')).toEqual([
      'ResolveBase',
      'SelectModel',
      'RunAgent',
      'RunGates',
      'Verify',
      'Decide',
      'SelectModel',
      'RunAgent',
      'RunGates',
      'Decide',
      'Settle',
    ]);
    const launches = calls.filter(({ kind }) => kind === 'sqs:sendMessage');
    expect(launches.map(({ args }) => (args['MessageBody'] as LaunchMessage).attempt)).toEqual([1, 1, 2, 2]);
  });

  it.each([
    ['held', 'Held'],
    ['waiting', 'Waiting'],
    ['superseded', 'Superseded'],
    ['ended', 'Ended'],
  ])('ends well when the task is %s', async (stage, last) => {
    const { entered, calls } = await run(cascade, INPUT, [at(stage), at(stage)]);
    expect(entered).toEqual(['ResolveBase', 'SelectModel', 'WhereNext', last]);
    // What it is to hand on.
    expect(calls[1]?.args['Payload']).toMatchObject({ step: 'select_model', said: at(stage) });
  });

  it.each(STAGES)('goes on from any stage, as %s, when it is started again', async (stage) => {
    const choices = stateOf(cascade, 'WhereNext')['Choices'] as { Condition: string; Next: string }[];
    const taken = await Promise.all(
      choices.map(({ Condition }) =>
        jsonata(Condition.slice(2, -2)).evaluate({}, { states: { input: { stage } } }),
      ),
    );
    expect(taken.filter((holds) => holds === true)).toHaveLength(1);
  });

  it('fails by name on a stage that it does not know', async () => {
    const failure = await run(cascade, INPUT, [at('made_up'), at('made_up')]).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(StateError);
    expect(failure).toMatchObject({ error: 'UnknownStage', errorCause: expect.stringContaining('made_up') });
  });

  it('ends as failed, under the error that it met, when something unforeseen happens', async () => {
    const failure = await run(cascade, INPUT, [
      at('run_agent'),
      at('run_agent'),
      new StateError('SQS.QueueDoesNotExist', 'no such queue'),
    ]).catch((error: unknown) => error);
    expect(failure).toMatchObject({ error: 'SQS.QueueDoesNotExist', errorCause: 'no such queue' });
  });

  it.each([1, 2, 3] as const)(
    'sends agents of priority %i to their own queue, gates and deliveries to one',
    async (priority) => {
      const { calls } = await run(cascade, INPUT, [
        at('run_agent', 1, priority),
        at('run_agent', 1, priority),
        { stage: 'run_gates' },
        { stage: 'deliver' },
        { stage: 'settle' },
        at('ended'),
      ]);
      const urls = calls.flatMap(({ kind, args }) => (kind === 'sqs:sendMessage' ? [args['QueueUrl']] : []));
      expect(urls).toEqual([QUEUES[priority - 1], 'https://sqs.test/gates', 'https://sqs.test/gates']);
    },
  );

  it('says to boxes and steps what their schemas ask for', async () => {
    const { calls } = await run(cascade, INPUT, [
      at('select_model', 2),
      at('run_agent', 3),
      { stage: 'run_gates' },
      { stage: 'verify' },
      janitorSaid,
      at('deliver', 3),
      { stage: 'settle' },
      at('ended', 3),
    ]);
    const of = (kind: string) => calls.filter((call) => call.kind === kind).map(({ args }) => args);
    expect(new Set(of('sqs:sendMessage').map(({ MessageGroupId }) => MessageGroupId))).toEqual(
      new Set(['ann']),
    );
    const messages = of('sqs:sendMessage').map(({ MessageBody }) => LaunchMessage.parse(MessageBody));
    expect(messages.map(({ kind, attempt, run: number }) => [kind, attempt, number])).toEqual([
      ['agent', 3, 4],
      ['gates', 3, 4],
      ['deliver', 3, 4],
    ]);
    const [first, ...steps] = of('lambda:invoke').map(({ Payload }) => Payload);
    expect(CascadeInput.parse(first)).toEqual(INPUT);
    expect(steps.map((payload) => CascadeStep.parse(payload).step)).toEqual([
      'select_model',
      'decide',
      'settle',
    ]);
    expect(of('aws-sdk:sfn:startSyncExecution').map(({ Input }) => JSON.parse(String(Input)))).toEqual([
      { task_id: 'T1', attempt: 3 },
    ]);
  });

  it('takes a janitor that failed for an error, although StartSyncExecution itself succeeded', async () => {
    const output = String(stateOf(cascade, 'Verify')['Output']).slice(2, -2);
    const evaluate = (result: unknown) =>
      jsonata(output).evaluate({}, { states: { input: at('verify'), result } });
    await expect(evaluate(janitorSaid)).resolves.toEqual(at('verify'));
    await expect(evaluate({ Status: 'TIMED_OUT' })).rejects.toMatchObject({
      message: expect.stringContaining('TIMED_OUT'),
    });
  });
});

describe('the janitor', () => {
  it('reduces the evidence and hands the verdict on to be combined', async () => {
    const verdict = {
      verdict: 'pass',
      verified: true,
      reasons: [],
      base_commit: 'a'.repeat(40),
      tree: 'b'.repeat(40),
      tests_run: true,
      quality_gates_run: false,
      completion_signals_checked: true,
    };
    const input = { task_id: 'T1', attempt: 2 };
    const look = { outcome: 'skipped', because: 'b' };
    const pipeline = { outcome: 'asked', on_error: 'hold', because: 'b' };
    const reduced = { verdict, ask: false, look, pipeline: null };
    const { entered, calls, output } = await run(janitor, input, [reduced, { verdict: 'pass' }]);
    expect(entered).toEqual(['Reduce', 'MayJudgesChangeIt', 'Combine']);
    expect(calls.map(({ args }) => JanitorStep.parse(args['Payload']))).toEqual([
      { step: 'reduce', ...input },
      { step: 'combine', ...input, verdict, judgements: [], look, pipeline: null },
    ]);
    expect(output).toEqual({ verdict: 'pass' });

    const judgements = [unaskedJudgement(SIGNAL, { outcome: 'inert', because: 'no model' })];
    const asked = await run(janitor, input, [
      { verdict, ask: true, look, pipeline },
      judgements,
      { verdict: 'refer' },
    ]);
    expect(asked.entered).toEqual(['Reduce', 'MayJudgesChangeIt', 'Judge', 'Combine']);
    expect(asked.calls[1]?.args['Payload']).toEqual({ ...input, look, pipeline });
    expect(asked.calls[2]?.args['Payload']).toEqual({
      step: 'combine',
      ...input,
      verdict,
      judgements,
      look,
      pipeline,
    });
  });

  it('comes to a verdict without the judges when these do not answer', async () => {
    const { entered, calls } = await run(janitor, { task_id: 'T1', attempt: 1 }, [
      { verdict: {}, ask: true, look: {}, pipeline: null },
      new StateError('Error', 'the function has crashed'),
      { verdict: 'refer' },
    ]);
    expect(entered.at(-1)).toBe('Combine');
    expect(calls.at(-1)?.args['Payload']).toMatchObject({ judgements: [] });
  });

  it('ends before Express would cut it off', () => {
    expect(janitor['TimeoutSeconds']).toBeLessThan(300);
  });
});
