import { expect, test, vi } from 'vitest';
import { enableImportCache } from '../../../gates/code/import-cache.ts';
import * as parsing from '../../../gates/code/parsing/parse-source.ts';
import { readProjectCodeRevisions } from '../../../gates/code/project-code.ts';
import { createFileCache } from '../../../gates/pipeline/cache/file-cache.ts';
import { createTemporaryFolder } from '../../support/git-repository.ts';
import { createSubject } from '../../support/patch-fixture.ts';

vi.mock('../../../gates/code/parsing/parse-source.ts', { spy: true });

const BASE = { 'a.py': 'import b\n', 'b.py': 'B = 1\n', 'c.py': 'import a\n' };

test('what is known of a file by its content is not read again, and another build reads it anew', async () => {
  const folder = createTemporaryFolder();
  const look = async (build: string) => {
    const subject = await createSubject(BASE, { 'b.py': 'import c\n' });
    // Each run has a memory of its own, which reads what those before it have left.
    enableImportCache(subject.store, {
      memory: createFileCache(folder, { since: Date.now() + 60_000 }),
      build,
    });
    vi.mocked(parsing.withSyntaxTree).mockClear();
    const { head } = await readProjectCodeRevisions(subject, Number.POSITIVE_INFINITY);
    return {
      parsed: vi.mocked(parsing.withSyntaxTree).mock.calls.length,
      edges: [...head.importGraph.outgoingEdges.values()].flat().length,
    };
  };
  const first = await look('one');
  expect(first).toEqual({ parsed: 4, edges: 3 });
  expect(await look('one')).toEqual({ parsed: 0, edges: 3 });
  expect(await look('two')).toEqual(first);
});

test('what lies in the memory and is no fact is not taken for one', async () => {
  const subject = await createSubject(BASE, { 'b.py': 'import c\n' });
  const nonsense = { 'python x': 3, 'python y': null, 'python z': { imports: 'none' } };
  enableImportCache(subject.store, {
    memory: { get: async () => nonsense, put: async () => {}, update: async () => {} },
    build: 'one',
  });
  const { head } = await readProjectCodeRevisions(subject, Number.POSITIVE_INFINITY);
  expect([...head.importGraph.outgoingEdges.values()].flat()).toHaveLength(3);
});
