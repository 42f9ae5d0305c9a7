import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { operatorOf } from '../../shared/store/operator-tokens.ts';
import { testTable } from '../support/dynalite.ts';
import { assay } from './support.ts';

let table: Awaited<ReturnType<typeof testTable>>;
let endpoint: string;
beforeAll(async () => {
  table = await testTable();
  const where = await table.db.config.endpoint?.();
  endpoint = `http://${where?.hostname}:${where?.port}`;
});
afterAll(() => table.close());

/** The SDK reads its settings from the environment of the process. */
beforeEach(() => {
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', endpoint);
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
});

test('a token is printed once, alone on standard output, and stored so that the API knows whose it is', async () => {
  const ran = await assay(['token', 'create', '--name', 'ada', '--table', 'tasks']);
  expect(ran.code).toBe(0);
  expect(ran.stdout).toMatch(/^assay_op_[\w-]{43}\n$/);
  expect(ran.stderr).toContain('it is not shown again');
  expect(await operatorOf(table.db, 'tasks', ran.stdout.trim())).toBe('ada');
});

test('the table may come from the environment; --json has name, table and token', async () => {
  const ran = await assay(['token', 'create', '--name', 'ci', '--json'], { env: { ASSAY_TABLE: 'tasks' } });
  const document = JSON.parse(ran.stdout) as { name: string; table: string; token: string };
  expect(document).toEqual({ name: 'ci', table: 'tasks', token: expect.stringMatching(/^assay_op_/) });
  expect(await operatorOf(table.db, 'tasks', document.token)).toBe('ci');
});

test('a table that does not exist is exit code 3', async () => {
  const ran = await assay(['token', 'create', '--name', 'ada', '--table', 'nowhere']);
  expect(ran).toMatchObject({ code: 3, stdout: '' });
  expect(ran.stderr).toContain('There is no table nowhere in this account and region.');
});

test('without credentials it says to sign in', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', undefined);
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/nonexistent');
  vi.stubEnv('AWS_CONFIG_FILE', '/nonexistent');
  const ran = await assay(['token', 'create', '--name', 'ada', '--table', 'tasks']);
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toContain('Sign in to the AWS account of the deployment first');
});
