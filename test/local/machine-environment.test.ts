import { expect, test } from 'vitest';
import { machineEnvironment } from '../../local/machine-environment.ts';
import { CONTAINER_NAME } from '../../shared/contract/names.ts';

const OF_THE_USER = {
  NODE_EXTRA_CA_CERTS: '/etc/own.pem',
  ASSAY_CHROMIUM: '/opt/browser',
  ANTHROPIC_API_KEY: 'sk-planted',
};

test('gates boxes are told of the browser that the user of the machine has named, and agents are not', () => {
  const trusted = { ASSAY_CA_FILE: '/etc/own.pem' };
  expect(machineEnvironment(CONTAINER_NAME.gates, OF_THE_USER)).toEqual({
    ...trusted,
    ASSAY_CHROMIUM: '/opt/browser',
  });
  expect(machineEnvironment(CONTAINER_NAME.agent, OF_THE_USER)).toEqual(trusted);
  expect(machineEnvironment(CONTAINER_NAME.gates, {})).toEqual({});
});
