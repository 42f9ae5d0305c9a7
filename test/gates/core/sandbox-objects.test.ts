import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Sandbox, SandboxFactory } from '../../../gates/core/sandbox-factory.ts';
import { editTree, writeBlob } from '../../../workspace/git/edit-tree.ts';
import { emptyTreeId, type GitStore, type ObjectFormat } from '../../../workspace/git/git-store.ts';
import { captureWorkingTree } from '../../../workspace/git/working-tree.ts';
import { createTemporaryFolder, createTestRepository } from '../../support/git-repository.ts';

const SECRET = 'secret-of-another-tree';
const LIMIT_MS = 60_000;

/** A repository whose store holds more than base and patch: history, another branch, a stash and loose blobs. */
async function createRichStore(format: ObjectFormat) {
  const repository = createTestRepository({ 'old.txt': `${SECRET} in the history\n` });
  if (format === 'sha256') {
    repository.git('init', '--quiet', '--object-format=sha256', 'other');
  }
  const git =
    format === 'sha1'
      ? repository.git
      : (...args: string[]) => repository.git('-C', join(repository.dir, 'other'), ...args);
  const dir = format === 'sha1' ? repository.dir : join(repository.dir, 'other');
  const write = (files: Record<string, string | null>) =>
    repository.write(
      Object.fromEntries(
        Object.entries(files).map(([path, text]) => [format === 'sha1' ? path : `other/${path}`, text]),
      ),
    );
  const commit = (files: Record<string, string | null>): string => {
    write(files);
    git('add', '--all');
    git('commit', '--quiet', '--allow-empty', '-m', 'x');
    return git('rev-parse', 'HEAD');
  };
  commit({ 'old.txt': `${SECRET} in the history\n` });
  const base = commit({ 'old.txt': null, 'src/a.txt': 'base\n', 'b.txt': 'b\n' });
  const main = git('symbolic-ref', '--short', 'HEAD');
  git('checkout', '--quiet', '-b', 'other');
  commit({ 'c.txt': `${SECRET} on a branch\n` });
  git('checkout', '--quiet', main);
  write({ 'b.txt': `${SECRET} in a stash\n` });
  git('stash', '--quiet');
  write({ 'src/a.txt': 'patch\n', 'new/d.txt': 'd\n' });
  const captured = await captureWorkingTree(dir, main, createTemporaryFolder());
  writeBlob(captured.store, `${SECRET} in a blob of the store\n`);
  expect(captured.base).toBe(base);
  return captured;
}

function createSandboxes(store: GitStore, base: string, tree: string) {
  const workDir = createTemporaryFolder();
  return { workDir, sandboxes: new SandboxFactory({ store, base, tree, workDir, users: null }) };
}

const ALL_OBJECTS = 'git cat-file --batch-all-objects --batch';
const read = async (sandbox: Sandbox, line: string): Promise<string> => {
  const { exitCode, output } = await sandbox.run({ line }, LIMIT_MS);
  expect({ exitCode, output }).toEqual({ exitCode: 0, output });
  return output;
};

describe('the git repository of a sandbox', () => {
  it.each(['sha1', 'sha256'] as const)(
    'holds base, patch and its own tree, and nothing else (%s)',
    async (format) => {
      const { store, base, tree } = await createRichStore(format);
      const { sandboxes } = createSandboxes(store, base, tree);
      const mutant = await editTree(store, tree, [
        { path: 'src/a.txt', entry: { id: writeBlob(store, 'mutant\n'), mode: '100644' } },
      ]);
      const expected = new Map<string, readonly string[]>([
        [base, ['base', 'patch']],
        [tree, ['base', 'patch']],
        [mutant, ['base', 'patch', 'mutant']],
        [emptyTreeId(store), ['base', 'patch']],
      ]);
      for (const [each, contents] of expected) {
        const sandbox = await sandboxes.createSandbox(each);
        const objects = await read(sandbox, ALL_OBJECTS);
        for (const content of ['base', 'patch', 'mutant'])
          expect([content, objects.includes(`\n${content}\n`)]).toEqual([
            content,
            contents.includes(content),
          ]);
        expect(objects).not.toContain(SECRET);
        // git knows the empty tree without having it, but its fsck does not.
        const fsck = each === emptyTreeId(store) ? '' : ' && git fsck --strict';
        expect(await read(sandbox, `git log --format=%H && git status --porcelain${fsck}`)).toMatch(
          new RegExp(`^${base}\n`),
        );
      }
      const query = await sandboxes.createToolQuerySandbox(base);
      expect(await read(query, ALL_OBJECTS)).not.toContain(SECRET);
    },
  );

  it('takes commits and shows diffs as any other repository', async () => {
    const { store, base, tree } = await createRichStore('sha1');
    const { sandboxes } = createSandboxes(store, base, tree);
    const sandbox = await sandboxes.createSandbox(tree);
    const who = '-c user.name=x -c user.email=x';
    expect(
      await read(
        sandbox,
        `git diff --stat HEAD -- src; git add -A; git ${who} commit -qm mine; git log --format=%s`,
      ),
    ).toMatch(/src\/a\.txt \| 2 \+-.*\nmine\nx\n$/s);
  });
});

