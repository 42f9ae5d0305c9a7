import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import { type ApiRouteClient, createApiRouteClient } from '../../cli/client.ts';
import { buildDemoTasks } from '../../cli/demo/demo-tasks.ts';
import { followTasks } from '../../cli/follow-tasks.ts';
import type { TaskView } from '../../shared/api/task-schemas.ts';
import { assay } from '../../test/cli/support.ts';
import { FIRST_TASK_ID } from './deployment/deploy-page.ts';
import { createTokenWithCli } from './deployment/operator-token.ts';
import { readBuiltImages } from './engine/built-images.ts';
import { readCreateRequests } from './engine/docker-engine.ts';
import { getShopRepositoryPath, REPOSITORY_URL, TOOLCHAIN_BRANCH } from './forge/git-forge.ts';
import { getCurrentRunFiles } from './machine/run-environment.ts';

const ADAPTER = {
  kind: 'command',
  argv: ['node', '/opt/demo/main.ts', '{task_id}', '{model}'],
  timeout_s: 60,
} as const;
const TASKS = buildDemoTasks(REPOSITORY_URL, { ...ADAPTER, argv: [...ADAPTER.argv] });

let client: ApiRouteClient;
let ended: TaskView[];
const story = async (id: string): Promise<unknown> => ({
  task: await client.getTask({ id }),
  attempts: (await client.listAttempts({ id })).attempts,
});
beforeAll(async () => {
  const { ApiUrl = '' } = inject('outputs');
  client = createApiRouteClient({ url: ApiUrl, token: createTokenWithCli(), source: 'the test' });
  await client.submitBatch({ body: { tasks: TASKS.map(({ task }) => task) } });
  ended = await followTasks(
    client,
    TASKS.map(({ task }) => task.id),
    {
      signal: AbortSignal.timeout(200_000),
    },
  );
  const told = await Promise.all(TASKS.map(({ task }) => story(task.id)));
  writeFileSync(join(getCurrentRunFiles().folder, 'tasks.json'), JSON.stringify(told, null, 1));
});

test.each(TASKS)('$task.id ends as the demo says', async ({ task: { id }, expected }) => {
  const task = ended.find((each) => each.id === id);
  const { attempts } = await client.listAttempts({ id });
  expect({
    status: task?.status,
    verified: task?.verified,
    tiers: attempts.map(({ tier }) => tier),
  }).toEqual({
    status: expected.status,
    verified: expected.verified,
    tiers: expected.tiers,
  });
});

test('what was delivered lies at the forge', () => {
  const heads = execFileSync(
    'git',
    [
      '--git-dir',
      getShopRepositoryPath(getCurrentRunFiles()),
      'for-each-ref',
      '--format=%(refname)',
      'refs/heads/assay',
    ],
    {
      encoding: 'utf8',
    },
  );
  // The page on deploying may have been walked before.
  const delivered = heads
    .trim()
    .split('\n')
    .filter((head) => head !== `refs/heads/assay/${FIRST_TASK_ID}`);
  expect(delivered).toEqual(
    TASKS.filter(({ expected }) => expected.delivered).map(({ task }) => `refs/heads/assay/${task.id}`),
  );
});

test('the emulator still hands neither entry point, dropped capabilities, volumes nor a read-only root to Docker', () => {
  const requests = readCreateRequests(getCurrentRunFiles());
  expect(requests.length).toBeGreaterThan(0);
  for (const { Entrypoint, HostConfig } of requests)
    expect([
      Entrypoint,
      HostConfig?.['CapDrop'],
      HostConfig?.['Mounts'],
      HostConfig?.['ReadonlyRootfs'],
    ]).toEqual([undefined, undefined, undefined, undefined]);
});

const { toolchain } = readBuiltImages(getCurrentRunFiles());
test.runIf(toolchain !== null)(
  'a repository that names a toolchain has its gates run in that image',
  async () => {
    const env = { ASSAY_URL: inject('outputs')['ApiUrl'] ?? '', ASSAY_TOKEN: createTokenWithCli() };
    const smoke = ['smoke', '--json', '--repository', REPOSITORY_URL, '--base', TOOLCHAIN_BRANCH];
    const ran = await assay(smoke, { env });
    expect(ran.code, `${ran.stderr}${ran.stdout}`).toBe(0);
    const images = readCreateRequests(getCurrentRunFiles()).map(({ Image }) => Image);
    // Agent and gates, on the usual base and on that of the toolchain.
    expect(new Set(images).size).toBe(4);
  },
);

test('assay smoke times a task of its own from its submission to its branch', async () => {
  const env = { ASSAY_URL: inject('outputs')['ApiUrl'] ?? '', ASSAY_TOKEN: createTokenWithCli() };
  const ran = await assay(['smoke', '--json', '--repository', REPOSITORY_URL, '--base', 'next'], { env });
  expect(ran.code, `${ran.stderr}${ran.stdout}`).toBe(0);
  writeFileSync(join(getCurrentRunFiles().folder, 'smoke.json'), ran.stdout);
});
