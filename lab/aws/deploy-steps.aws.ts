import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { assay } from '../../test/cli/support.ts';
import { createTokenWithCli } from './deployment/operator-token.ts';
import { FORGE_URL } from './forge/git-forge.ts';
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

/** The steps of docs/how-to/deploy.md, each with where it is walked. */
const WALKED = [
  ['npm ci', 'before this runs'],
  ['npx cdk bootstrap', 'when the machine is set up'],
  [
    'npm run deploy -- -c assay:alarmEmail=you@example.com --repository https://github.com/you/sandbox',
    'its parts: doctor here, cdk deploy when the machine is set up, smoke with the tasks of the demo',
  ],
  ['npm run -s assay -- token create --name you --table <output TableName>', 'by all files'],
  ['export ASSAY_URL=<output ApiUrl> ASSAY_TOKEN=<the token>', 'here'],
  ['npm run -s assay -- status', 'here'],
] as const;

let env: Record<string, string>;
let table: string;
beforeAll(() => {
  const { ApiUrl = '', TableName = '' } = inject('outputs');
  env = { ASSAY_URL: ApiUrl, ASSAY_TOKEN: createTokenWithCli() };
  table = TableName;
});

test('all steps that the page on deploying names are walked, in its order', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/how-to/deploy.md'), 'utf8');
  const steps = /^## Steps\n\n```sh\n(.*?)^```/ms.exec(page)?.[1] ?? '';
  const lines = steps
    .trim()
    .split('\n')
    .map((line) => line.replace(/\s+#.*/, ''));
  expect(lines).toEqual(WALKED.map(([line]) => line));
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
