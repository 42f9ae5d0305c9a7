import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createDemoRepository,
  type DemoRepository,
  listDeliveredBranches,
} from '../../cli/demo/demo-repository.ts';
import { type DemoResult, findUnexpectedOutcomes, toDemoJson } from '../../cli/demo/demo-result.ts';
import {
  buildDemoTasks,
  buildDroppedRequirementTask,
  buildHardCodedAnswerTask,
} from '../../cli/demo/demo-tasks.ts';
import { parseAssayConfig } from '../../gates/pipeline/configuration/parse-config.ts';
import { SubmitTaskBatchBody } from '../../shared/api/task-schemas.ts';
import { DEFAULT_TIER_MODELS, type Tier } from '../../shared/contract/agents/tiers.ts';
import { CommandAdapterUsageFile } from '../../shared/contract/messages/assignment.ts';
import { modelPrice } from '../../shared/contract/models/model-prices.ts';
import { TaskSubmission } from '../../shared/contract/submission/schema.ts';
import { buildModelLadder } from '../../shared/control/cascade/learning/tier-ladder.ts';
import { anAttempt, aStatus, aTask } from './support.ts';

let folder: string;
let repository: DemoRepository;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-demo-test-'));
  repository = createDemoRepository(join(folder, 'repository.git'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const git = (...args: string[]): string => execFileSync('git', args, { cwd: folder, encoding: 'utf8' });

/** The environment of a test of the demo's repository: nothing of the runner around us. */
const env = { PATH: process.env['PATH'] ?? '' };

function checkout(ref: string): string {
  const where = mkdtempSync(join(folder, 'checkout-'));
  git('clone', '--quiet', '--branch', ref, repository.folder, where);
  return where;
}
const testsPass = (where: string): boolean =>
  spawnSync(process.execPath, ['--test'], { cwd: where, env, stdio: 'ignore' }).status === 0;
const lintPasses = (where: string): boolean =>
  spawnSync(process.execPath, ['--experimental-vm-modules', 'scripts/lint.mjs'], {
    cwd: where,
    env,
    stdio: 'ignore',
  }).status === 0;

describe('the repository of the demo', () => {
  test.each([
    ['main', false],
    ['next', true],
    ['hard', false],
    ['parcels', false],
    ['vouchers', true],
    ['reviewed', false],
    ['sandbox', true],
  ])('has the branch %s, whose tests pass: %s', (branch, passes) => {
    const where = checkout(branch);
    expect(testsPass(where)).toBe(passes);
    expect(lintPasses(where)).toBe(true);
  });

  test('has a linter that refuses what does not parse', () => {
    const where = checkout('next');
    writeFileSync(join(where, 'src/broken.js'), 'export const x = (;\n');
    expect(lintPasses(where)).toBe(false);
  });

  test('has no delivered branch at first', () => {
    expect(listDeliveredBranches(repository)).toEqual([]);
  });

  test.each(['main', 'next', 'hard'])('asks for tests and lint on %s', (branch) => {
    const { gates } = parseAssayConfig(git('--git-dir', repository.folder, 'show', `${branch}:assay.yaml`));
    expect(gates).toMatchObject({
      enabled: true,
      settings: {
        tests: true,
        test_command: 'node --test',
        lint_command: 'node --no-warnings --experimental-vm-modules scripts/lint.mjs',
      },
    });
  });

  test('asks for nothing on sandbox', () => {
    const text = git('--git-dir', repository.folder, 'show', 'sandbox:assay.yaml');
    expect(parseAssayConfig(text).gates.enabled).toBe(false);
  });
});

describe('the five tasks', () => {
  const tasks = buildDemoTasks('file:///demo.git');

  test('are a batch that the API accepts', () => {
    expect(SubmitTaskBatchBody.safeParse({ tasks: tasks.map(({ task }) => task) })).toMatchObject({
      success: true,
    });
  });

  test.each(tasks)(
    '$task.id climbs the first tiers of its ladder, all of them with a price',
    ({ task, expected }) => {
      const rungs = buildModelLadder(TaskSubmission.parse(task), DEFAULT_TIER_MODELS).slice(
        0,
        expected.tiers.length,
      );
      expect(rungs.map((rung) => rung.tier)).toEqual(expected.tiers);
      for (const rung of rungs) expect(modelPrice(rung.model, '2026-11-21')).not.toBeNull();
    },
  );
});

describe('the scripted agents', () => {
  const attempt = (where: string, id: string, tier: Tier): boolean => {
    const task = [
      ...buildDemoTasks(repository.url),
      buildHardCodedAnswerTask(repository.url),
      buildDroppedRequirementTask(repository.url),
    ].find((each) => each.task.id === id)?.task;
    const [program = '', ...args] = task?.adapter?.kind === 'command' ? task.adapter.argv : [];
    const usage = join(folder, `usage-${id}-${tier}.json`);
    const filled = args.map((argument) =>
      argument.replace('{task_id}', id).replace('{model}', DEFAULT_TIER_MODELS[tier]),
    );
    execFileSync(program, filled, { cwd: where, env: { ...env, ASSAY_USAGE_FILE: usage } });
    const said = CommandAdapterUsageFile.parse(JSON.parse(readFileSync(usage, 'utf8')));
    expect(said.usage?.output_tokens).toBeGreaterThan(0);
    // As the gates do: tests that were there before count in their old version.
    git('-C', where, 'checkout', '--quiet', 'HEAD', '--', 'test');
    return testsPass(where) && lintPasses(where);
  };

  test.each<[string, string, Tier, boolean]>([
    ['a-slugs', 'main', 'haiku', true],
    ['b-discount', 'next', 'haiku', false],
    ['b-discount', 'next', 'sonnet', true],
    ['d-notes', 'sandbox', 'haiku', true],
    ['e-names', 'hard', 'haiku', false],
    ['e-names', 'hard', 'sonnet', false],
    ['e-names', 'hard', 'opus', false],
    ['f-parcels', 'parcels', 'haiku', true],
    ['f-parcels', 'parcels', 'sonnet', true],
    ['g-vouchers', 'vouchers', 'haiku', true],
    ['g-vouchers', 'vouchers', 'sonnet', true],
  ])('%s on %s by %s leaves a tree that passes: %s', (id, branch, tier, passes) => {
    expect(attempt(checkout(branch), id, tier)).toBe(passes);
  });

  test('c-receipt builds on what b-discount has delivered', () => {
    const where = checkout('next');
    expect(attempt(where, 'b-discount', 'sonnet')).toBe(true);
    git(
      '-C',
      where,
      '-c',
      'user.name=x',
      '-c',
      'user.email=x@example.com',
      'commit',
      '--quiet',
      '-a',
      '-m',
      'b',
    );
    expect(attempt(where, 'c-receipt', 'haiku')).toBe(true);
  });

  test('end with an error on a task that they have no script for', () => {
    expect(() => attempt(checkout('next'), 'a-slugs', 'opus')).toThrow(/no script for task a-slugs/);
  });
});

describe('the result', () => {
  const tasks = buildDemoTasks('file:///demo.git');
  const good: DemoResult = {
    outcomes: tasks.map(({ task, expected }) => ({
      task: aTask({
        id: task.id,
        title: task.title,
        status: expected.status,
        verified: expected.verified,
        branch: expected.delivered ? `assay/${task.id}` : null,
      }),
      attempts: expected.tiers.map((tier, index) => anAttempt({ number: index + 1, tier })),
    })),
    nudge: aStatus({ total_completions: 4, verified_count: 3, unverified_count: 1, unverified_ratio: 0.25 })
      .verification_nudge,
    branches: ['1234567 assay/a-slugs x', '1234567 assay/b-discount x', '1234567 assay/c-receipt x'],
    recordFiles: ['table=tasks/dt=2026-11-21/x.jsonl'],
    recordsDir: '/records',
    agent: null,
    repository: '/repository.git',
    folder: '/',
    elapsedMs: 12,
  };

  test('that is as it must be has no surprises', () => {
    expect(findUnexpectedOutcomes(tasks, good)).toEqual([]);
  });

  test.each<[string, DemoResult, string]>([
    [
      'work that failed was delivered',
      { ...good, branches: [...good.branches, '1 assay/e-names x'] },
      'e-names: delivered is true, expected false',
    ],
    [
      'something was allowed that nobody was to ask for',
      {
        ...good,
        outcomes: good.outcomes.map(({ task, attempts }) => ({
          task: { ...task, approvals: [{ action: 'db:admin', status: 'approved' } as never] },
          attempts,
        })),
      },
      'a-slugs: approved actions is ["db:admin"], expected []',
    ],
    [
      'unverified work was delivered',
      { ...good, branches: [...good.branches, '1 assay/d-notes x'] },
      'd-notes: delivered is true, expected false',
    ],
    [
      'passed work was not delivered',
      { ...good, branches: good.branches.slice(1) },
      'a-slugs: delivered is false, expected true',
    ],
    [
      'a task is missing',
      { ...good, outcomes: good.outcomes.slice(1) },
      'a-slugs: status is undefined, expected "done"',
    ],
    [
      'the cascade did not escalate',
      {
        ...good,
        outcomes: good.outcomes.map((outcome) => ({ ...outcome, attempts: outcome.attempts.slice(-1) })),
      },
      'b-discount: tiers is ["sonnet"], expected ["haiku","sonnet"]',
    ],
    [
      'the unverified completion is not counted',
      { ...good, nudge: { ...good.nudge, unverified_count: 0 } },
      'ledger: unverified is 0, expected 1',
    ],
    ['there are no records', { ...good, recordFiles: [] }, 'ledger: no records were written'],
  ])('says so when %s', (_, result, surprise) => {
    expect(findUnexpectedOutcomes(tasks, result)).toContain(surprise);
  });

  test('is a document with the promised fields', () => {
    const document = toDemoJson(good, []);
    expect(document).toMatchObject({
      verification_nudge: { total_completions: 4, unverified_count: 1 },
      records_dir: '/records',
      elapsed_ms: 12,
      as_expected: true,
    });
    expect(document.tasks[1]).toEqual({
      id: 'b-discount',
      title: 'Give regular customers a discount',
      status: 'done',
      attempts: [
        {
          model: 'claude-haiku-4-5',
          tier: 'haiku',
          outcome: 'passed',
          cost_usd: 0.0123,
          judging_cost_usd: 0,
        },
        {
          model: 'claude-haiku-4-5',
          tier: 'sonnet',
          outcome: 'passed',
          cost_usd: 0.0123,
          judging_cost_usd: 0,
        },
      ],
      verdict: null,
      verified: true,
      branch: 'assay/b-discount',
      cost_usd: 0,
      judging_cost_usd: 0,
      saved_vs_direct_opus_usd: null,
    });
  });
});
