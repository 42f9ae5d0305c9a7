import { mockClient } from 'aws-sdk-client-mock';
import { afterAll } from 'vitest';

/** Mocks a client of the AWS SDK until the test file ends: files share a process, and others use real clients on engines. */
export const mockAwsClient = ((client: Parameters<typeof mockClient>[0]) => {
  const mock = mockClient(client);
  afterAll(() => mock.restore());
  return mock;
}) as typeof mockClient;
