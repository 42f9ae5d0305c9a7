import { expect, test } from 'vitest';
import { entryPointOf } from '../../../local/ecs/entry-point.ts';
import { overridden } from '../../../local/ecs/request.ts';

const words = [
  '/usr/bin/env',
  '-u',
  'NODE_OPTIONS',
  'PATH=/bin',
  'API=http://a/?b=c',
  '/bin/node',
  '/app/main.mjs',
];

test('an entry point has the last word on the environment, after definition and request', () => {
  const definition = {
    family: 'f',
    arn: 'a',
    cpu: '256',
    memory: '512',
    container: {
      name: 'main',
      image: 'i',
      directory: '/',
      command: [],
      entryPoint: entryPointOf(words, 'here'),
      environment: new Map([['API', 'of the definition']]),
      stopTimeoutSeconds: 1,
    },
  };
  const environment = [
    { name: 'NODE_OPTIONS', value: '--import=data:text/javascript,' },
    { name: 'API', value: 'of the request' },
    { name: 'OTHER', value: 'stays' },
  ];
  const request = {
    launchType: 'FARGATE',
    tags: [],
    overrides: { containerOverrides: [{ name: 'main', environment }] },
  };
  expect(overridden(definition, request).environment).toEqual({ API: 'http://a/?b=c', OTHER: 'stays' });
});

test.each([
  [['sh', '-c', 'node /app/main.mjs']],
  [['/usr/bin/env', '-i', 'node', '/app/main.mjs']],
  [['/usr/bin/env', 'node', '/app/other.mjs']],
])('an entry point that cannot be kept to here is refused: %s', (other) => {
  expect(() => entryPointOf(other, 'Deliver')).toThrow(/^Deliver: EntryPoint has to be env/);
});
