/** A price of an AWS service, in US dollars per unit. */
export interface AwsPrice {
  readonly usd: number;
  readonly per: string;
}

/** List prices in us-east-1, without any free tier. They move: change the date with them. */
export const AWS_PRICES = {
  asOf: '2026-11-21',
  region: 'us-east-1',
  source: 'AWS list prices as generally known; check the pricing pages before quoting them',
  lambdaRequest: { usd: 0.2 / 1e6, per: 'request' },
  lambdaGigabyteSecond: { usd: 0.0000133334, per: 'GB-second, arm64' },
  expressExecution: { usd: 1 / 1e6, per: 'Express execution' },
  expressGigabyteSecond: { usd: 0.00001667, per: 'GB-second of an Express execution, 64 MB steps' },
  dynamoWriteUnit: { usd: 0.625 / 1e6, per: 'write request unit, on demand' },
  dynamoReadUnit: { usd: 0.125 / 1e6, per: 'read request unit, on demand' },
  sqsRequest: { usd: 0.4 / 1e6, per: 'request, standard queue' },
  s3Put: { usd: 0.005 / 1e3, per: 'PUT, COPY, POST or LIST' },
  s3Get: { usd: 0.0004 / 1e3, per: 'GET and all others' },
  httpApiRequest: { usd: 1 / 1e6, per: 'request of an HTTP API' },
  fargateVcpuHour: { usd: 0.03238, per: 'vCPU-hour, Linux on ARM' },
  fargateGigabyteHour: { usd: 0.00356, per: 'GB-hour, Linux on ARM' },
} as const;

/** The least that Fargate bills for a container, in seconds. */
export const FARGATE_MINIMUM_SECONDS = 60;
