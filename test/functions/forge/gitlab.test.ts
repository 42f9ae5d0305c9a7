import { afterEach, beforeEach, expect, it } from 'vitest';
import { gitLab } from '../../../functions/forge/gitlab.ts';
import { asking } from '../../../functions/forge/http.ts';
import type { Check, Forge } from '../../../shared/forge/port.ts';
import { sha1 } from '../../support/builders.ts';
import { type Script, ScriptedForge } from '../../support/forge/scripted.ts';

const COMMIT = sha1('c');
const requests: { iid: number; source_branch: string }[] = [];
const statuses: { name: string; status: string }[] = [];
const notes: { id: number; body: string; author: { id: number } }[] = [];
let labels: string[] = [];

/** What of GitLab's REST API v4 we ask for one project. */
const script: Script = ({ method, path, query, body, token }) => {
  if (token !== 'glpat') return [401];
  const at = `${method} ${path.replace('/projects/acme/team/shop', '')}`;
  if (at === 'GET /user') return [200, { id: 7 }];
  if (at === 'GET /merge_requests')
    return [200, requests.filter(({ source_branch }) => source_branch === query.get('source_branch'))];
  if (at === 'POST /merge_requests') {
    requests.push({ iid: 5, source_branch: String(body['source_branch']) });
    return [201, { iid: 5 }];
  }
  if (at === `GET /repository/commits/${COMMIT}/statuses`) return [200, statuses.slice(-1)];
  if (at === `POST /statuses/${COMMIT}`) {
    statuses.push({ name: String(body['name']), status: String(body['state']) });
    return [201, {}];
  }
  if (at === 'GET /merge_requests/5/notes') return [200, query.get('page') === '1' ? notes : []];
  if (at === 'POST /merge_requests/5/notes') {
    notes.push({ id: notes.length, body: String(body['body']), author: { id: 7 } });
    return [201, {}];
  }
  if (at.startsWith('PUT /merge_requests/5/notes/')) {
    const note = notes.find(({ id }) => at.endsWith(`/${id}`));
    if (note) note.body = String(body['body']);
    return [200, {}];
  }
  if (at === 'GET /merge_requests/5') return [200, { labels }];
  if (at === 'PUT /merge_requests/5') {
    const off = String(body['remove_labels'] ?? '').split(',');
    labels = [
      ...labels.filter((each) => !off.includes(each)),
      ...String(body['add_labels'] ?? '')
        .split(',')
        .filter(Boolean),
    ];
    return [200, {}];
  }
  return null;
};

let server: ScriptedForge;
let forge: Forge;
beforeEach(async () => {
  requests.length = statuses.length = notes.length = 0;
  labels = ['theirs', 'old'];
  server = await ScriptedForge.start(script);
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
  expect(requests).toHaveLength(1);
  expect(statuses.map(({ status }) => status)).toEqual(['pending', 'success']);
  expect(notes.map(({ body }) => body)).toEqual(['<!-- m -->\nhello']);
  expect(labels).toEqual(['theirs', 'new']);
  await forge.check(check('success'));
  await forge.comment({ kind: 'change', number: 5 }, '<!-- m -->', '<!-- m -->\nother');
  expect(statuses).toHaveLength(2);
  expect(notes.map(({ body }) => body)).toEqual(['<!-- m -->\nother']);
});
