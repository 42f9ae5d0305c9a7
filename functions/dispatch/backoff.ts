/**
 * Seconds after which a message without capacity is tried again: up to twice as many each time, from 2 to 120. Fargate's launch bucket refills
 * at 20 a second. Not all of them at the same moment: messages that were sent together come apart, and one finds each room that becomes free.
 */
export function computeBackoffSeconds(receiveCount: number, chance = Math.random()): number {
  const most = Math.min(120, 2 ** Math.max(1, Math.min(receiveCount, 7)));
  return Math.ceil((most * (1 + chance)) / 2);
}

/** The URL of a queue from its ARN; with an endpoint from the environment (embedded default) the host is that endpoint's. */
export function buildQueueUrlFromArn(
  arn: string,
  endpoint: string | undefined = process.env['AWS_ENDPOINT_URL_SQS'],
): string {
  const [, partition, , region, account, name] = arn.split(':');
  const host =
    endpoint ?? `https://sqs.${region}.${partition === 'aws-cn' ? 'amazonaws.com.cn' : 'amazonaws.com'}`;
  return `${host.replace(/\/+$/, '')}/${account}/${name}`;
}
