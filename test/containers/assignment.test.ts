import { afterAll, beforeAll, expect, test } from 'vitest';
import { readAssignment } from '../../containers/supervisor/assignment.ts';
import { BOX_ENV } from '../../shared/names.ts';
import { agentAssignment } from './box.ts';
import { type FakeApi, startFakeApi } from './fake-api.ts';

let api: FakeApi;
beforeAll(async () => {
  api = await startFakeApi();
});
afterAll(() => api.stop());

function place(more: { forget_url?: string } = {}): void {
  const assignment = agentAssignment(api, 'https://example.test/r.git', ['true'], more);
  api.objects.set('/assignment', Buffer.from(JSON.stringify(assignment)));
  process.env[BOX_ENV.assignmentUrl] = `${api.url}/assignment`;
}

test('an assignment can be read once: its URL is worth nothing when a command of the repository runs', async () => {
  place();
  expect((await readAssignment('agent')).token).toBe(api.token);
  expect(process.env[BOX_ENV.assignmentUrl]).toBeUndefined();
  process.env[BOX_ENV.assignmentUrl] = `${api.url}/assignment`;
  await expect(readAssignment('agent')).rejects.toThrow('HTTP 404');
});

test('a box whose assignment cannot be removed does not begin', async () => {
  place({ forget_url: `${api.url}/elsewhere?refused` });
  await expect(readAssignment('agent')).rejects.toThrow('cannot be removed: HTTP 403');
});
