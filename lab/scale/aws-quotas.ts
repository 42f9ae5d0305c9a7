/** A limit of AWS in one region of one account, as it is before anybody asks for more. */
export interface AwsQuota {
  readonly name: string;
  /** Calls of this kind, as the embedded stack counts them: service and operations. Empty: the model works the demand out. */
  readonly counts: readonly (readonly [service: string, operation: string])[];
  /** Sustained, each second; for `held` at a time. */
  readonly limit: number;
  readonly unit: 'a second' | 'at a time';
  /** What goes over it for a moment, where AWS says so. */
  readonly burst?: number;
  readonly raised: string;
  readonly source: string;
}

const ECS_THROTTLING = 'https://docs.aws.amazon.com/AmazonECS/latest/developerguide/throttling.html';
const STEP_FUNCTIONS = 'https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html';
const DYNAMODB = 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html';
const S3 = 'https://docs.aws.amazon.com/AmazonS3/latest/userguide/optimizing-performance.html';

/** us-east-1. They move: AS_OF moves with them. */
export const QUOTAS_AS_OF = '2026-11-23';
export const AWS_QUOTAS = {
  fargateVcpus: {
    name: 'Fargate On-Demand vCPUs',
    counts: [],
    limit: 6,
    unit: 'at a time',
    raised: 'Service Quotas, L-3032A538; thousands are usual',
    source: 'https://docs.aws.amazon.com/AmazonECS/latest/developerguide/service-quotas.html',
  },
  runTask: {
    name: 'RunTask on Fargate',
    counts: [['ecs', 'RunTask']],
    limit: 20,
    unit: 'a second',
    burst: 20,
    raised:
      'ten boxes in a call do not fit: each has an assignment of its own. AWS Support raises it; beyond, a second account or region',
    source: ECS_THROTTLING,
  },
  launches: {
    name: 'launches of Fargate tasks',
    counts: [['ecs', 'RunTask']],
    limit: 20,
    unit: 'a second',
    burst: 100,
    raised: 'AWS Support; Spot has a bucket of its own',
    source: ECS_THROTTLING,
  },
  httpApi: {
    name: 'requests of HTTP APIs',
    counts: [['HTTP API', 'Requests']],
    limit: 10_000,
    unit: 'a second',
    burst: 5_000,
    raised: 'Service Quotas',
    source: 'https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html',
  },
  lambda: {
    name: 'Lambda executions',
    counts: [],
    limit: 1_000,
    unit: 'at a time',
    raised: 'Service Quotas; tens of thousands',
    source: 'https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html',
  },
  startExecution: {
    name: 'StartExecution, Express',
    counts: [['states', 'ExpressExecution']],
    limit: 6_000,
    unit: 'a second',
    burst: 6_000,
    raised: 'Service Quotas',
    source: STEP_FUNCTIONS,
  },
  tableWrites: {
    name: 'write units of the table',
    counts: [['DynamoDB', 'WriteUnits']],
    limit: 40_000,
    unit: 'a second',
    raised: 'Service Quotas; a table that was never busy starts at 4,000 and doubles by itself',
    source: DYNAMODB,
  },
  tableReads: {
    name: 'read units of the table',
    counts: [['DynamoDB', 'ReadUnits']],
    limit: 40_000,
    unit: 'a second',
    raised: 'Service Quotas',
    source: DYNAMODB,
  },
  s3Writes: {
    name: 'PUT of one prefix of the bucket',
    counts: [['S3', 'PutObject']],
    limit: 3_500,
    unit: 'a second',
    raised: 'S3 splits prefixes by itself: keys begin with the kind and the task',
    source: S3,
  },
  s3Reads: {
    name: 'GET of one prefix of the bucket',
    counts: [['S3', 'GetObject']],
    limit: 5_500,
    unit: 'a second',
    raised: 'as above',
    source: S3,
  },
} as const satisfies Readonly<Record<string, AwsQuota>>;
export type QuotaName = keyof typeof AWS_QUOTAS;
