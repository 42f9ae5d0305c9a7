import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createOperationCounters } from '../../../local/counters.ts';
import { createInvokeHandler } from '../../../local/lambda/invoke-api.ts';
import type { BusEvent } from '../../../local/shared-types.ts';

const invoked: unknown[] = [];
const told: BusEvent[] = [];
const config = (FunctionName: string, properties: Record<string, unknown>) => ({
  logicalId: FunctionName,
  type: 'AWS::Lambda::EventInvokeConfig',
  properties: { FunctionName, Qualifier: '$LATEST', ...properties },
});
const BUS = { OnFailure: { Destination: 'arn:aws:events:us-east-1:000000000000:event-bus/default' } };
const options = {
  lambda: {
    invoke: async (name: string, payload: unknown) => {
      invoked.push([name, payload]);
      const error = { errorType: 'Error', errorMessage: 'broken' };
      return name === 'works' ? { payload: 'done' } : { payload: error, error };
    },
  },
  counters: createOperationCounters(),
  bus: { put: (event: BusEvent) => void told.push(event) },
  onError: () => {},
};
const serve = createInvokeHandler({
  ...options,
  resources: [
    config('once', { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60, DestinationConfig: BUS }),
  ] as never,
});
const server = createServer((request, response) => void serve(request, response));
let client: LambdaClient;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  client = new LambdaClient({
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
  });
});
afterAll(() => {
  client.destroy();
  server.close();
});
const invoke = (FunctionName: string, InvocationType: 'Event' | 'RequestResponse') =>
  client.send(new InvokeCommand({ FunctionName, InvocationType, Payload: '{"a":1}' }));

test('who waits gets the answer, who does not gets none', async () => {
  const { Payload, StatusCode } = await invoke('works', 'RequestResponse');
  expect([Buffer.from(Payload ?? []).toString('utf8'), StatusCode]).toEqual(['"done"', 200]);
  expect(await invoke('works', 'Event')).toMatchObject({ StatusCode: 202 });
  expect(told).toEqual([]);
});

test('a failure that nobody waits for is told to the bus, after as many tries as the template says', async () => {
  invoked.length = 0;
  await invoke('once', 'Event');
  await vi.waitFor(() => expect(told).toHaveLength(1));
  expect(invoked).toEqual([['once', { a: 1 }]]);
  expect(told[0]).toMatchObject({
    source: 'lambda',
    'detail-type': 'Lambda Function Invocation Result - Failure',
    detail: {
      requestContext: {
        functionArn: 'arn:aws:lambda:us-east-1:000000000000:function:once:$LATEST',
        condition: 'RetriesExhausted',
        approximateInvokeCount: 1,
      },
      requestPayload: { a: 1 },
      responsePayload: { errorType: 'Error', errorMessage: 'broken' },
    },
  });
});

test('one of which the template says nothing is tried three times, and nobody is told', async () => {
  invoked.length = 0;
  await invoke('other', 'Event');
  await vi.waitFor(() => expect(invoked).toHaveLength(3));
  expect(told).toHaveLength(1);
});

test('another destination than the default bus is refused at start, by name', () => {
  const destination = { OnFailure: { Destination: 'arn:aws:sqs:us-east-1:000000000000:q' } };
  const resources = [config('f', { DestinationConfig: destination })] as never;
  expect(() => createInvokeHandler({ ...options, resources })).toThrow(
    'the default bus as a destination only',
  );
});
