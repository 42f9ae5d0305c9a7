import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { assay } from '../../test/cli/support.ts';
import { DEPLOY_COMMANDS, FIRST_TASK, FIRST_TASK_ID } from './deployment/deploy-page.ts';
import { createTokenWithCli } from './deployment/operator-token.ts';
import { FORGE_API_URL, FORGE_URL, PUSH_TOKEN } from './forge/git-forge.ts';
import { getCurrentRunFiles } from './machine/run-environment.ts';

interface Check {
  readonly check: string;
  readonly outcome: string;
  readonly advice: string | null;
}
const outcomesIn = (text: string): Record<string, string> => {
  const { checks } = JSON.parse(text) as { checks: Check[] };
  return Object.fromEntries(checks.map(({ check, outcome }) => [check, outcome]));
};

/** The emulator has no quotas of Fargate, no role of ECS and no models: what it lacks is never called good. */
const LACKED = { fargate_vcpus: 'could_not_run', ecs_role: 'missing', model_access: 'missing' };

/** How each command of docs/how-to/deploy.md is walked, in its order. */
const WALKED = [
  [/^git clone \S+ && cd assay && npm ci$/, 'before this runs'],
  [/^npx cdk bootstrap$/, 'when the machine is set up'],
  [/^SECRET=\$\(aws secretsmanager create-secret /, 'by its API, when the machine is set up'],
  [
    /^npm run deploy -- /,
    'its parts: doctor here, cdk deploy with the same settings when the machine is set up, smoke with the tasks of the demo',
  ],
  [/^npm run -s assay -- token create /, 'here'],
  [/^export ASSAY_URL=/, 'here'],
  [/^npm run -s assay -- submit first\.yaml --wait$/, 'here'],
] as const;

let env: Record<string, string>;
let table: string;
beforeAll(() => {
  const { ApiUrl = '', TableName = '' } = inject('outputs');
  env = { ASSAY_URL: ApiUrl, ASSAY_TOKEN: createTokenWithCli() };
  table = TableName;
});

describe('the commands of the page on deploying', () => {
  test('are at most eight, and all of them are walked', () => {
    expect(DEPLOY_COMMANDS.length).toBeLessThanOrEqual(8);
    expect(DEPLOY_COMMANDS).toEqual(WALKED.map(([line]) => expect.stringMatching(line)));
  });

  test('end with a pull request', async () => {
    // A model would need an account: a shell does the task.
    const adapter = { kind: 'command', argv: ['sh', '-c', 'echo Hello > HELLO.md'], timeout_s: 60 };
    const own = `id: ${FIRST_TASK_ID}\nadapter: ${JSON.stringify(adapter)}\n`;
    const task = FIRST_TASK.replace('base_ref: main', 'base_ref: next');
    writeFileSync(join(getCurrentRunFiles().folder, 'first.yaml'), `${task}${own}`);
    const { ApiUrl = '', TableName = '' } = inject('outputs');
    const [create = '', exports = '', submit = ''] = DEPLOY_COMMANDS.slice(-3);
    const script = [
      'set -euo pipefail',
      `npm() { (cd "$REPOSITORY" && command npm "$@"); }`,
      `token=$(${create.replace('<output TableName>', TableName)})`,
      exports.replace('<output ApiUrl>', ApiUrl).replace('<the token>', '$token'),
      submit.replace('first.yaml', join(getCurrentRunFiles().folder, 'first.yaml')),
    ].join('\n');
    const ran = spawnSync('bash', ['-c', script], {
      encoding: 'utf8',
      env: { ...process.env, REPOSITORY: process.cwd() },
    });
    writeFileSync(join(getCurrentRunFiles().folder, 'first-pull-request.txt'), `${ran.stdout}${ran.stderr}`);
    expect(ran.status, `${ran.stdout}${ran.stderr}`).toBe(0);
    const pulls = `${FORGE_API_URL}/repos/acme/shop/pulls?head=acme:assay/${FIRST_TASK_ID}`;
    // The forge is told by an event, after the task has ended.
    await expect
      .poll(
        async () => {
          const authorization = `Bearer ${PUSH_TOKEN}`;
          const answer = await fetch(pulls, { headers: { authorization } });
          return answer.json();
        },
        { timeout: 60_000, interval: 500 },
      )
      .toEqual([{ number: expect.any(Number) }]);
  });
});

describe('assay doctor --aws', () => {
  test('says of an empty account what has to be done first', () => {
    const text = readFileSync(getCurrentRunFiles().doctorBefore, 'utf8');
    expect(outcomesIn(text)).toEqual({
      credentials: 'ok',
      bootstrap: 'missing',
      stack: 'attention',
      lambda_concurrency: 'ok',
      orphans: 'ok',
      ...LACKED,
    });
  });

  test('finds after the deployment all that this account has', async () => {
    const ran = await assay(['doctor', '--aws', '--json'], { env });
    expect(outcomesIn(ran.stdout)).toEqual({
      credentials: 'ok',
      bootstrap: 'ok',
      stack: 'ok',
      lambda_concurrency: 'ok',
      settings: 'ok',
      secrets: 'ok',
      alarm_subscription: 'ok',
      orphans: 'ok',
      // `cdk deploy` alone does not set it.
      deletion_protection: 'attention',
      // Nothing has built one, and nobody has pushed one.
      images: 'missing',
      ...LACKED,
    });
  });
});

test('assay status speaks with the deployment', async () => {
  const ran = await assay(['status', '--json'], { env });
  expect(ran.code, ran.stderr).toBe(0);
  expect(JSON.parse(ran.stdout)).toMatchObject({ by_status: expect.any(Object), breakers: [] });
});

test('a token may do what its role and repositories let it, and nothing once it is revoked', async () => {
  const create = ['token', 'create', '--name', 'ci', '--role', 'submit', '--repository', FORGE_URL];
  const made = await assay([...create, '--expires', '90d', '--table', table, '--json'], { env });
  expect(made.code, made.stderr).toBe(0);
  const { token, id } = JSON.parse(made.stdout) as { token: string; id: string };
  const own = { ...env, ASSAY_TOKEN: token };
  expect((await assay(['status'], { env: own })).code).toBe(0);
  const elsewhere = join(getCurrentRunFiles().folder, 'elsewhere.yaml');
  writeFileSync(elsewhere, 'title: x\nrepository: https://github.com/you/sandbox\n');
  const refused = await assay(['submit', elsewhere], { env: own });
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining('none that your token is good for'),
  ]);
  const listed = await assay(['token', 'list', '--table', table, '--json'], { env });
  expect(listed.stdout).toContain('"ci"');
  expect(listed.stdout).not.toContain(token);
  expect((await assay(['token', 'revoke', id, '--table', table], { env })).code).toBe(0);
});
