import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commitTree } from '../../../gates/checkout/commit.ts';
import { createStore } from '../../../gates/checkout/store.ts';
import { commitId } from '../../../shared/repository/commit.ts';
import { commitText } from '../../../shared/task/delivered-commit.ts';
import * as build from '../../support/builders.ts';
import { makeRepository } from '../../support/repository.ts';

const repository = makeRepository({ 'a.txt': 'a\n' });
const tree = repository.git('rev-parse', 'HEAD^{tree}');
const parent = repository.git('rev-parse', 'HEAD');

test('the id of the delivered commit is what git makes of it, whatever the title', async () => {
  const store = await createStore(`${repository.dir}-store`, 'sha1', [`${repository.dir}/.git/objects`]);
  const title = fc
    .string({ unit: 'binary', minLength: 1, maxLength: 200 })
    .map((text) => text.replaceAll('\0', ''));
  await fc.assert(
    fc.asyncProperty(title, fc.integer({ min: 1, max: 99 }), async (words, number) => {
      const task = { ...build.task(), title: words };
      const attempt = build.attempt({ number, model: null, report: build.report() });
      const fields = { tree, parent, ...commitText(task, attempt) };
      expect(commitId(fields)).toBe(await commitTree(store, fields));
    }),
    { numRuns: 40 },
  );
});
