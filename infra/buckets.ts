import { Annotations, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type BucketProps,
  type LifecycleRule,
  ObjectLockRetention,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import * as z from 'zod';
import {
  FAILED_STREAM_BATCH_KEY_PREFIX,
  FUNCTION_ENV_NAMES,
  OBJECT_LOCK_PREFIXES,
} from '../shared/contract/resource-names.ts';
import type { DataEncryptionKey } from './data-encryption-key.ts';
import type { CommonConstructProps, ServiceFunction } from './function.ts';
import type { IamPermission } from './permissions.ts';

/** Folders of the bucket, by who may do what in them. See `objectKey` in shared/contract/resource-names.ts. */
export const BUCKET_PREFIXES = [
  'assignments/',
  'artifacts/',
  'hidden/',
  'evidence/',
  'memory/',
  'records/',
  'athena-results/',
  'failed-batches/',
  FAILED_STREAM_BATCH_KEY_PREFIX,
] as const;
export type BucketPrefix = (typeof BUCKET_PREFIXES)[number];

/** How long, and against whom, evidence and records are locked. */
export const ObjectLock = z.strictObject({
  /** `governance`: whoever has `s3:BypassGovernanceRetention` may still remove them. `compliance`: nobody, the account's root included. */
  mode: z.enum(['governance', 'compliance']),
  days: z.int().min(1).max(36_500),
});
export type ObjectLock = z.infer<typeof ObjectLock>;

export interface WorkAndRecordBucketsProps {
  readonly common: CommonConstructProps;
  /** Encrypts what lies in the buckets. @default - a key of S3's */
  readonly dataKey?: DataEncryptionKey | undefined;
  /** Keeps what is replaced or removed for so many days. @default - nothing is kept */
  readonly keepVersions?: Duration | undefined;
  /** Bucket that takes server access logs. @default - there are none */
  readonly accessLogBucket?: string | undefined;
  /** Puts evidence and records into a bucket of their own that is locked. @default - they lie in the one bucket */
  readonly objectLock?: ObjectLock | undefined;
  /** How long patches, transcripts, hidden tests and evidence are kept. */
  readonly artifactRetention: Duration;
  /** How long the records are kept that Athena reads. */
  readonly recordRetention: Duration;
}

const expire = (prefix: BucketPrefix, after: Duration): LifecycleRule => ({
  id: `expire-${prefix.slice(0, -1).replaceAll('/', '-')}`,
  prefix,
  expiration: after,
});
const forget = (prefix: BucketPrefix, after: Duration): LifecycleRule => ({
  id: `versions-${prefix.slice(0, -1).replaceAll('/', '-')}`,
  prefix,
  noncurrentVersionExpiration: after,
});
const ABORT_UPLOADS: LifecycleRule = {
  id: 'abort-uploads',
  abortIncompleteMultipartUploadAfter: Duration.days(1),
};
const isLocked = (prefix: BucketPrefix): boolean => OBJECT_LOCK_PREFIXES.some((each) => each === prefix);
const longer = (one: Duration, other: Duration): Duration => (one.toDays() >= other.toDays() ? one : other);

/** The bucket: working data with a short life, records with a long one; and a second one for what is locked, where there is such. */
export class WorkAndRecordBuckets extends Construct {
  readonly bucket: Bucket;
  /** Of evidence and records; absent: they lie in the one bucket. */
  readonly locked: Bucket | undefined;
  readonly #dataKey: DataEncryptionKey | undefined;

  constructor(scope: Construct, id: string, props: WorkAndRecordBucketsProps) {
    super(scope, id);
    this.#dataKey = props.dataKey;
    const { keepVersions, objectLock, artifactRetention, recordRetention } = props;
    const here = BUCKET_PREFIXES.filter((prefix) => !(objectLock && isLocked(prefix)));
    const kept: Record<BucketPrefix, Duration> = {
      // An assignment holds the token of a box; its presigned URL is dead after minutes.
      'assignments/': Duration.days(1),
      'artifacts/': artifactRetention,
      // Also what was stored for a request that then made no task.
      'hidden/': artifactRetention,
      'evidence/': artifactRetention,
      // Whatever is still true is found again, and written again, by the next run.
      'memory/': Duration.days(30),
      'records/': recordRetention,
      'athena-results/': Duration.days(7),
      // Whole writes of tasks: as long as somebody may still come for them.
      'failed-batches/': Duration.days(30),
      [FAILED_STREAM_BATCH_KEY_PREFIX]: Duration.days(30),
    };
    this.bucket = this.makeBucket('Bucket', props, {
      ...(keepVersions && { versioned: true }),
      removalPolicy: props.common.removalPolicy,
      lifecycleRules: [
        ...here.map((prefix) => expire(prefix, kept[prefix])),
        // All but assignments, which hold the tokens of boxes: what a box has removed is gone with the next day.
        ...(keepVersions
          ? here.map((prefix) => forget(prefix, prefix === 'assignments/' ? Duration.days(1) : keepVersions))
          : []),
        ABORT_UPLOADS,
      ],
    });
    this.locked = objectLock && this.makeLocked(props, objectLock, kept);
  }

  /** Object Lock is by bucket: what is locked by default can be forgotten by no writer, and what must go again lies elsewhere. */
  private makeLocked(
    props: WorkAndRecordBucketsProps,
    lock: ObjectLock,
    kept: Record<BucketPrefix, Duration>,
  ): Bucket {
    const locked = Duration.days(lock.days);
    return this.makeBucket('Locked', props, {
      versioned: true,
      objectLockEnabled: true,
      objectLockDefaultRetention: ObjectLockRetention[lock.mode](locked),
      // Whatever the stack's own policy is: a bucket with a locked object cannot be removed.
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
      lifecycleRules: [
        ...OBJECT_LOCK_PREFIXES.flatMap((prefix) => [
          // What is locked is paid for, so it is seen as long.
          expire(prefix, longer(kept[prefix], locked)),
          // S3 itself waits for the end of the lock.
          forget(prefix, Duration.days(1)),
        ]),
        { id: 'delete-markers', expiredObjectDeleteMarker: true },
        ABORT_UPLOADS,
      ],
    });
  }

  private makeBucket(
    id: string,
    { dataKey, accessLogBucket }: WorkAndRecordBucketsProps,
    its: Pick<
      BucketProps,
      'versioned' | 'objectLockEnabled' | 'objectLockDefaultRetention' | 'removalPolicy' | 'lifecycleRules'
    >,
  ): Bucket {
    const bucket = new Bucket(this, id, {
      ...(dataKey
        ? { encryption: BucketEncryption.KMS, encryptionKey: dataKey.key, bucketKeyEnabled: true }
        : { encryption: BucketEncryption.S3_MANAGED }),
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      ...(accessLogBucket !== undefined && {
        serverAccessLogsBucket: Bucket.fromBucketName(this, `${id}AccessLogs`, accessLogBucket),
        serverAccessLogsPrefix: `${Stack.of(this).stackName}/${id === 'Bucket' ? '' : `${id.toLowerCase()}/`}`,
      }),
      minimumTLSVersion: 1.2,
      ...its,
    });
    if (accessLogBucket !== undefined)
      Annotations.of(bucket).acknowledgeWarning(
        '@aws-cdk/aws-s3:accessLogsPolicyNotAdded',
        'The policy of a bucket that is not ours is its owner’s; docs/how-to/deploy.md says what it must allow.',
      );
    else
      Validations.of(bucket).acknowledge({
        id: 'AwsSolutions-S1',
        reason:
          'Everything in the bucket is written by functions of this stack or under URLs that they sign, and the records say what was written for which task. Who must know of each read switches on CloudTrail data events for the account.',
      });
    return bucket;
  }

  /** Where objects below a prefix lie. */
  bucketOf(prefix: BucketPrefix): Bucket {
    return this.locked && isLocked(prefix) ? this.locked : this.bucket;
  }

  /** What a function is told of it. */
  get environment(): Record<string, string> {
    return {
      [FUNCTION_ENV_NAMES.bucket]: this.bucket.bucketName,
      ...(this.locked && { [FUNCTION_ENV_NAMES.lockedBucket]: this.locked.bucketName }),
    };
  }

  /** Lets a function write objects below the prefixes where there are none: what is there, it cannot change. */
  allowOnce(grantee: ServiceFunction, prefixes: readonly BucketPrefix[]): void {
    this.allow(grantee, ['PutObject'], prefixes, { Null: { 's3:if-none-match': 'false' } });
  }

  /** Lets Lambda write what a reader of a stream gives up, as the reader; its documentation asks for both rights. */
  allowGivingUp(grantee: ServiceFunction): void {
    this.allow(grantee, ['PutObject'], [FAILED_STREAM_BATCH_KEY_PREFIX]);
    grantee.allow({ actions: ['s3:ListBucket'], on: [this.bucket.bucketArn] });
  }

  /** Lets a function see which objects there are below a prefix. */
  allowList(grantee: ServiceFunction, prefix: BucketPrefix): void {
    grantee.allow({
      actions: ['s3:ListBucket'],
      on: [this.bucketOf(prefix).bucketArn],
      when: { StringLike: { 's3:prefix': `${prefix}*` } },
    });
  }

  /** Lets a function use these S3 actions on objects below the prefixes. */
  allow(
    grantee: ServiceFunction,
    actions: readonly string[],
    prefixes: readonly BucketPrefix[],
    when?: IamPermission['when'],
  ): void {
    this.#dataKey?.allow(grantee, 's3');
    grantee.allow({
      actions: actions.map((action) => `s3:${action}`),
      on: prefixes.map((prefix) => this.bucketOf(prefix).arnForObjects(`${prefix}*`)),
      ...(when && { when }),
      because:
        'The keys below the prefix hold task ids and attempt numbers, which do not exist at deploy time.',
    });
  }
}
