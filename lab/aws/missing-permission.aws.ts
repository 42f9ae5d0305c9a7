import { setTimeout as pause } from 'node:timers/promises';
import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { expect, inject, onTestFinished, test } from 'vitest';
import { createApiRouteClient } from '../../cli/client.ts';
import { getPhysicalId, getRoleName } from './deployment/deployed-stack.ts';
import { createTokenWithCli } from './deployment/operator-token.ts';
import { addRolePolicy, removeRolePolicy } from './deployment/role-policies.ts';
import { REPOSITORY_URL } from './forge/git-forge.ts';
import { EMULATED_REGION } from './machine/run-environment.ts';

/** The first line of a function's log that holds a text and is about a task, as soon as there is one; who runs the tests sets the limit. */
async function logged(group: string, text: string, task: string): Promise<Record<string, unknown>> {
  const client = new CloudWatchLogsClient({ region: EMULATED_REGION });
  onTestFinished(() => client.destroy());
  for (;;) {
    const { events = [] } = await client.send(
      new FilterLogEventsCommand({ logGroupName: group, filterPattern: `"${text}"` }),
    );
    const lines = events.map(({ message = '' }) => JSON.parse(message) as Record<string, unknown>);
    const line = lines.find(({ task_id }) => task_id === task);
    if (line) return line;
    await pause(500);
  }
}

test('a permission that is missing is logged with the task, as an error that sets off an alarm', async () => {
  const role = await getRoleName('ConductorConduct');
  const group = await getPhysicalId('AWS::Logs::LogGroup', 'ConductorConduct');
  await addRolePolicy(role, 'denied', [{ Effect: 'Deny', Action: 'states:StartExecution', Resource: '*' }]);
  const client = createApiRouteClient({
    url: inject('outputs')['ApiUrl'] ?? '',
    token: createTokenWithCli(),
    source: 'the test',
  });
  await client.submitTask({
    body: { id: 'denied', title: 'Nobody starts this', repository: REPOSITORY_URL, base_ref: 'main' },
  });
  const { level, task_id, error } = await logged(group, 'is not authorized to perform', 'denied');
  await removeRolePolicy(role, 'denied');
  expect({ level, task_id, error }).toEqual({
    // The metric filter of each function's log counts this level.
    level: 'ERROR',
    task_id: 'denied',
    error: expect.objectContaining({ message: expect.stringContaining('states:StartExecution') }),
  });
});
