import { expect, test } from 'vitest';
import { containerEnvironment } from '../../local/container-environment.ts';
import { ECS_CONTAINER_NAMES } from '../../shared/contract/resource-names.ts';

const OF_THE_USER = {
  NODE_EXTRA_CA_CERTS: '/etc/own.pem',
  ASSAY_CHROMIUM: '/opt/browser',
  ANTHROPIC_API_KEY: 'sk-planted',
};

test('gates boxes are told of the browser that the user of the machine has named, and agents are not', () => {
  const trusted = { ASSAY_CA_FILE: '/etc/own.pem' };
  expect(containerEnvironment(ECS_CONTAINER_NAMES.gates, OF_THE_USER)).toEqual({
    ...trusted,
    ASSAY_CHROMIUM: '/opt/browser',
  });
  expect(containerEnvironment(ECS_CONTAINER_NAMES.agent, OF_THE_USER)).toEqual(trusted);
  expect(containerEnvironment(ECS_CONTAINER_NAMES.gates, {})).toEqual({});
});
