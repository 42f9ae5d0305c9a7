import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLOCK_TOLERANCE_SECONDS } from '../../functions/api/verify-oidc-token.ts';
import { assay } from '../cli/support.ts';
import { AUDIENCE, IdentityProvider } from '../support/oidc/identity-provider.ts';
import { agent, PROJECT, Repository, RIGHT, writes } from './support/repository.ts';
import { Stack } from './support/stack.ts';

let stack: Stack;
let repository: Repository;
let provider: IdentityProvider;
let folder: string;

beforeAll(async () => {
  repository = new Repository(PROJECT);
  provider = await IdentityProvider.start();
  // The address is part of the template.
  const rule = (group: string, role: string) => ({ claims: { groups: [group] }, role });
  const issuer = { name: 'idp', issuer: provider.issuer, audiences: [AUDIENCE] };
  stack = await Stack.start({}, [], {
    oidc: JSON.stringify([{ ...issuer, rules: [rule('admins', 'admin'), rule('reviewers', 'review')] }]),
  });
  folder = mkdtempSync(join(tmpdir(), 'assay-sign-in-'));
  mkdirSync(join(folder, '.assay-data'));
  const connection = { ...stack.ready, data_dir: join(folder, '.assay-data') };
  writeFileSync(join(folder, '.assay-data/connection.json'), JSON.stringify(connection), { mode: 0o600 });
});
afterAll(async () => {
  await stack.stop();
  await provider.stop();
  repository.remove();
  rmSync(folder, { recursive: true });
});

const submission = () => ({
  title: 'Make sum add',
  repository: repository.url,
  adapter: agent(writes('src/sum.js', RIGHT)),
});
const as = (token: string) => ({ authorization: `Bearer ${token}` });

describe('a stack with an identity provider', () => {
  it('does what the role of the claims may, and writes the subject where it is audited', async () => {
    const admin = as(await provider.sign({ groups: ['admins'], sub: 'grace' }));
    const { status, body } = await stack.call<{ id: string; created_by: string }>(
      'POST',
      '/tasks',
      submission(),
      admin,
    );
    expect([status, body.created_by]).toEqual([201, 'idp:grace']);
    await stack.ended(body.id);
    const reviewer = as(await provider.machineToken());
    expect((await stack.call('GET', `/tasks/${body.id}`, undefined, reviewer)).status).toBe(200);
    const refused = await stack.call('POST', '/tasks', submission(), reviewer);
    expect(refused).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  });

  it.each<[string, Record<string, unknown>]>([
    ['that has expired', { exp: Math.floor(Date.now() / 1_000) - 600 }],
    ['for another audience', { aud: 'other' }],
    ['of another issuer', { iss: 'https://evil.test' }],
    ['without a mapped claim', { groups: [] }],
  ])('refuses a token %s', async (_what, claims) => {
    const answer = await stack.call('GET', '/tasks', undefined, as(await provider.sign(claims)));
    expect(answer.status).toBe(403);
  });

  it('refuses a token that ends, although its authorisation is still kept', async () => {
    // Two seconds before the tolerance of clocks is over.
    const exp = Math.floor(Date.now() / 1_000) - CLOCK_TOLERANCE_SECONDS + 2;
    const token = as(await provider.sign({ exp }));
    expect((await stack.call('GET', '/tasks', undefined, token)).status).toBe(200);
    const deadline = Date.now() + 20_000;
    let status = 200;
    while (status === 200 && Date.now() < deadline)
      ({ status } = await stack.call('GET', '/tasks', undefined, token));
    expect(status).toBe(401);
  });
});

describe('operator tokens of a stack on this machine', () => {
  it('are made, listed and revoked in its folder, as on AWS', async () => {
    const inFolder = { cwd: folder };
    const made = await assay(['token', 'create', '--name', 'bot', '--role', 'read', '--json'], inFolder);
    const { token, id } = JSON.parse(made.stdout) as { token: string; id: string };
    expect((await stack.call('GET', '/tasks', undefined, as(token))).status).toBe(200);
    expect((await stack.call('POST', '/tasks', submission(), as(token))).status).toBe(403);
    const listed = await assay(['token', 'list', '--json'], inFolder);
    const { tokens } = JSON.parse(listed.stdout) as { tokens: { id: string; name: string }[] };
    expect(tokens.map(({ name }) => name).sort()).toEqual(['bot', 'embedded']);
    const other = await assay(['token', 'create', '--name', 'other'], inFolder);
    const revoked = await assay(['token', 'revoke', 'other'], inFolder);
    expect([revoked.code, (await assay(['token', 'revoke', id], inFolder)).code]).toEqual([0, 0]);
    // Its authorisation was not kept yet; that of the other one is, for a minute.
    expect((await stack.call('GET', '/tasks', undefined, as(other.stdout.trim()))).status).toBe(403);
    const left = await assay(['token', 'list', '--json'], inFolder);
    expect((JSON.parse(left.stdout) as { tokens: unknown[] }).tokens).toHaveLength(1);
  });
});
