import { afterEach, beforeEach, expect, it } from 'vitest';
import { createForgeRequester } from '../../../functions/forge/forge-http.ts';
import { createGitLabForge } from '../../../functions/forge/gitlab.ts';
import type { CheckRun, ForgeClient } from '../../../shared/control/forge/forge.ts';
import { fakeSha1 } from '../../support/builders.ts';
import { FakeGitLab } from '../../support/forge/fake-gitlab.ts';
import { ScriptedForge } from '../../support/forge/scripted-forge.ts';

const COMMIT = fakeSha1('c');
let state: FakeGitLab;
let server: ScriptedForge;
let forge: ForgeClient;
beforeEach(async () => {
  state = new FakeGitLab('acme/team/shop');
  state.labels.set('merge_requests/5', ['theirs', 'old']);
  server = await ScriptedForge.start(state.script);
  forge = createGitLabForge(
    createForgeRequester(server.url, { authorization: 'Bearer glpat' }),
    'acme/team/shop',
  );
});
afterEach(() => server.stop());

const check = (conclusion: CheckRun['conclusion']): CheckRun => ({
  id: 'T1#1',
  name: 'Assay (main)',
  commit: COMMIT,
  conclusion,
  title: 'Assay: done',
  summary: '',
  annotations: [],
});
const everything = async () => {
  const number = await forge.openChangeRequest({ branch: 'assay/T1', base: 'main', title: 't', body: 'b' });
  await forge.publishCheckRun(check('neutral'));
  await forge.publishCheckRun(check('success'));
  const place = { kind: 'change', number: number ?? 0 } as const;
  await forge.upsertComment(place, '<!-- m -->', '<!-- m -->\nhello');
  await forge.updateLabels(place, ['new'], ['old']);
};

it('GitLab tells the text of no confidential issue', async () => {
  state.issues.set(4, { title: 'Leak', description: 'the key', confidential: true });
  state.issues.set(5, { title: 'Round', description: 'up' });
  expect(await forge.readIssue(4)).toBeNull();
  expect(await forge.readIssue(5)).toEqual({ title: 'Round', body: 'up' });
});

it('GitLab has a merge request, statuses, one note and labels by the same port, and is told nothing twice', async () => {
  await everything();
  expect(state.requests).toHaveLength(1);
  expect(state.statuses.map(({ status }) => status)).toEqual(['pending', 'success']);
  expect(state.notes.map(({ body }) => body)).toEqual(['<!-- m -->\nhello']);
  expect(state.labels.get('merge_requests/5')).toEqual(['theirs', 'new']);
  await forge.publishCheckRun(check('success'));
  await forge.upsertComment({ kind: 'change', number: 5 }, '<!-- m -->', '<!-- m -->\nother');
  expect(state.statuses).toHaveLength(2);
  expect(state.notes.map(({ body }) => body)).toEqual(['<!-- m -->\nother']);
});
