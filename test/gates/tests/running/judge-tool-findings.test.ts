import { describe, expect, test } from 'vitest';
import { createToolFinding } from '../../../../gates/reports/tool-report.ts';
import { parseDiffHunks, readAddedLines } from '../../../../gates/tests/running/added-lines.ts';
import { classifyToolFindings } from '../../../../gates/tests/running/judge-tool-findings.ts';
import { createPatchFixture } from '../../../support/patch-fixture.ts';

const at = (file: string | null, line: number | null, message = 'm') =>
  createToolFinding('/room', { file, line }, 'R', message);

describe('the lines that a patch wrote', () => {
  test('are those of its hunks, by the names of the new tree', async () => {
    const long = 'one\ntwo\nthree\nfour\nfive\nsix\n';
    const patch = await createPatchFixture(
      {
        'a.py': 'one\ntwo\nthree\n',
        'old.py': long,
        bin: Buffer.from([0, 1, 2]),
        'gone.py': 'x\n',
        'same.py': '',
      },
      {
        'a.py': 'one\n2\nthree\n@@ -1 +1 @@\n',
        'old.py': null,
        'new "name"\n.py': long.replace('five', '5'),
        bin: Buffer.from([0, 9]),
        'gone.py': null,
        'b.py': 'diff --git a/x b/x\n',
      },
    );
    const added = await readAddedLines(patch.store, patch.base, patch.tree);
    const has = (file: string, ...lines: (number | null)[]) =>
      lines.filter((line) => added.isAdded(file, line));
    expect(has('a.py', 1, 2, 3, 4, 5, null)).toEqual([2, 4, null]);
    expect(has('new "name"\n.py', 4, 5, 6)).toEqual([5]);
    expect(has('b.py', 1)).toEqual([1]);
    expect(has('bin', 1, 70)).toEqual([1, 70]);
    expect(has('same.py', 1, null)).toEqual([]);
  });

  test('are read past one line of a megabyte', () => {
    const diff = Buffer.from(`diff --git a/a b/a\n@@ -0,0 +1,2 @@\n+${'@@ +'.repeat(262_144)}\n+x\n`);
    expect(parseDiffHunks(diff)).toEqual([{ hunks: [{ oldLine: 0, oldCount: 0, newLine: 1, newCount: 2 }] }]);
  });
});

describe('a complaint', () => {
  const addedLines = {
    isAdded: (file: string, line: number | null) => file === 'a.py' && (line === null || line === 2),
  };
  const weights = (...parameters: Parameters<typeof classifyToolFindings>) =>
    classifyToolFindings(...parameters).map(({ severity }) => severity);

  test.each<[string, ReturnType<typeof at>, boolean, string]>([
    ['on a written line, and in the base', at('a.py', 2), true, 'existing'],
    ['on a written line, and not in the base', at('a.py', 2), false, 'error'],
    ['in a written file, without a line', at('a.py', null), false, 'error'],
    ['without a file, and in the base', at(null, null), true, 'existing'],
    ['elsewhere, and in the base', at('a.py', 1), true, 'existing'],
    ['elsewhere, and not in the base', at('b.py', 2), false, 'error'],
  ])('is compared with the base: %s', (_, each, inBase, weight) => {
    expect(weights([each], { addedLines, baseline: inBase ? [each] : [] })).toEqual([weight]);
  });

  test('on a line of the patch is the new one of two that are equal', () => {
    const each = [at('a.py', 2), at('a.py', 9)];
    expect(weights(each, { addedLines, baseline: [at('a.py', 7)] })).toEqual(['error', 'existing']);
  });

  test('is recognised in a renamed file, and with another line number in its message', () => {
    const renamedPaths = new Map([['old.py', 'new.py']]);
    expect(weights([at('new.py', 3)], { renamedPaths, baseline: [at('old.py', 1)] })).toEqual(['existing']);
    const moved = [at('b.py', 9, 'redefinition of x from line 12')];
    const baseline = [at('b.py', 7, 'redefinition of x from line 10')];
    expect(weights(moved, { addedLines, baseline })).toEqual(['existing']);
    const written = [at('a.py', 2, 'redefinition of x from line 12')];
    expect(
      weights(written, { addedLines, baseline: [at('a.py', 7, 'redefinition of x from line 10')] }),
    ).toEqual(['error']);
  });

  test('that the base has not fails, as often as the base has it less', () => {
    const [old, new_] = [at('b.py', 9, 'old'), at('b.py', 9, 'new')];
    expect(weights([old, new_, old], { baseline: [{ ...old, line: 1 }] })).toEqual([
      'existing',
      'error',
      'error',
    ]);
  });

  test('is never taken to be old when the base could not be asked', () => {
    const each = at('b.py', 9);
    expect(weights([each], { addedLines, baseline: null })).toEqual(['error']);
  });
});
