import aslValidator from 'asl-validator';
import jsonata from 'jsonata';
import { describe, expect, it } from 'vitest';
import { buildCascadeDefinition } from '../../infra/machines/cascade.ts';
import { buildJanitorDefinition } from '../../infra/machines/janitor.ts';
import type { StateDefinitionJson } from '../../infra/machines/state-definitions.ts';
import { compileMachine } from '../../local/step-functions/definition/compile.ts';
import { StateError } from '../../local/step-functions/interpreter/errors.ts';
import { runFlow } from '../../local/step-functions/interpreter/run-flow.ts';
import {
  CASCADE_NEXT_STAGES,
  type CascadeExecutionInput,
  CascadeRepositoryStepInput,
  CascadeStepInput,
  JanitorExecutionInput,
  JanitorStepInput,
  LaunchMessage,
} from '../../shared/contract/messages/step-messages.ts';
import { createJudgementWithoutOpinion } from '../../shared/reviews/engine/engine.ts';
import { JUDGING_CLAIM_LEASE_SECONDS } from '../../shared/reviews/judging/judging-limits.ts';
import { SIGNAL_REVIEWERS } from '../../shared/reviews/reviewers/signal-reviewers.ts';

const SIGNAL = { type: 'llm_judge', criteria: 'it adds', on_error: 'hold' } as const;
const QUEUES = [1, 2, 3].map((priority) => `https://sqs.test/agents-${priority}`) as [string, string, string];
const cascade = buildCascadeDefinition({
  partition: 'aws',
  cascadeFunction: 'arn:aws:lambda:eu-west-1:123456789012:function:cascade',
  resolverFunction: 'arn:aws:lambda:eu-west-1:123456789012:function:resolver',
  janitorMachine: 'arn:aws:states:eu-west-1:123456789012:stateMachine:janitor',
  agentQueues: QUEUES,
  gatesQueue: 'https://sqs.test/gates',
});
const janitor = buildJanitorDefinition({
  partition: 'aws',
  janitorFunction: 'arn:aws:lambda:eu-west-1:123456789012:function:janitor',
  judgeFunction: 'arn:aws:lambda:eu-west-1:123456789012:function:judge',
});
const MACHINES = { cascade, janitor };

const statesOf = (definition: StateDefinitionJson) =>
  definition['States'] as Record<string, StateDefinitionJson>;
function stateOf(definition: StateDefinitionJson, name: string): StateDefinitionJson {
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
    'the %s uses nothing that the embedded stack cannot run',
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
        (state['Retry'] as StateDefinitionJson[]).map(() =>
          expect.objectContaining({ JitterStrategy: 'FULL' }),
        ),
      );
      // Work that nobody has judged is combined as such; whatever else goes wrong ends the execution.
      const then = machine === 'janitor' && name === 'Judge' ? 'Combine' : 'Unexpected';
      expect(state['Catch']).toEqual([{ ErrorEquals: ['States.ALL'], Next: then }]);
    },
  );

  it.each(Object.entries(MACHINES))('the %s ends before Express would cut it off', (_name, definition) => {
    expect(definition['TimeoutSeconds']).toBeLessThan(300);
  });

  it('leave whoever asks models alone for longer than an execution lives', () => {
    expect(JUDGING_CLAIM_LEASE_SECONDS).toBeGreaterThan(Number(janitor['TimeoutSeconds']));
  });

  it('use the three integrations that they are allowed and no other', () => {
    expect(new Set(tasks.map(({ state }) => state['Resource']))).toEqual(
      new Set([
        'arn:aws:states:::lambda:invoke',
        'arn:aws:states:::sqs:sendMessage',
        'arn:aws:states:::states:startExecution',
      ]),
    );
  });
});

interface Call {
  readonly kind: string;
  readonly args: Record<string, unknown>;
}

/** Runs a machine whose tasks answer, in turn, what `answers` says; tells which states were entered and what was asked. */
async function run(definition: StateDefinitionJson, input: unknown, answers: readonly unknown[]) {
  const entered: string[] = [];
  const calls: Call[] = [];
  let given = 0;
  const output = await runFlow(compileMachine(definition), input, {
    signal: new AbortController().signal,
    context: { Execution: { Id: 'arn', Input: input } },
    variables: {},
    environment: {
      call: async (resource, args) => {
        calls.push({ kind: resource.kind, args: args as Record<string, unknown> });
        if (given >= answers.length) throw new Error(`no answer left for call ${given + 1}`);
        const answer = answers[given++];
        if (answer instanceof Error) throw answer;
        return resource.kind === 'lambda:invoke' ? { Payload: answer } : answer;
      },
      enter: (state) => void entered.push(state),
    },
  });
  expect(given).toBe(answers.length);
  return { entered: entered.filter((name) => name !== 'WhereNext'), calls, output };
}

