import { AWS_PRICES } from './aws-prices.ts';

/** What the embedded stack counted, by service and operation. */
export type CallCounts = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** One row of the bill: what was used for all tasks together, and what that costs. */
export interface BillRow {
  readonly name: string;
  readonly quantity: number;
  readonly unit: string;
  readonly usd: number;
}

const sum = (
  counts: Readonly<Record<string, number>> | undefined,
  wanted: (operation: string) => boolean,
): number =>
  Object.entries(counts ?? {}).reduce((total, [name, amount]) => (wanted(name) ? total + amount : total), 0);

const isPut = (operation: string): boolean => /^(Put|Copy|Post|List|Create|Upload|Complete)/.test(operation);

/** Finds a service whatever its case: the names come from different engines. */
const service = (snapshot: CallCounts, name: string): Readonly<Record<string, number>> | undefined =>
  Object.entries(snapshot).find(([key]) => key.toLowerCase() === name)?.[1];

/**
 * The control plane's bill for a snapshot. Not in it: the containers (billed by time), models, logs and metrics.
 * Requests of the embedded event source mappings count, as those of Lambda do on AWS.
 */
export function computeBill(snapshot: CallCounts): BillRow[] {
  const lambda = service(snapshot, 'lambda');
  const states = service(snapshot, 'states');
  const dynamo = service(snapshot, 'dynamodb');
  const s3 = service(snapshot, 's3');
  const row = (
    name: string,
    quantity: number,
    price: { readonly usd: number; readonly per: string },
  ): BillRow => ({
    name,
    quantity,
    unit: price.per,
    usd: quantity * price.usd,
  });
  return [
    row('Lambda invocations', lambda?.['Invocations'] ?? 0, AWS_PRICES.lambdaRequest),
    row('Lambda time', lambda?.['BilledGigabyteSeconds'] ?? 0, AWS_PRICES.lambdaGigabyteSecond),
    row('Express executions', states?.['ExpressExecution'] ?? 0, AWS_PRICES.expressExecution),
    row(
      'Express time',
      ((states?.['ExpressDurationMs'] ?? 0) / 1_000) * (64 / 1_024),
      AWS_PRICES.expressGigabyteSecond,
    ),
    row('DynamoDB writes', dynamo?.['WriteUnits'] ?? 0, AWS_PRICES.dynamoWriteUnit),
    row('DynamoDB reads', dynamo?.['ReadUnits'] ?? 0, AWS_PRICES.dynamoReadUnit),
    row(
      'SQS requests',
      sum(service(snapshot, 'sqs'), () => true),
      AWS_PRICES.sqsRequest,
    ),
    row('S3 writes', sum(s3, isPut), AWS_PRICES.s3Put),
    row(
      'S3 reads',
      sum(s3, (operation) => !isPut(operation)),
      AWS_PRICES.s3Get,
    ),
    row(
      'HTTP API requests',
      sum(service(snapshot, 'http api'), () => true),
      AWS_PRICES.httpApiRequest,
    ),
  ];
}

export const sumBill = (rows: readonly BillRow[]): number =>
  rows.reduce((sumOf, each) => sumOf + each.usd, 0);
