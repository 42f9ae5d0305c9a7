import '../../support/function-env.ts';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { requestPushCredential } from '../../../functions/deliver/deliver-work.ts';
import { handler } from '../../../functions/deliver/handler.ts';
import type { DeliveryAssignment } from '../../../shared/contract/messages/assignment.ts';
import type { CredentialResponse } from '../../../shared/contract/messages/credential-messages.ts';
import { CredentialUnavailableError } from '../../../shared/store/credential-provider.ts';
import { deliverAssignment } from '../../containers/box.ts';
import { type FakeApi, startFakeApi } from '../../containers/fake-api.ts';
import { type Work, work } from '../../containers/work.ts';
import { createTemporaryFolder } from '../../support/git-repository.ts';
import { mockAwsClient } from '../../support/mock-aws-client.ts';

const secrets = mockAwsClient(SecretsManagerClient);
const lambda = mockAwsClient(LambdaClient);
const table = mockAwsClient(DynamoDBDocumentClient);
/** The minter covers the repositories of these tests, and answers this. */
function minted(answer: CredentialResponse): void {
  vi.stubEnv('ASSAY_READ_SCOPES', JSON.stringify(['https://127.0.0.1:9/acme']));
  vi.stubEnv('ASSAY_MINTER_FUNCTION', 'push-minter');
  const Payload = Buffer.from(JSON.stringify(answer));
  lambda.on(InvokeCommand).resolves({ Payload } as never);
}
let api: FakeApi;
let place: string;
beforeEach(async () => {
  api = await startFakeApi();
  place = createTemporaryFolder();
  secrets.reset();
  lambda.reset();
  table.reset();
  table.on(GetCommand).resolves({ Item: {} });
  vi.stubEnv('TMPDIR', place);
  vi.stubEnv('ASSAY_API_URL', api.url);
  vi.stubEnv('ASSAY_ALLOW_FILE_REPOSITORIES', 'true');
  vi.stubEnv('AWS_REGION', 'us-east-1');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  rmSync(place, { recursive: true, force: true });
  await api.stop();
});

const changed = (): Work => work({ 'a.txt': 'a\n' }, { 'a.txt': 'b\n' });
const put = (assignment: DeliveryAssignment): void =>
  void api.objects.set('/assignment', Buffer.from(JSON.stringify(assignment)));
const invoke = (remainingMs = 900_000) =>
  handler(
    { launch_name: 'T1/1/deliver/1', assignment_url: `${api.url}/assignment` },
    { getRemainingTimeInMillis: () => remainingMs },
  );
const left = () => readdirSync(place).filter((name) => name.startsWith('assay-deliver-'));
const steps = () => api.bodies('delivery').map(({ step }) => step);

describe('an invocation', () => {
  test('takes its assignment, delivers, and leaves nothing where the next one works', async () => {
    const of = changed();
    put(deliverAssignment(api, of.repository.url, of));
    const environment = { ...process.env };
    expect(await invoke()).toEqual({ taken: true });
    expect(steps()).toEqual(['authorize', 'delivered']);
    expect(api.objects.has('/assignment')).toBe(false);
    expect(left()).toEqual([]);
    expect(process.env).toEqual(environment);
  });

  test('pushes nothing that has neither a passing verdict nor an approval among the items of their writers', async () => {
    const of = changed();
    table.on(GetCommand).resolves({});
    put(deliverAssignment(api, of.repository.url, of));
    await invoke();
    expect(steps()).toEqual(['authorize', 'refused']);
    expect(table.commandCalls(GetCommand).map(({ args }) => args[0].input.Key)).toEqual(
      ['passed#T1', 'approved#T1'].map((pk) => ({ pk, sk: `${of.base_commit}#${of.tree}` })),
    );
  });

  test('that comes twice finds its assignment taken, and does nothing', async () => {
    const of = changed();
    put(deliverAssignment(api, of.repository.url, of));
    await invoke();
    expect(await invoke()).toEqual({ taken: false });
    expect(steps()).toEqual(['authorize', 'delivered']);
  });

  test('removes what one before it has left that was cut off', async () => {
    const store = join(place, 'assay-deliver-abc', 'store.git');
    mkdirSync(store, { recursive: true });
    writeFileSync(join(store, 'config'), 'of somebody else');
    const of = changed();
    put(deliverAssignment(api, of.repository.url, of));
    expect(await invoke()).toEqual({ taken: true });
    expect(existsSync(store)).toBe(false);
  });

  test.skipIf(process.getuid?.() !== 0)('does not begin where that cannot be removed', async () => {
    const { execFileSync } = await import('node:child_process');
    const held = join(place, 'assay-deliver-abc');
    mkdirSync(held);
    try {
      execFileSync('mount', ['-t', 'tmpfs', 'none', held], { stdio: 'ignore' });
    } catch {
      // A machine that lets nobody mount has no way to show this.
      return;
    }
    try {
      const of = changed();
      put(deliverAssignment(api, of.repository.url, of));
      await expect(invoke()).rejects.toThrow('which cannot be removed');
      expect(api.calls).toEqual([]);
      expect(api.objects.has('/assignment')).toBe(true);
    } finally {
      execFileSync('umount', [held]);
    }
  });

  test.each([
    [
      'in mid-fetch',
      'fetch) exec sleep 600;;',
      60_200,
      /: repository_unavailable: git was ended by SIGKILL$/,
    ],
    ['before it has pushed', 'none) ;;', 60_000, /: the push was not begun$/],
  ])(
    'whose time is over %s ends git and says so: a repository that is too large is no hang',
    async (_, script, remainingMs, reason) => {
      const of = changed();
      put(deliverAssignment(api, of.repository.url, of));
      const [git] = (process.env['PATH'] ?? '')
        .split(':')
        .map((folder) => join(folder, 'git'))
        .filter((path) => existsSync(path));
      const programs = join(place, 'programs');
      mkdirSync(programs);
      writeFileSync(join(programs, 'git'), `#!/bin/sh\ncase $1 in ${script} esac\nexec ${git} "$@"\n`, {
        mode: 0o755,
      });
      vi.stubEnv('PATH', `${programs}:${process.env['PATH']}`);
      // Of its time, the last minute is for saying why.
      expect(await invoke(remainingMs)).toEqual({ taken: true });
      expect(api.bodies('delivery').at(-1)).toMatchObject({ step: 'refused' });
      const [said] = api.bodies('delivery').flatMap((body) => body['reason'] ?? []);
      expect(said).toMatch(/^there was no time left: /);
      expect(said).toMatch(reason);
      expect(of.repository.git('branch', '--list', 'assay/*')).toBe('');
    },
  );

  test('that fails says so to Lambda, and still leaves nothing', async () => {
    const of = changed();
    put(deliverAssignment(api, of.repository.url, of, { api_url: 'https://elsewhere.test' }));
    await expect(invoke()).rejects.toThrow('names another API');
    expect(left()).toEqual([]);
  });
});

