import { afterAll, beforeAll, expect, test } from 'vitest';
import { fetchAndRemoveAssignment } from '../../workspace/supervisor/take-assignment.ts';
import { agentAssignment } from './box.ts';
import { type FakeApi, startFakeApi } from './fake-api.ts';

let api: FakeApi;
beforeAll(async () => {
  api = await startFakeApi();
});
afterAll(() => api.stop());

function place(more: { delete_url?: string } = {}): string {
  const assignment = agentAssignment(api, 'https://example.test/r.git', ['true'], more);
  api.objects.set('/assignment', Buffer.from(JSON.stringify(assignment)));
  return `${api.url}/assignment`;
}

test('an assignment can be read once: its URL is worth nothing when a command of the repository runs', async () => {
  const url = place();
  expect((await fetchAndRemoveAssignment('agent', url))?.token).toBe(api.token);
  expect(await fetchAndRemoveAssignment('agent', url)).toBeNull();
});

test('a box whose assignment cannot be removed does not begin', async () => {
  const url = place({ delete_url: `${api.url}/elsewhere?refused` });
  await expect(fetchAndRemoveAssignment('agent', url)).rejects.toThrow('cannot be removed: HTTP 403');
});

test('a box is for one kind of work, whatever it is told to do', async () => {
  const url = place();
  await expect(fetchAndRemoveAssignment('gates', url)).rejects.toThrow('this box is for gates');
});
