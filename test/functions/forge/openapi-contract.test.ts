import { expect, it } from 'vitest';
import { GITHUB_CONTRACT } from '../../support/forge/openapi-contract.ts';

const RUN = { name: 'Assay (main)', head_sha: 'c'.repeat(40), status: 'completed', conclusion: 'success' };
const check = (method: string, path: string, body: Record<string, unknown> = {}, query = '', status = 201) =>
  GITHUB_CONTRACT.check({ method, path, query: new URLSearchParams(query), body, status, answer: {} });
const checkRun = (fields: object) => check('POST', '/repos/acme/shop/check-runs', { ...RUN, ...fields });

it.each<[string, string[], string]>([
  ['a path that is not published', check('POST', '/repos/acme/shop/check-run'), 'is no operation'],
  ['another method', check('PUT', '/repos/acme/shop/check-runs'), 'is no operation'],
  ['an unknown field', checkRun({ summary: 's' }), 'body.summary is not a known field'],
  ['an unknown nested field', checkRun({ output: { title: 't', summary: 's', lines: 1 } }), 'output.lines'],
  ['a wrong type', checkRun({ external_id: 7 }), 'body.external_id is no string'],
  ['a wrong value', checkRun({ conclusion: 'passed' }), 'body.conclusion is none of'],
  ['a missing field', checkRun({ output: { title: 't' } }), 'body.output.summary is missing'],
  [
    'too many items',
    checkRun({
      output: {
        ...{ title: 't', summary: 's' },
        annotations: Array.from({ length: 51 }, () => ({
          ...{ path: 'a', start_line: 1, end_line: 1, annotation_level: 'notice', message: 'm' },
        })),
      },
    }),
    'has more than 50 items',
  ],
  [
    'an unknown parameter',
    check('GET', '/repos/acme/shop/pulls', {}, 'head=acme:x&status=all', 200),
    '?status is not a known parameter',
  ],
  [
    'a wrong value of a parameter',
    check('GET', '/repos/acme/shop/pulls', {}, 'state=every', 200),
    '?state is none of',
  ],
  [
    'a status that is not published',
    check('POST', '/repos/acme/shop/check-runs', RUN, '', 202),
    'status 202',
  ],
])('refuses %s', (_, problems, expected) => {
  expect(problems.join('\n')).toContain(expected);
});

it('accepts what is published', () => {
  expect(checkRun({ output: { title: 't', summary: 's' } })).toEqual([]);
  expect(check('DELETE', '/repos/acme/shop/issues/7/labels/assay: failed', {}, '', 200)).toEqual([
    // GitHub answers with the labels that are left.
    'DELETE /repos/acme/shop/issues/7/labels/assay: failed: answer is no array',
  ]);
});
