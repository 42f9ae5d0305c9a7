import { SendMessageCommand, SQSClient, SQSServiceException } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import type { EngineCredentials } from '../../engine-credentials.ts';
import type { UnknownRecord } from '../../resource-properties.ts';
import { StateError } from '../interpreter/errors.ts';

/** Sends the message that the arguments of a Task describe and returns the answer of the API. */
export type SendSqsMessageFunction = (args: UnknownRecord) => Promise<unknown>;

const request = z.object({
  QueueUrl: z.string(),
  MessageBody: z.unknown(),
  DelaySeconds: z.number().optional(),
  MessageGroupId: z.string().optional(),
  MessageDeduplicationId: z.string().optional(),
  MessageAttributes: z
    .record(z.string(), z.object({ DataType: z.string(), StringValue: z.string().optional() }))
    .optional(),
});

/**
 * SQS behind `endpoint`. The queue's URL comes from the definition; the request goes to the endpoint all the
 * same.
 */
export function createSqsSender(
  endpoint: string,
  region: string,
  credentials: EngineCredentials,
): { send: SendSqsMessageFunction; close(): void } {
  const client = new SQSClient({
    endpoint,
    region,
    credentials,
  });
  const send = async (args: UnknownRecord): Promise<unknown> => {
    const parsed = request.safeParse(args);
    if (!parsed.success) throw new StateError('States.Runtime', z.prettifyError(parsed.error));
    const { MessageBody: body, ...others } = parsed.data;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    try {
      const { $metadata: _, ...sent } = await client.send(
        new SendMessageCommand({ ...others, MessageBody: text }),
      );
      return sent;
    } catch (error) {
      const name = error instanceof SQSServiceException ? 'AmazonSQSException' : 'SdkClientException';
      throw new StateError(`SQS.${name}`, error instanceof Error ? error.message : String(error));
    }
  };
  return { send, close: () => client.destroy() };
}