describe('the secret of the deployment', () => {
  const ARN = 'arn:aws:secretsmanager:us-east-1:123456789012:secret:git-AbCdEf';
  const of = (more: Partial<DeliveryAssignment>): void => {
    const made = changed();
    put(deliverAssignment(api, 'https://127.0.0.1:9/acme/shop.git', made, more));
  };
  beforeEach(() => {
    vi.stubEnv('ASSAY_DELIVERY_SECRET', ARN);
    secrets.on(GetSecretValueCommand).resolves({
      SecretString: JSON.stringify({ credentials: [{ url: 'https://elsewhere.test', token: 'hush' }] }),
    });
  });

  test('is read anew for each delivery, and is in no environment afterwards', async () => {
    for (const _ of [1, 2]) {
      of({});
      await invoke();
    }
    expect(secrets.commandCalls(GetSecretValueCommand)).toHaveLength(2);
    expect(api.bodies('delivery').at(-1)).toMatchObject({
      step: 'refused',
      reason: expect.stringContaining('has no credential to push to https://127.0.0.1:9/acme/shop.git'),
    });
    expect(JSON.stringify([process.env, api.calls])).not.toContain('hush');
  });

  test('is asked for by nobody where the minter has made a token, or there is no leave to push', async () => {
    minted({ outcome: 'minted', authorization: 'Bearer minted' });
    of({});
    await invoke();
    api.answer = () => ({ status: 409, body: { code: 'conflict', detail: 'another tree' } });
    of({});
    await invoke();
    expect(secrets.commandCalls(GetSecretValueCommand)).toHaveLength(0);
    expect(lambda.commandCalls(InvokeCommand)).toHaveLength(1);
  });

  test('is asked for where the minter makes none', async () => {
    minted({ outcome: 'none' });
    of({});
    await invoke();
    expect(secrets.commandCalls(GetSecretValueCommand)).toHaveLength(1);
  });
});

describe('the minter', () => {
  test('is asked with the token of the launch, once there is leave to push, and its refusal ends the delivery', async () => {
    minted({ outcome: 'refused', message: 'the App is not installed', transient: false });
    const made = changed();
    put(deliverAssignment(api, 'https://127.0.0.1:9/acme/shop.git', made));
    await invoke();
    const [asked] = lambda.commandCalls(InvokeCommand);
    expect(JSON.parse(String(asked?.args[0].input.Payload))).toEqual({
      task_id: 'T1',
      repository: 'https://127.0.0.1:9/acme/shop.git',
      access: 'write',
      token: deliverAssignment(api, '', made).token,
    });
    expect(api.bodies('delivery')).toEqual([
      expect.objectContaining({ step: 'authorize' }),
      expect.objectContaining({
        step: 'refused',
        reason: 'config_invalid: no credential for the repository: the App is not installed',
      }),
    ]);
  });

  test.each([
    [1, 'Bearer minted'],
    [2, null],
  ])('that may have something in a moment is asked again: refused %i times', async (times, made) => {
    let asked = 0;
    const authorize = async () => {
      asked++;
      if (asked <= times) throw new CredentialUnavailableError('GitHub cannot be reached', true);
      return 'Bearer minted';
    };
    const assignment = { task_id: 'T1', repository: 'https://x.test/a', token: 't' };
    const asking = requestPushCredential(assignment, authorize, new AbortController().signal, [1]);
    if (made !== null) expect(await asking).toBe(made);
    else
      await expect(asking).rejects.toMatchObject({
        failureClass: 'repository_unavailable',
        message: 'no credential for the repository: GitHub cannot be reached',
      });
    expect(asked).toBe(2);
  });
});