const at = (stage: CascadeExecutionInput['stage'], attempt = 1, priority: 1 | 2 | 3 = 2) => ({
  stage,
  attempt,
  priority,
  submitter: 'ann',
});
const from = (...of: Parameters<typeof at>): CascadeExecutionInput => ({
  task_id: 'T1',
  run: 4,
  ...at(...of),
});
const SENT = { MessageId: 'sent' };

describe('the cascade', () => {
  it('takes a task that passes at once from its base to its delivery in five executions, each to where it has to wait', async () => {
    const chain: [CascadeExecutionInput, unknown[], string[]][] = [
      [
        from('resolve_base', 0),
        [at('select_model', 0), at('run_agent'), SENT],
        ['ResolveBase', 'SelectModel', 'RunAgent'],
      ],
      [from('run_gates'), [SENT], ['RunGates']],
      [from('verify'), [{}], ['Verify']],
      [from('decide'), [at('deliver'), SENT], ['Decide', 'Deliver']],
      [from('settle'), [at('ended')], ['Settle', 'Ended']],
    ];
    for (const [input, answers, states] of chain)
      expect((await run(cascade, input, answers)).entered).toEqual(states);
  });

  it('climbs: a verdict of fail leads to the next model, and the next attempt is asked for', async () => {
    const { entered, calls } = await run(cascade, from('decide'), [
      at('select_model', 1),
      at('run_agent', 2),
      SENT,
    ]);
    expect(entered).toEqual(['Decide', 'SelectModel', 'RunAgent']);
    expect(calls.at(-1)?.args['MessageBody']).toMatchObject({ kind: 'agent', attempt: 2, run: 4 });
  });

  it.each([
    ['held', 'Held'],
    ['waiting', 'Waiting'],
    ['superseded', 'Superseded'],
    ['ended', 'Ended'],
  ] as const)('ends well when the task is %s', async (stage, last) => {
    expect((await run(cascade, from('select_model'), [at(stage)])).entered).toEqual(['SelectModel', last]);
  });

  it.each(CASCADE_NEXT_STAGES)('goes on from any stage, as %s', async (stage) => {
    const choices = stateOf(cascade, 'WhereNext')['Choices'] as { Condition: string; Next: string }[];
    const taken = await Promise.all(
      choices.map(({ Condition }) =>
        jsonata(Condition.slice(2, -2)).evaluate({}, { states: { input: { stage } } }),
      ),
    );
    expect(taken.filter((holds) => holds === true)).toHaveLength(1);
  });

  it('waits by itself for some seconds, once: whoever is asked again is told that', async () => {
    const { entered, calls } = await run(cascade, from('select_model', 0), [
      { ...at('select_model', 0), wait_s: 0.01 },
      at('waiting', 0),
    ]);
    expect(entered).toEqual(['SelectModel', 'Later', 'SelectModel', 'Waiting']);
    expect(calls.map(({ args }) => CascadeStepInput.parse(args['Payload']).has_waited)).toEqual([
      false,
      true,
    ]);
  });

  it('fails by name on a stage that it does not know', async () => {
    const failure = await run(cascade, { ...from('decide'), stage: 'made_up' }, []).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(StateError);
    expect(failure).toMatchObject({ error: 'UnknownStage', errorCause: expect.stringContaining('made_up') });
  });

  it('ends as failed, under the error that it met, when something unforeseen happens', async () => {
    const failure = await run(cascade, from('run_agent'), [
      new StateError('SQS.QueueDoesNotExist', 'no such queue'),
    ]).catch((error: unknown) => error);
    expect(failure).toMatchObject({ error: 'SQS.QueueDoesNotExist', errorCause: 'no such queue' });
  });

  it.each([1, 2, 3] as const)(
    'sends agents of priority %i to their own queue, gates and deliveries to one',
    async (priority) => {
      const urls = await Promise.all(
        (['run_agent', 'run_gates', 'deliver'] as const).map(
          async (stage) => (await run(cascade, from(stage, 1, priority), [SENT])).calls[0]?.args['QueueUrl'],
        ),
      );
      expect(urls).toEqual([QUEUES[priority - 1], 'https://sqs.test/gates', 'https://sqs.test/gates']);
    },
  );

  it('says to boxes, steps and the janitor what their schemas ask for', async () => {
    const of = async (stage: CascadeExecutionInput['stage'], ...answers: unknown[]) =>
      (await run(cascade, from(stage, 3), answers)).calls[0]?.args;
    for (const [stage, kind] of [
      ['run_agent', 'agent'],
      ['run_gates', 'gates'],
      ['deliver', 'deliver'],
    ] as const) {
      const sent = await of(stage, SENT);
      expect(sent?.['MessageGroupId']).toBe('ann');
      expect(LaunchMessage.strict().parse(sent?.['MessageBody'])).toMatchObject({ kind, attempt: 3, run: 4 });
    }
    for (const step of ['resolve_base', 'find_branch'] as const)
      expect(CascadeRepositoryStepInput.parse((await of(step, at('ended')))?.['Payload'])).toMatchObject({
        step,
        run: 4,
      });
    for (const step of ['select_model', 'decide', 'settle'] as const)
      expect(CascadeStepInput.parse((await of(step, at('ended')))?.['Payload'])).toMatchObject({
        step,
        run: 4,
      });
    expect(JanitorExecutionInput.strict().parse((await of('verify', {}))?.['Input'])).toEqual({
      task_id: 'T1',
      run: 4,
      attempt: 3,
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
    const input = { task_id: 'T1', run: 4, attempt: 2 };
    const requirements_review = { outcome: 'skipped', reason: 'b' };
    const review_pipeline = { outcome: 'asked', on_error: 'hold', reason: 'b' };
    const reduced = { verdict, next: 'combine', requirements_review, review_pipeline: null };
    const { entered, calls, output } = await run(janitor, input, [reduced, { verdict: 'pass' }]);
    expect(entered).toEqual(['Reduce', 'MayJudgesChangeIt', 'Combine']);
    expect(calls.map(({ args }) => JanitorStepInput.parse(args['Payload']))).toEqual([
      { step: 'reduce', ...input, is_retry: false, execution_id: 'arn' },
      { step: 'combine', ...input, verdict, judgements: [], requirements_review, review_pipeline: null },
    ]);
    expect(output).toEqual({ verdict: 'pass' });

    const judgements = [
      createJudgementWithoutOpinion(
        SIGNAL_REVIEWERS.llm_judge,
        { signal: SIGNAL },
        { code: 'no_model', purpose: 'judge' },
      ),
    ];
    const asked = await run(janitor, input, [
      { verdict, next: 'judge', requirements_review, review_pipeline },
      judgements,
      { verdict: 'refer' },
    ]);
    expect(asked.entered).toEqual(['Reduce', 'MayJudgesChangeIt', 'Judge', 'Combine']);
    expect(asked.calls[1]?.args['Payload']).toEqual({ ...input, requirements_review, review_pipeline });
    expect(asked.calls[2]?.args['Payload']).toEqual({
      step: 'combine',
      ...input,
      verdict,
      judgements,
      requirements_review,
      review_pipeline,
    });
  });

  it('comes to a verdict without the judges when these do not answer', async () => {
    const { entered, calls } = await run(janitor, { task_id: 'T1', run: 4, attempt: 1 }, [
      { verdict: {}, next: 'judge', requirements_review: {}, review_pipeline: null },
      new StateError('Error', 'the function has crashed'),
      { verdict: 'refer' },
    ]);
    expect(entered.at(-1)).toBe('Combine');
    expect(calls.at(-1)?.args['Payload']).toMatchObject({ judgements: [] });
  });

  it('asks nobody, and says nothing, where another execution comes to the verdict', async () => {
    const { entered } = await run(janitor, { task_id: 'T1', run: 4, attempt: 1 }, [
      { verdict: {}, next: 'superseded', requirements_review: {}, review_pipeline: null },
    ]);
    expect(entered).toEqual(['Reduce', 'MayJudgesChangeIt', 'Superseded']);
  });
});
