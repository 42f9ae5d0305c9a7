import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  detectReverts,
  type GitCommitMetadata,
  parseTaskTrailers,
} from '../../../../shared/contract/repository/detect-reverts.ts';

const SHOP = 'https://github.com/acme/shop.git';
const A = 'a'.repeat(40);
const reverts = (id: string): string => `Revert "x"\n\nThis reverts commit ${id}.\n`;

test('whose work a commit is, its own line says, also where several were squashed', () => {
  const squashed =
    'Two\n\n* One\n\nAssay-Task: T1\nAssay-Attempt: 1\n\n* Two\n\nAssay-Task: T-2\r\n\n> Assay-Task: T3';
  expect(parseTaskTrailers(squashed)).toEqual(['T1', 'T-2']);
  expect(parseTaskTrailers('Assay-Task: ../T1\nAssay-Task: T1 or T2')).toEqual([]);
});

const id = (number: number): string => number.toString(16).padStart(40, '0');
const commit = (number: number, message: string, parents: number[] = []): GitCommitMetadata => ({
  id: id(number),
  parents: parents.map(id),
  at: '2026-11-20T10:00:00.000Z',
  message,
});
const ours = (task: string): string => `Do it\n\nAssay-Task: ${task}\n`;
const seen = (...commits: GitCommitMetadata[]) =>
  detectReverts(new Map(commits.map((each) => [each.id, each])), SHOP);
const tasksOf = (...commits: GitCommitMetadata[]): string[] =>
  seen(...commits).flatMap(({ task_id }) => task_id ?? []);

describe('in a history', () => {
  test('work stands again when its revert is reverted, and falls with the next', () => {
    const chain = [commit(1, ours('T1')), commit(2, reverts(id(1))), commit(3, reverts(id(2)))];
    expect(tasksOf(...chain.slice(0, 2))).toEqual(['T1']);
    expect(tasksOf(...chain)).toEqual([]);
    expect(tasksOf(...chain, commit(4, reverts(id(3))))).toEqual(['T1']);
  });

  const undone = (merge: number, parent: number): string =>
    `Revert\n\nThis reverts commit ${id(merge)}, reversing\nchanges made to ${id(parent)}.\n`;

  test('a merge that is reverted takes the work of its branch along, and none that was there before', () => {
    const before = [commit(1, ours('T1')), commit(2, ours('T2'), [1]), commit(3, 'on main', [2])];
    // Two commits that are somebody's own on top of the delivered one.
    const branch = [commit(4, ours('T3'), [1]), commit(5, 'fix', [4]), commit(6, 'Merge main', [5, 3])];
    const merge = commit(7, 'Merge', [3, 6]);
    expect(tasksOf(...before, ...branch, merge, commit(8, undone(7, 3), [7]))).toEqual(['T3']);
    // Seen from the other side, what main had is what it brought.
    const other = tasksOf(
      ...before,
      commit(5, 'fix', [1]),
      commit(7, 'Merge', [5, 3]),
      commit(8, undone(7, 5)),
    );
    expect(other).toEqual(['T2']);
  });

  test('of which too little is known, the tip of the branch alone counts', () => {
    const known = [commit(4, ours('T1')), commit(5, ours('T2'), [4]), commit(7, 'Merge', [3, 5])];
    expect(tasksOf(...known, commit(8, undone(7, 3)))).toEqual(['T2']);
  });

  test('a short name that could be several is none', () => {
    const short = 'This reverts commit 0000000 (Do it, 2026-11-20).';
    expect(tasksOf(commit(1, ours('T1')), commit(2, short))).toEqual([]);
    expect(
      tasksOf({ ...commit(1, ours('T1')), id: A }, commit(2, short.replace('0000000', 'aaaaaaa'))),
    ).toEqual(['T1']);
  });

  test('never hangs, and tells each once, whatever undoes what', () => {
    const links = fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 40 });
    fc.assert(
      fc.property(links, (pairs) => {
        const commits = Array.from({ length: 10 }, (_, at) =>
          commit(
            at,
            [ours(`T${at}`), ...pairs.filter(([from]) => from === at).map(([, to]) => reverts(id(to)))].join(
              '\n',
            ),
          ),
        );
        const told = tasksOf(...commits);
        expect(new Set(told).size).toBe(told.length);
      }),
    );
  });

  test('what says not whose work it is, is told by its id, and a request by its number, after what says so', () => {
    const commits = [
      commit(1, 'Make sum add (#7)'),
      commit(2, reverts(id(1)), [1]),
      commit(3, ours('T3'), [2]),
      commit(4, reverts(id(3)), [3]),
      commit(5, 'Revert "y"\n\nThis reverts merge request !12\n', [4]),
    ];
    expect(seen(...commits)).toMatchObject([
      { task_id: 'T3', reverted_commit: id(3), reverted_request: null, reverting_commit: id(4) },
      { task_id: null, reverted_commit: id(1), reverted_request: null, reverting_commit: id(2) },
      { task_id: null, reverted_commit: null, reverted_request: 12, reverting_commit: id(5) },
    ]);
  });

  test.each([
    [
      'a merge of GitLab',
      "Merge branch 'revert-abc' into 'main'\n\nRevert\n\nSee merge request acme/shop!12",
      '!7',
      '!12',
    ],
    ['a squash of GitHub', 'Revert "x" (#9)\n\nReverts acme/shop#7', '#7', '#9'],
  ])('a request that was reverted stands again when %s that did it is reverted', (_, message, one, other) => {
    const words = (name: string): string =>
      name.startsWith('!') ? `This reverts merge request ${name}` : `Reverts acme/shop${name}`;
    const first = [
      commit(1, 'on main'),
      ...(one === '!7'
        ? [commit(2, `Revert\n\n${words(one)}`, [1]), commit(3, message, [1, 2])]
        : [commit(3, message, [1])]),
    ];
    expect(seen(...first)).toMatchObject([{ reverted_request: 7 }]);
    const again = seen(...first, commit(4, `Revert "Revert"\n\n${words(other)}`, [3]));
    expect(again.filter(({ reverted_request }) => reverted_request === 7)).toEqual([]);
  });
});
