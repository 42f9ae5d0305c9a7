import { afterEach, beforeEach, expect, it } from 'vitest';
import { gitLab } from '../../../functions/forge/gitlab.ts';
import { asking } from '../../../functions/forge/http.ts';
import type { Check, Forge } from '../../../shared/control/forge/port.ts';
import { sha1 } from '../../support/builders.ts';
import { GitLabState } from '../../support/forge/gitlab.ts';
import { ScriptedForge } from '../../support/forge/scripted.ts';

const COMMIT = sha1('c');
let state: GitLabState;
let server: ScriptedForge;
let forge: Forge;
beforeEach(async () => {
  state = new GitLabState('acme/team/shop');
  state.labels.set('merge_requests/5', ['theirs', 'old']);
  server = await ScriptedForge.start(state.script);
  forge = gitLab(asking(server.url, { authorization: 'Bearer glpat' }), 'acme/team/shop');
});
afterEach(() => server.stop());

const check = (conclusion: Check['conclusion']): Check => ({
  id: 'T1#1',
  commit: COMMIT,
  conclusion,
  title: 'Assay: done',
  summary: '',
  annotations: [],
});
const everything = async () => {
  const number = await forge.openChange({ branch: 'assay/T1', base: 'main', title: 't', body: 'b' });
  await forge.check(check('neutral'));
  await forge.check(check('success'));
  const place = { kind: 'change', number: number ?? 0 } as const;
  await forge.comment(place, '<!-- m -->', '<!-- m -->\nhello');
  await forge.label(place, ['new'], ['old']);
};

it('GitLab has a merge request, statuses, one note and labels by the same port, and is told nothing twice', async () => {
  await everything();
  expect(state.requests).toHaveLength(1);
  expect(state.statuses.map(({ status }) => status)).toEqual(['pending', 'success']);
  expect(state.notes.map(({ body }) => body)).toEqual(['<!-- m -->\nhello']);
  expect(state.labels.get('merge_requests/5')).toEqual(['theirs', 'new']);
  await forge.check(check('success'));
  await forge.comment({ kind: 'change', number: 5 }, '<!-- m -->', '<!-- m -->\nother');
  expect(state.statuses).toHaveLength(2);
  expect(state.notes.map(({ body }) => body)).toEqual(['<!-- m -->\nother']);
});
