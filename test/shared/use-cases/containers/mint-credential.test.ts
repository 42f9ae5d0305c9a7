import { describe, expect, it } from 'vitest';
import { GitCredentialsSecret } from '../../../../shared/contract/repository/git-secret.ts';
import type { Task } from '../../../../shared/contract/task/task.ts';
import { sha256 } from '../../../../shared/lib/sha256.ts';
import { mintCredential } from '../../../../shared/use-cases/containers/mint-credential.ts';
import { attempt, FIXED_NOW, launch, task, taskInReview, verdict } from '../../../support/builders.ts';

const SHOP = 'https://github.com/acme/shop.git';
const HIDDEN = 'https://github.com/acme/hidden.git';
const KEY = '-----BEGIN RSA PRIVATE KEY-----\nx\n-----END RSA PRIVATE KEY-----';
const app = { app_id: 1, installation_id: '2', private_key: KEY };
const SECRET = GitCredentialsSecret.parse({
  credentials: [
    { url: 'https://github.com/acme', github_app: app },
    { url: 'https://git.example.org/team', token: 'kept' },
    { url: 'https://git.example.org/team/special', authorization: 'Bearer special' },
  ],
});
const at = FIXED_NOW.toISOString();
const running = (fields: Partial<Task> = {}): Task =>
  task({ repository: SHOP, status: 'claimed', attempts: [attempt({ agent: launch() })], ...fields });
const TOKEN = 'assay_deliver_T1.1.x';
const PUSHING = {
  state: 'pushing',
  base_commit: 'b',
  tree: 't',
  branch: 'assay/T1',
  commit: null,
  reason: null,
  at,
} as const;
/** Its delivery has leave to push. */
const pushing = (): Task => {
  const of = taskInReview({
    verdict: verdict(),
    deliver: { ...launch(), token_sha256: sha256(TOKEN) },
    decision: { action: 'accept', reason: 'r', next_model: null, next_tier: null, at },
  });
  return { ...of, repository: SHOP, delivery: PUSHING };
};

async function ask(of: Task | null, access: 'read' | 'write', repository = SHOP, token = TOKEN) {
  const made: unknown[] = [];
  const answer = await mintCredential(
    access === 'read' ? { task_id: 'T1', repository, access } : { task_id: 'T1', repository, access, token },
    {
      tasks: { get: async () => of },
      secret: async () => SECRET,
      installationToken: async ({ url }, name, level) => {
        made.push([url, name, level]);
        return { token: `${level}-token` };
      },
    },
  );
  return { ...answer, made };
}
const basic = (token: string) => `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;

describe('the minter', () => {
  it('makes a token of the App for the repository of a task that is under way', async () => {
    expect(await ask(running(), 'read')).toEqual({
      outcome: 'minted',
      authorization: basic('read-token'),
      made: [['https://github.com/acme', SHOP, 'read']],
    });
  });

  it('makes one to write for the launch that has leave to push, and for no other', async () => {
    const { attempts } = pushing();
    const lost = attempts.map((each) => ({
      ...each,
      deliver: each.deliver && { ...each.deliver, lost: true },
    }));
    const none = attempts.map((each) => ({ ...each, deliver: null }));
    expect(await ask(pushing(), 'write', SHOP, `${TOKEN}y`)).toMatchObject({ outcome: 'refused', made: [] });
    for (const other of [
      { ...pushing(), delivery: null },
      { ...pushing(), delivery: { ...PUSHING, state: 'refused' as const } },
      { ...pushing(), attempts: lost },
      { ...pushing(), attempts: none },
    ])
      expect(await ask(other, 'write')).toMatchObject({ outcome: 'refused', transient: false, made: [] });
  });

  it('makes one to write only where the task is to be delivered', async () => {
    expect(await ask(pushing(), 'write')).toMatchObject({
      outcome: 'minted',
      authorization: basic('write-token'),
    });
    for (const other of [
      running(),
      { ...taskInReview(), repository: SHOP },
      { ...pushing(), status: 'done' as const },
      { ...pushing(), hold: { reasons: [], since: at } },
    ])
      expect(await ask(other, 'write')).toMatchObject({ outcome: 'refused', transient: false, made: [] });
  });

  it.each<[string, Task | null, string, string]>([
    ['a task that is not there', null, SHOP, 'there is no task T1'],
    ['a repository that the task is not about', running(), HIDDEN, 'is not about'],
    ['a task that has ended', running({ status: 'failed' }), SHOP, 'has ended'],
    [
      'a repository that the secret does not cover',
      running({ repository: 'https://x.test/a.git' }),
      'https://x.test/a.git',
      'has no credential',
    ],
  ])('makes none for %s', async (_what, of, repository, message) => {
    expect(await ask(of, 'read', repository)).toEqual({
      outcome: 'refused',
      message: expect.stringContaining(message),
      transient: false,
      made: [],
    });
  });

  it('lets another repository be read where the task has hidden tests, and not be written', async () => {
    const of = { ...pushing(), hidden_tests: { key: 'k', sha256: 's', bytes: 1 } };
    expect(await ask(of, 'read', HIDDEN)).toMatchObject({ outcome: 'minted' });
    expect(await ask(of, 'write', HIDDEN)).toMatchObject({ outcome: 'refused' });
  });

  it('gives what is kept for reading alone, and of several the one for the longest path', async () => {
    const [plain, special] = [
      'https://git.example.org/team/a.git',
      'https://git.example.org/team/special/b.git',
    ];
    expect(await ask(running({ repository: plain }), 'read', plain)).toMatchObject({
      authorization: basic('kept'),
    });
    expect(await ask(running({ repository: special }), 'read', special)).toMatchObject({
      authorization: 'Bearer special',
    });
    expect(await ask({ ...pushing(), repository: plain }, 'write', plain)).toEqual({
      outcome: 'none',
      made: [],
    });
  });
});
