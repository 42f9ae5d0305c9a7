import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { spawnLocalStack } from '../../cli/local-stack.ts';
import { type ApiCaller, ROUTES, type RouteDefinition } from '../../shared/api/routes.ts';
import { SKIPPED_EXIT_CODE } from '../../test/checks/check-steps.ts';
import { createTestRepository } from '../../test/support/git-repository.ts';
import { findProgram } from '../../test/support/test-tools.ts';
import { narrowOpenApi } from './narrowed-openapi.ts';
import type { PassConfig } from './pass-config.ts';
import { runSchemathesisPass } from './schemathesis-pass.ts';
import { claimSubmittedTask, createApiCaller, keepLeaseAlive, submitExternalTasks } from './task-requests.ts';

const HELP = `Usage: npm run schemathesis -- [options]

Starts the embedded stack and has Schemathesis compare its answers with docs/openapi.json: as an operator, as an agent at work, and
again with values that programs stumble over. Exit code 0: no 5xx, no undocumented status, no answer of another shape. 1: not so.
2: wrong usage. ${SKIPPED_EXIT_CODE}: Schemathesis is not here.

Options:
  --examples <n>  cases of each operation that are made up (default 4)
  --seed <n>      the seed they are made up from (default: the time)
  --help          this text`;

/** Longest that one pass may take, in milliseconds. */
const LIMIT_MS = 10 * 60_000;

const { values } = parseArgs({
  options: { examples: { type: 'string' }, seed: { type: 'string' }, help: { type: 'boolean' } },
});
const natural = (name: 'examples' | 'seed', otherwise: number): number => {
  const number = Number(values[name] ?? otherwise);
  if (Number.isSafeInteger(number) && number > 0) return number;
  process.stderr.write(`error: --${name} must be a whole number above 0\n`);
  process.exit(2);
};

const routes = Object.entries(ROUTES) as [string, RouteDefinition][];
const callableBy = (...callers: ApiCaller[]): string[] =>
  routes.filter(([, route]) => callers.some((each) => route.callers.includes(each))).map(([id]) => id);
/** What ends the attempt, or is for other boxes: tried last, because nothing is left to be done afterwards. */
const LAST = ['complete', 'fail', 'release'];

async function main(): Promise<number> {
  const program = findProgram('st');
  if (program === null) {
    console.log('SKIPPED: Schemathesis is not here; .ci/run installs it');
    return SKIPPED_EXIT_CODE;
  }
  const examples = natural('examples', 4);
  const seed = natural('seed', Date.now());
  console.log(`seed ${seed}, ${examples} examples`);
  const folder = mkdtempSync(join(tmpdir(), 'assay-schemathesis-'));
  const repository = createTestRepository({ 'a.txt': 'a' });
  const stack = await spawnLocalStack({ dataDir: join(folder, 'data'), port: 0 });
  try {
    const { url, token } = stack.connection;
    const document = join(folder, 'openapi.json');
    writeFileSync(document, narrowOpenApi(repository.url));
    const operator = createApiCaller(url, token);
    const ids = ['fuzz-1', 'fuzz-2', 'fuzz-3'];
    await submitExternalTasks(operator, repository.url, [...ids, 'fuzz-agent']);
    const held = await claimSubmittedTask(operator, 'fuzz-agent');
    const stopBeating = keepLeaseAlive(createApiCaller(url, held.token), 'fuzz-agent', held.heartbeat_s);
    const hostile = join(import.meta.dirname, 'hostile.py');
    const common = { examples, seed };
    const own = { ...common, token, ids, existingIdShare: 0.6, operations: callableBy('operator', 'anyone') };
    const agents = { ...common, token: held.token, ids: ['fuzz-agent'], existingIdShare: 0.9 };
    const working = callableBy('agent').filter((id) => !LAST.includes(id));
    const passes: [string, PassConfig][] = [
      ['operator', { ...own, hooks: null }],
      ['operator, hostile', { ...own, hooks: hostile }],
      ['agent at work', { ...agents, operations: working, hooks: null }],
      ['agent at work, hostile', { ...agents, operations: working, hooks: hostile }],
      ['agent, reports, hostile', { ...agents, operations: LAST, hooks: hostile }],
      ['agent, reports', { ...agents, operations: LAST, hooks: null }],
      [
        'agent, what is for other boxes',
        {
          ...agents,
          operations: callableBy('gates', 'deliver').filter((id) => !working.includes(id)),
          hooks: hostile,
        },
      ],
    ];
    let failed = 0;
    for (const [name, config] of passes) {
      const started = performance.now();
      const result = await runSchemathesisPass(name, config, {
        program,
        folder,
        document,
        url,
        limitMs: LIMIT_MS,
      });
      const seconds = ((performance.now() - started) / 1_000).toFixed(0);
      if (result.problem === null) console.log(`ok      ${name}: ${result.cases} cases in ${seconds} s`);
      else {
        failed += 1;
        console.log(`FAILED  ${name}\n${result.problem}`);
      }
      if (result.neverSuccessful.length > 0)
        console.log(`        refused each time: ${result.neverSuccessful.join(', ')}`);
    }
    stopBeating();
    return failed === 0 ? 0 : 1;
  } finally {
    await stack.stop();
    rmSync(folder, { recursive: true, force: true });
    rmSync(repository.dir, { recursive: true, force: true });
  }
}

if (values.help) console.log(HELP);
else process.exitCode = await main();
