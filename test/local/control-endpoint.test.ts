import { afterEach, beforeEach, expect, test } from 'vitest';
import { createControlPlaneHandler } from '../../local/control-endpoint.ts';
import { createOperationCounters } from '../../local/counters.ts';
import { createInjectedFaults } from '../../local/fault-injection.ts';
import { listenOnPreferredPort } from '../../local/http/listen.ts';
import { isAuthenticationLeftToHandler, type LoopbackListener } from '../../shared/lib/loopback-listener.ts';

const counters = createOperationCounters();
const faults = createInjectedFaults();
const asked: string[] = [];
let drained = true;
let server: LoopbackListener;

const service = (name: string) => ({
  handle: async (action: string, body: unknown) => {
    asked.push(`${name} ${action} ${JSON.stringify(body)}`);
    return { status: action === 'Fail' ? 400 : 200, body: { name } };
  },
});

beforeEach(async () => {
  asked.length = 0;
  server = await listenOnPreferredPort(
    { servesPages: true, isAuthenticated: isAuthenticationLeftToHandler },
    createControlPlaneHandler({
      counters,
      faults,
      states: { ...service('states'), executions: () => [{ name: 'one' }] },
      ecs: service('ecs'),
      invoke: async () => false,
      events: { ...service('events'), history: () => ({ events: [], messages: [] }) },
      alarms: () => [{ name: 'ratio', state: 'ALARM' }],
      fireSchedules: async () => void asked.push('fire'),
      drain: async () => drained,
    }),
  );
});
afterEach(() => server.stop());

const call = async (method: string, path: string, init: RequestInit = {}): Promise<readonly unknown[]> => {
  const answer = await fetch(`${server.url}${path}`, { method, ...init });
  return [answer.status, await answer.json()];
};
const setFaults = (change: unknown) => call('POST', '/_assay/faults', { body: JSON.stringify(change) });

test('faults are set as asked, and unknown or mistyped ones are refused without setting any', async () => {
  const expected = {
    duplicateMessages: false,
    lostRemovals: false,
    duplicateStream: false,
    shuffle: true,
    runTaskCapacityFailures: 2,
  };
  expect(await setFaults({ shuffle: true, runTaskCapacityFailures: 2 })).toEqual([200, expected]);
  expect(await setFaults({ shuffle: false, earthquake: true })).toEqual([
    400,
    { message: 'there is no fault earthquake' },
  ]);
  expect(await setFaults({ shuffle: 'yes' })).toEqual([400, { message: 'shuffle must be a boolean' }]);
  expect(faults).toEqual(expected);
});

test('counters are shown, and begin again when they are reset', async () => {
  counters.add('S3', 'PutObject');
  counters.add('S3', 'PutObject', 2);
  expect(await call('GET', '/_assay/counters')).toEqual([200, { S3: { PutObject: 3 } }]);
  await call('POST', '/_assay/counters/reset');
  expect(await call('GET', '/_assay/counters')).toEqual([200, {}]);
});

test('alarms and executions are listed, and the schedules are fired', async () => {
  expect(await call('GET', '/_assay/alarms')).toEqual([200, [{ name: 'ratio', state: 'ALARM' }]]);
  expect(await call('GET', '/_assay/executions')).toEqual([200, [{ name: 'one' }]]);
  expect(await call('POST', '/_assay/schedules/fire')).toEqual([200, {}]);
  expect(asked).toEqual(['fire']);
});

test('a drain says whether the streams came to rest', async () => {
  expect(await call('POST', '/_assay/drain')).toEqual([200, { drained: true }]);
  drained = false;
  expect(await call('POST', '/_assay/drain')).toEqual([504, { message: 'the streams did not come to rest' }]);
});

test('SDK clients reach Step Functions and ECS, in the content type that they speak, and no other service', async () => {
  const headers = { 'content-type': 'application/x-amz-json-1.1' };
  const sdk = (target: string) =>
    fetch(server.url, { method: 'POST', headers: { ...headers, 'x-amz-target': target }, body: '{"a":1}' });
  const answers = await Promise.all(
    ['AWSStepFunctions.StartExecution', 'AmazonEC2ContainerServiceV20141113.Fail', 'AmazonSSM.Get'].map(sdk),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 400, 400]);
  expect(answers.map((answer) => answer.headers.get('content-type'))).toEqual(
    Array(3).fill('application/x-amz-json-1.1'),
  );
  expect(new Set(asked)).toEqual(new Set(['states StartExecution {"a":1}', 'ecs Fail {"a":1}']));
});

test('what is not there is 404, and what is no JSON is 400', async () => {
  expect((await call('GET', '/_assay/nothing'))[0]).toBe(404);
  expect((await call('DELETE', '/_assay/counters'))[0]).toBe(404);
  expect((await call('POST', '/_assay/faults', { body: '{' }))[0]).toBe(400);
});
