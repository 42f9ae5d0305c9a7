import { setImmediate } from 'node:timers/promises';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { DEFAULT_TIER_MODELS } from '../../../shared/contract/agents/tiers.ts';
import { Refusal } from '../../../shared/contract/refusal.ts';
import { sha256 } from '../../../shared/lib/sha256.ts';
import { ObjectStore } from '../../../shared/store/object-store.ts';
import { reportCompletedWork } from '../../../shared/use-cases/work/agent-report.ts';
import { attempt, FIXED_NOW, fakeSha1, launch, task } from '../../support/builders.ts';
import { createTestTable } from '../../support/dynalite-table.ts';
import { mockAwsClient } from '../../support/mock-aws-client.ts';

let table: Awaited<ReturnType<typeof createTestTable>>;
beforeAll(async () => {
  table = await createTestTable();
});
afterAll(() => table.close());

/** The bucket, as S3 takes conditional puts. */
const s3 = mockAwsClient(S3Client);
const bucket = new Map<string, string>();
beforeEach(() => {
  s3.on(PutObjectCommand).callsFake(({ Key, Body, IfNoneMatch }) => {
    if (IfNoneMatch === '*' && bucket.has(Key))
      throw Object.assign(new Error('exists'), { name: 'PreconditionFailed' });
    bucket.set(Key, Body);
    return {};
  });
  s3.on(GetObjectCommand).callsFake(({ Key }) => ({
    Body: { transformToString: async () => bucket.get(Key) },
  }));
});

/** Lets the others go on for so many turns of the event loop. */
const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await setImmediate();
};

let count = 0;

it('of several completes, in any order, what is accepted stays readable and unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          patch: fc.constantFrom('one', 'two', 'three'),
          before: fc.nat(30),
          within: fc.nat(30),
        }),
        { minLength: 2, maxLength: 4 },
      ),
      async (calls) => {
        const id = `R${count++}`;
        await table.tasks.create(
          task({ id, status: 'in_progress', attempts: [attempt({ agent: launch() })] }),
        );
        const store = () => new ObjectStore(new S3Client({ region: 'us-east-1' }), 'bucket');
        const objects = store();
        const answers = await Promise.allSettled(
          calls.map(async ({ patch, before, within }) => {
            await turns(before);
            const own = store();
            const slow = Object.assign(Object.create(ObjectStore.prototype) as ObjectStore, {
              putIfAbsent: (...put: Parameters<ObjectStore['putIfAbsent']>) =>
                turns(within).then(() => own.putIfAbsent(...put)),
            });
            return reportCompletedWork(
              id,
              1,
              { summary: 's', output_tail: '', base_commit: fakeSha1('a'), tree: fakeSha1('b'), patch },
              { tasks: table.tasks, objects: slow, models: DEFAULT_TIER_MODELS, now: FIXED_NOW },
            );
          }),
        );
        const accepted = (await table.tasks.require(id)).attempts[0]?.artifact;
        expect(sha256(await objects.getByDigest(accepted?.patch_key ?? ''))).toBe(accepted?.patch_sha256);
        for (const [index, answer] of answers.entries()) {
          const same = sha256(calls[index]?.patch ?? '') === accepted?.patch_sha256;
          if (same) expect(answer.status).toBe('fulfilled');
          else expect(answer.status === 'rejected' && answer.reason).toBeInstanceOf(Refusal);
        }
      },
    ),
    { numRuns: 60 },
  );
}, 60_000);

it('reads nothing in the place of what was named by its content', async () => {
  const objects = new ObjectStore(new S3Client({ region: 'us-east-1' }), 'bucket');
  const key = `evidence/T1/1/evidence-1-${sha256('true')}.json`;
  await objects.putIfAbsent(key, 'true', 'application/json');
  await objects.putIfAbsent(key, 'something else', 'application/json');
  expect(await objects.getByDigest(key)).toBe('true');
  bucket.set(key, 'forged');
  await expect(objects.getByDigest(key)).rejects.toThrow('does not hold what its name says');
});

it.each([
  ['nothing was changed', 0, 'c'.repeat(64)],
  ['something was changed', 7, sha256('')],
])('is not told that %s by an agent whose digest says otherwise', async (_, patch_bytes, patch_sha256) => {
  const id = `B${count++}`;
  await table.tasks.create(task({ id, status: 'in_progress', attempts: [attempt({ agent: launch() })] }));
  const objects = new ObjectStore(new S3Client({ region: 'us-east-1' }), 'bucket');
  const body = { summary: 's', output_tail: '', tree: fakeSha1('b'), patch_sha256, patch_bytes };
  const handed = reportCompletedWork(id, 1, body, {
    tasks: table.tasks,
    objects,
    models: DEFAULT_TIER_MODELS,
    now: FIXED_NOW,
  });
  await expect(handed).rejects.toMatchObject({ code: 'invalid', errors: [{ pointer: '/patch_bytes' }] });
  expect((await table.tasks.require(id)).version).toBe(1);
});
