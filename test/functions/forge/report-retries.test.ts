import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, it, vi } from 'vitest';
import { FUNCTION_ENV_NAMES } from '../../../shared/contract/resource-names.ts';
import { ForgeError } from '../../../shared/control/forge/forge.ts';
import type { ReportRetry } from '../../../shared/control/forge/report-retry.ts';
import { COMPLETE_FUNCTION_ENV } from '../../support/function-env-values.ts';

const sqs = mockClient(SQSClient);
const report = vi.fn<() => Promise<void>>();
vi.mock('../../../shared/use-cases/deliver/report-to-forge.ts', () => ({ reportToForge: () => report() }));

const EVENT = { detail: { task_id: 'T1' } };
const again = (fields: Partial<ReportRetry> = {}) => ({
  Records: [
    {
      body: JSON.stringify({
        ...{ task_id: 'T1', failures: 1, first_failure_at: new Date().toISOString() },
        due_at: new Date(Date.now() - 1_000).toISOString(),
        ...fields,
      }),
    },
  ],
});
const handle = async (event: object): Promise<void> => {
  const { handler } = await import('../../../functions/forge/report.ts');
  await handler(event as never);
};
const sent = () =>
  sqs.commandCalls(SendMessageCommand).map(({ args: [{ input }] }) => ({
    ...(JSON.parse(input.MessageBody ?? '{}') as ReportRetry),
    delay: input.DelaySeconds,
    queue: input.QueueUrl,
  }));

beforeEach(() => {
  Object.assign(process.env, COMPLETE_FUNCTION_ENV, {
    [FUNCTION_ENV_NAMES.forgeRetryQueue]: 'https://sqs.test/q',
  });
  sqs.reset();
  sqs.on(SendMessageCommand).resolves({});
  report.mockReset().mockResolvedValue();
});

it('sends nothing when the forge was told', async () => {
  await handle(EVENT);
  await handle(again());
  expect(report).toHaveBeenCalledTimes(2);
  expect(sent()).toEqual([]);
});

it('is tried again when the forge says, and counts its failures', async () => {
  report.mockRejectedValue(new ForgeError('limited', 403, true, 600));
  await handle(EVENT);
  await handle(again({ failures: 4 }));
  expect(sent()).toMatchObject([
    { task_id: 'T1', failures: 1, delay: 600, queue: 'https://sqs.test/q' },
    { task_id: 'T1', failures: 5, delay: 900 },
  ]);
});

it('waits on when SQS brings it before it is due', async () => {
  await handle(again({ due_at: new Date(Date.now() + 1_200_000).toISOString() }));
  expect(report).not.toHaveBeenCalled();
  expect(sent()).toMatchObject([{ failures: 1, delay: 900 }]);
});

it('is a dead letter after six hours, and for a fault of ours', async () => {
  report.mockRejectedValue(new ForgeError('down', 503, true));
  const first_failure_at = new Date(Date.now() - 6 * 3_600_000).toISOString();
  await expect(handle(again({ failures: 9, first_failure_at }))).rejects.toThrow('down');
  report.mockRejectedValue(new Error('a defect'));
  await expect(handle(EVENT)).rejects.toThrow('a defect');
  expect(sent()).toEqual([]);
});
