import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeEach, describe, expect, it } from 'vitest';
import { s3ObjectKeys } from '../../../shared/contract/resource-names.ts';
import { sha256 } from '../../../shared/lib/sha256.ts';
import { ObjectStore } from '../../../shared/store/object-store.ts';
import { mockAwsClient } from '../../support/mock-aws-client.ts';

const s3 = mockAwsClient(S3Client);
beforeEach(() => s3.reset());

const HASH = sha256('{}');
const evidence = s3ObjectKeys.evidence('t-1', 1, 1, HASH);
const records = s3ObjectKeys.records('tasks', '2026-11-23', 'b');
const assignment = s3ObjectKeys.assignment('t-1', 1, 'gates', 'n');

describe('objects', () => {
  it.each([
    [evidence, 'locked'],
    [records, 'locked'],
    [assignment, 'bucket'],
    [s3ObjectKeys.patch('t-1', 1, HASH), 'bucket'],
    [s3ObjectKeys.hiddenTests('t-1', HASH), 'bucket'],
    [s3ObjectKeys.memory('r', 'results', 'h'), 'bucket'],
  ])('of %s lie in the %s', async (key, bucket) => {
    const store = new ObjectStore(
      new S3Client({ region: 'us-east-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } }),
      'bucket',
      'locked',
    );
    await store.put(key, '{}', 'application/json');
    await store.putIfAbsent(key, '{}', 'application/json');
    expect(s3.commandCalls(PutObjectCommand).map((call) => call.args[0].input.Bucket)).toEqual([
      bucket,
      bucket,
    ]);
    expect(new URL(await store.presignGet(key)).host).toMatch(new RegExp(`^${bucket}\\.`));
  });

  it('all lie in one bucket where none is locked', async () => {
    const store = new ObjectStore(
      new S3Client({ region: 'us-east-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } }),
      'bucket',
    );
    await store.put(evidence, '{}', 'application/json');
    expect(s3.commandCalls(PutObjectCommand)[0]?.args[0].input.Bucket).toBe('bucket');
  });

  it('are sent with their digest, without which nothing comes into a locked bucket', async () => {
    const store = new ObjectStore(
      new S3Client({ region: 'us-east-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } }),
      'bucket',
      'locked',
    );
    await store.putIfAbsent(evidence, '{}', 'application/json');
    expect(s3.commandCalls(PutObjectCommand)[0]?.args[0].input.ChecksumSHA256).toBe(
      Buffer.from(HASH, 'hex').toString('base64'),
    );
  });
});