describe('a private tree', () => {
  it('is read by its own sandbox only, and is gone afterwards', async () => {
    const { store, base, tree } = await createRichStore('sha1');
    const { sandboxes, workDir } = createSandboxes(store, base, tree);
    mkdirSync(join(workDir, 'other'));
    const search = `${ALL_OBJECTS}; cat t.txt; grep -ra ${SECRET} "$PWD/../.." || true`;
    const output = await sandboxes.withPrivateTree(
      (own) =>
        editTree(own, tree, [
          { path: 't.txt', entry: { id: writeBlob(own, `${SECRET}\n`), mode: '100644' } },
        ]),
      async (own) => {
        const sandbox = await sandboxes.createSandbox(own);
        expect(await read(sandbox, `${ALL_OBJECTS}; cat t.txt`)).toContain(SECRET);
        const other = await sandboxes.createSandbox(tree);
        return read(other, ALL_OBJECTS);
      },
    );
    expect(output).not.toContain(SECRET);
    const later = await sandboxes.createSandbox(tree);
    expect(await read(later, search.replace('cat t.txt; ', ''))).not.toContain(`${SECRET}\n`);
    expect(readdirSync(workDir).filter((name) => name.startsWith('private'))).toEqual([]);
  });

  it('runs while no other command does', async () => {
    const { store, base, tree } = await createRichStore('sha1');
    const { sandboxes, workDir } = createSandboxes(store, base, tree);
    const mark = join(workDir, 'private-runs');
    const other = await sandboxes.createSandbox(tree);
    await sandboxes.withPrivateTree(
      (own) => editTree(own, tree, [{ path: 't', entry: { id: writeBlob(own, 'x'), mode: '100644' } }]),
      async (own) => {
        const sandbox = await sandboxes.createSandbox(own);
        const runs = [
          sandbox.run({ line: `touch ${mark}; sleep 0.2; rm ${mark}` }, LIMIT_MS),
          other.run({ line: `test ! -e ${mark}` }, LIMIT_MS),
        ];
        expect((await Promise.all(runs)).map(({ exitCode }) => exitCode)).toEqual([0, 0]);
      },
    );
  });

  it('that two callers make stays until both are done, and one that the store has is nobody’s own', async () => {
    const { store, base, tree } = await createRichStore('sha1');
    const { sandboxes, workDir } = createSandboxes(store, base, tree);
    const make = (own: GitStore) =>
      editTree(own, tree, [{ path: 't', entry: { id: writeBlob(own, 'x'), mode: '100644' } }]);
    const run = async (own: string) => read(await sandboxes.createSandbox(own), 'cat t');
    expect(
      await Promise.all([sandboxes.withPrivateTree(make, run), sandboxes.withPrivateTree(make, run)]),
    ).toEqual(['x', 'x']);
    const sandbox = await sandboxes.withPrivateTree(
      async () => tree,
      (same) => sandboxes.createSandbox(same),
    );
    expect(await read(sandbox, 'cat src/a.txt')).toBe('patch\n');
    expect(readdirSync(workDir).filter((name) => name.startsWith('private'))).toEqual([]);
  });
});
