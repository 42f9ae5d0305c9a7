import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { groupFindingsByFile, parseFindings } from '../../page/task/evidence-findings.ts';
import { type DiffLine, pairDiffLines, parseDiff } from '../../page/task/parse-diff.ts';

const PATCH = `diff --git a/src/price.ts b/src/price.ts
index 1111111..2222222 100644
--- a/src/price.ts
+++ b/src/price.ts
@@ -1,3 +1,4 @@ export
 const a = 1;
-const b = 2;
+const b = 3;
+const c = 4;
 export { a };
diff --git a/old.md b/new.md
similarity index 90%
rename from old.md
rename to new.md
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
--- a line that looks like a header
\\ No newline at end of file
diff --git "a/f\\303\\274r.txt" "b/f\\303\\274r.txt"
new file mode 100644
--- /dev/null
+++ "b/f\\303\\274r.txt"
@@ -0,0 +1 @@
+x
diff --git a/p.png b/p.png
GIT binary patch
literal 3
`;

describe('a patch', () => {
  const files = parseDiff(PATCH);

  it('is read file by file, with what became of each', () => {
    expect(
      files.map(({ path, previousPath, change, added, removed }) => [
        path,
        previousPath,
        change,
        added,
        removed,
      ]),
    ).toEqual([
      ['src/price.ts', null, 'changed', 2, 1],
      ['new.md', 'old.md', 'renamed', 0, 0],
      ['gone.txt', null, 'deleted', 0, 1],
      ['für.txt', null, 'added', 1, 0],
      ['p.png', null, 'binary', 0, 0],
    ]);
  });

  it('has the numbers of its lines on both sides', () => {
    expect(files[0]?.lines.map(({ kind, before, after }) => [kind, before, after])).toEqual([
      ['hunk', null, null],
      ['same', 1, 1],
      ['removed', 2, null],
      ['added', null, 2],
      ['added', null, 3],
      ['same', 3, 4],
    ]);
  });

  it('takes a line that looks like a header for a line where one is due', () => {
    expect(files[2]?.lines[1]).toMatchObject({ kind: 'removed', text: '-- a line that looks like a header' });
  });

  test('can be anything at all', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('diff --git a/x b/x', '@@ -1 +1 @@', '+', '-', ' ', '\\', '+++ "', 'x', '')),
        (lines) => {
          expect(() => parseDiff(lines.join('\n'))).not.toThrow();
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('findings', () => {
  it('are put to the files of the patch, and beside them where they are about none', () => {
    const finding = (file: string | null) => ({ file, line: 2, rule: 'r', message: 'm' });
    const all = parseFindings({
      gates: [{ name: 'lint', findings: [finding('a.ts'), finding('b.ts'), finding(null)] }],
    });
    const placed = groupFindingsByFile(all, ['a.ts']);
    expect([placed.get('a.ts')?.length, placed.get('')?.length]).toEqual([1, 2]);
  });

  test.each([null, 'x', [], {}, { gates: 3 }, { gates: [null, { findings: [1, {}] }] }])(
    'are what can be read of %j',
    (evidence) => {
      expect(parseFindings(evidence).every(({ message }) => typeof message === 'string')).toBe(true);
    },
  );
});

const KINDS = ['same', 'added', 'removed', 'hunk', 'note'] as const;
const linesOf = (kinds: readonly (typeof KINDS)[number][]): DiffLine[] =>
  kinds.map((kind, index) => ({ kind, before: index, after: index, text: String(index) }));

describe('a diff side by side', () => {
  it('puts what was removed beside what was added in its place', () => {
    const rows = pairDiffLines(linesOf(['same', 'removed', 'removed', 'added', 'same', 'added']));
    expect(rows.map(({ left, right }) => [left?.text ?? null, right?.text ?? null])).toEqual([
      ['0', '0'],
      ['1', '3'],
      ['2', null],
      ['4', '4'],
      [null, '5'],
    ]);
  });

  it('shows each line on its side once, in order', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...KINDS)), (kinds) => {
        const lines = linesOf(kinds);
        const rows = pairDiffLines(lines);
        const side = (name: 'left' | 'right') => rows.flatMap((row) => row[name] ?? []);
        expect(side('left')).toEqual(lines.filter(({ kind }) => kind !== 'added'));
        expect(side('right')).toEqual(lines.filter(({ kind }) => kind !== 'removed'));
      }),
    );
  });
});
