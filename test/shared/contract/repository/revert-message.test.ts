import { describe, expect, test } from 'vitest';
import {
  parseMergedRequestReference,
  parseRevertReferences,
} from '../../../../shared/contract/repository/revert-message.ts';

const SHOP = 'https://github.com/acme/shop.git';
const A = 'a'.repeat(40);
const B = 'b'.repeat(40);
const reverts = (id: string): string => `Revert "x"\n\nThis reverts commit ${id}.\n`;

describe('a message undoes a commit', () => {
  test.each([
    ["in git's own words", reverts(A), [{ commit: A, parent: null }]],
    ['with the line ends of Windows', reverts(A).replaceAll('\n', '\r\n'), [{ commit: A, parent: null }]],
    [
      'that is a merge',
      `Revert "Merge"\n\nThis reverts commit ${A}, reversing\nchanges made to ${B}.\n`,
      [{ commit: A, parent: B }],
    ],
    [
      'by a short name with its subject',
      'This reverts commit aaaaaaa (Make sum (really) add, 2026-11-20).\n',
      [{ commit: 'aaaaaaa', parent: null }],
    ],
    [
      'of SHA-256',
      `Revert\n\nThis reverts commit ${'c'.repeat(64)}.`,
      [{ commit: 'c'.repeat(64), parent: null }],
    ],
    ['and says why', `${reverts(A)}\nIt broke the build.\n`, [{ commit: A, parent: null }]],
    [
      'among others that were squashed',
      `Undo (#9)\n\n* ${reverts(A)}\n* ${reverts(B)}`,
      [
        { commit: A, parent: null },
        { commit: B, parent: null },
      ],
    ],
    [
      "in GitLab's, without a full stop",
      `Revert "x"\n\nThis reverts commit ${A}`,
      [{ commit: A, parent: null }],
    ],
    ["in those of GitLab's button", 'Revert "x"\n\nThis reverts merge request !7', [{ request: '!7' }]],
    [
      "in those of GitHub's, in the squash of its request",
      'Revert "x" (#8)\n\nReverts Acme/shop#7\r\n',
      [{ request: '#7' }],
    ],
  ])('%s', (_, message, expected) => {
    expect(parseRevertReferences(message, SHOP)).toEqual(expected);
  });

  test.each([
    ['quoted', `Talk\n\n> This reverts commit ${A}.\n`],
    ['indented', `Talk\n\n    This reverts commit ${A}.\n`],
    ['in a sentence', `Talk\n\nWhat happens:\nThis reverts commit ${A}.\n`],
    ['as a part of one', `Talk\n\nThis reverts commit ${A}. That was wrong of it.\n`],
    ['denied', `Talk\n\nNote: This reverts commit ${A}.\n`],
    ['by too short a name', 'Talk\n\nThis reverts commit aaaaaa.\n'],
    ['about a request of another repository', 'Revert "x" (#8)\n\nReverts acme/other#7'],
    ['about a merge request, with more to it', 'Talk\n\nThis reverts merge request !7 in part\n'],
    ['about requests of others', 'Talk\n\nThis reverts merge request other/shop!7\n'],
  ])('not where the sentence is %s', (_, message) => {
    expect(parseRevertReferences(message, SHOP)).toEqual([]);
  });
});

test.each([
  ['Merge pull request #7 from acme/assay/T1\n\nMake sum add', '#7'],
  ['Make sum add (#7)\n\nMore of it', '#7'],
  ["Merge branch 'assay/T1' into 'main'\n\nMake sum add\n\nSee merge request acme/shop!7", '!7'],
  ['Make sum add, see (#7) for more', null],
  ['Say more\n\nMerge pull request #7 from x', null],
])('which request a commit has brought is read where forges write it: %j', (message, expected) => {
  expect(parseMergedRequestReference(message)).toBe(expected);
});
