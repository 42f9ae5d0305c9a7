import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { ItemTable } from '../../shared/store/item-table.ts';
import { findOperatorByToken } from '../../shared/store/operator-tokens.ts';
import { createTestTable } from '../support/dynalite-table.ts';
import { assay } from './support.ts';

let table: Awaited<ReturnType<typeof createTestTable>>;
let endpoint: string;
beforeAll(async () => {
  table = await createTestTable();
  endpoint = await table.listen();
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
  expect(await findOperatorByToken(new ItemTable(table.db, 'tasks'), ran.stdout.trim(), new Date())).toEqual({
    name: 'ada',
    role: 'admin',
    repositories: [],
    expiresAt: null,
  });
});

test('the table may come from the environment; --json has name, table and token', async () => {
  const ran = await assay(['token', 'create', '--name', 'ci', '--json'], { env: { ASSAY_TABLE: 'tasks' } });
  const document = JSON.parse(ran.stdout) as { token: string };
  expect(document).toEqual({
    name: 'ci',
    role: 'admin',
    table: 'tasks',
    id: expect.stringMatching(/^[0-9a-f]{12}$/),
    token: expect.stringMatching(/^assay_op_/),
  });
  expect(
    await findOperatorByToken(new ItemTable(table.db, 'tasks'), document.token, new Date()),
  ).toMatchObject({
    name: 'ci',
  });
});

test('a table that does not exist is exit code 5', async () => {
  const ran = await assay(['token', 'create', '--name', 'ada', '--table', 'nowhere']);
  expect(ran).toMatchObject({ code: 5, stdout: '' });
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

test('a token may be for a role, for some repositories and for a time; the list shows that, and revoking ends it', async () => {
  const env = { ASSAY_TABLE: 'tasks' };
  const args = ['--role', 'submit', '--repository', 'https://github.com/acme/', '--expires', '90d'];
  const made = await assay(['token', 'create', '--name', 'bot', ...args], { env });
  const token = made.stdout.trim();
  const soon = new Date(Date.now() + 89 * 86_400_000);
  expect(await findOperatorByToken(new ItemTable(table.db, 'tasks'), token, soon)).toMatchObject({
    name: 'bot',
    role: 'submit',
    repositories: [expect.stringContaining('https://github.com/acme')],
  });
  expect(
    await findOperatorByToken(
      new ItemTable(table.db, 'tasks'),
      token,
      new Date(Date.now() + 91 * 86_400_000),
    ),
  ).toBeNull();
  const listed = await assay(['token', 'list'], { env });
  expect(listed.stdout).toMatch(/ID +NAME +ROLE +REPOSITORIES +CREATED +EXPIRES/);
  expect(listed.stdout).toMatch(/\bbot +submit +https:\/\/github.com\/acme/);
  expect(listed.stdout).not.toContain('assay_op_');
  const [id] = /^[0-9a-f]{12}(?= +bot)/m.exec(listed.stdout) ?? [''];
  const revoked = await assay(['token', 'revoke', id, '--json'], { env });
  expect(JSON.parse(revoked.stdout)).toMatchObject({ revoked: [{ id, name: 'bot' }] });
  expect(await findOperatorByToken(new ItemTable(table.db, 'tasks'), token, new Date())).toBeNull();
  expect(await assay(['token', 'revoke', id], { env })).toMatchObject({ code: 5 });
});

test.each([
  [['--role', 'king'], 'Allowed choices are read, submit, work, review, admin.'],
  [['--expires', '3 weeks'], '--expires must be hours or days from now'],
  [['--repository', 'https://a b/'], '--repository https://a b/'],
  [['--name', ''], '--name must have 1 to 100 characters'],
])('%j is refused, and nothing is made', async (args, message) => {
  const env = { ASSAY_TABLE: 'nowhere' };
  const ran = await assay(['token', 'create', '--name', 'x', ...args], { env });
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toContain(message);
});
