import { Annotations, Duration, Stack, Validations } from 'aws-cdk-lib';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type LifecycleRule,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { DataKey } from './data-key.ts';
import type { Common, ServiceFunction } from './function.ts';
import type { Permission } from './permissions.ts';

/** Folders of the bucket, by who may do what in them. See `objectKey` in shared/names.ts. */
export const PREFIXES = [
  'assignments/',
  'artifacts/',
  'hidden/',
  'evidence/',
  'memory/',
  'records/',
  'athena-results/',
] as const;
export type Prefix = (typeof PREFIXES)[number];

export interface StorageProps {
  readonly common: Common;
  /** Encrypts what lies in the bucket. @default - a key of S3's */
  readonly dataKey?: DataKey | undefined;
  /** Keeps what is replaced or removed for so many days. @default - nothing is kept */
  readonly keepVersions?: Duration | undefined;
  /** Bucket that takes server access logs. @default - there are none */
  readonly accessLogBucket?: string | undefined;
  /** How long patches, transcripts, hidden tests and evidence are kept. */
  readonly artifactRetention: Duration;
  /** How long the records are kept that Athena reads. */
  readonly recordRetention: Duration;
}

/** The one bucket: working data with a short life, records with a long one. */
export class Storage extends Construct {
  readonly bucket: Bucket;
  readonly #dataKey: DataKey | undefined;

  constructor(scope: Construct, id: string, props: StorageProps) {
    super(scope, id);
    this.#dataKey = props.dataKey;
    const { keepVersions, accessLogBucket } = props;
    const expire = (prefix: Prefix, after: Duration): LifecycleRule => ({
      id: `expire-${prefix.slice(0, -1)}`,
      prefix,
      expiration: after,
    });
    this.bucket = new Bucket(this, 'Bucket', {
      ...(props.dataKey
        ? { encryption: BucketEncryption.KMS, encryptionKey: props.dataKey.key, bucketKeyEnabled: true }
        : { encryption: BucketEncryption.S3_MANAGED }),
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      ...(keepVersions && { versioned: true }),
      ...(accessLogBucket !== undefined && {
        serverAccessLogsBucket: Bucket.fromBucketName(this, 'AccessLogs', accessLogBucket),
        serverAccessLogsPrefix: `${Stack.of(this).stackName}/`,
      }),
      minimumTLSVersion: 1.2,
      removalPolicy: props.common.removalPolicy,
      lifecycleRules: [
        // An assignment holds the token of a box; its presigned URL is dead after minutes.
        expire('assignments/', Duration.days(1)),
        expire('artifacts/', props.artifactRetention),
        // Also what was stored for a request that then made no task.
        expire('hidden/', props.artifactRetention),
        expire('evidence/', props.artifactRetention),
        // Whatever is still true is found again, and written again, by the next run.
        expire('memory/', Duration.days(30)),
        expire('records/', props.recordRetention),
        expire('athena-results/', Duration.days(7)),
        // All but assignments, which hold the tokens of boxes: what a box has removed is gone with the next day.
        ...(keepVersions
          ? PREFIXES.map((prefix) => ({
              id: `versions-${prefix.slice(0, -1)}`,
              prefix,
              noncurrentVersionExpiration: prefix === 'assignments/' ? Duration.days(1) : keepVersions,
            }))
          : []),
        { id: 'abort-uploads', abortIncompleteMultipartUploadAfter: Duration.days(1) },
      ],
    });
    if (accessLogBucket !== undefined)
      Annotations.of(this.bucket).acknowledgeWarning(
        '@aws-cdk/aws-s3:accessLogsPolicyNotAdded',
        'The policy of a bucket that is not ours is its owner’s; docs/deploy.md says what it must allow.',
      );
    else
      Validations.of(this.bucket).acknowledge({
        id: 'AwsSolutions-S1',
        reason:
          'Everything in the bucket is written by functions of this stack or under URLs that they sign, and the records say what was written for which task. Who must know of each read switches on CloudTrail data events for the account.',
      });
  }

  /** Lets a function write objects below the prefixes where there are none: what is there, it cannot change. */
  allowOnce(grantee: ServiceFunction, prefixes: readonly Prefix[]): void {
    this.allow(grantee, ['PutObject'], prefixes, { Null: { 's3:if-none-match': 'false' } });
  }

  /** Lets a function use these S3 actions on objects below the prefixes. */
  allow(
    grantee: ServiceFunction,
    actions: readonly string[],
    prefixes: readonly Prefix[],
    when?: Permission['when'],
  ): void {
    this.#dataKey?.allow(grantee, 's3');
    grantee.allow({
      actions: actions.map((action) => `s3:${action}`),
      on: prefixes.map((prefix) => this.bucket.arnForObjects(`${prefix}*`)),
      ...(when && { when }),
      because:
        'The keys below the prefix hold task ids and attempt numbers, which do not exist at deploy time.',
    });
  }
}
