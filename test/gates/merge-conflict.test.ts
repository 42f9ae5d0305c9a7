import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { GateResult } from '../../gates/core/gate.ts';
import { mergeConflictGate } from '../../gates/gates/merge-conflict.ts';
import { createFileCache } from '../../gates/pipeline/cache/file-cache.ts';
import { findFencedLines } from '../../gates/rules/merge-conflict/conflict-markers.ts';
import { parseTreeMergeConflicts } from '../../workspace/git/merge-trees.ts';
import type { UpstreamBranch } from '../../workspace/git/upstream-branch.ts';
import { gatherEvidenceOn } from '../support/gather-evidence.ts';
import { createTemporaryFolder, createTestRepository } from '../support/git-repository.ts';
import { type FileContents, type FileEdits, runGate } from '../support/patch-fixture.ts';
import { runGateOnRepository } from '../support/run-gate-on-repository.ts';

const TEXT = Array.from({ length: 20 }, (_, index) => `line ${index}\n`).join('');
const at = (line: number, text: string): string => TEXT.replace(`line ${line}\n`, `${text}\n`);

/** Work on top of a base, while the branch goes on from there. */
async function merged(work: FileEdits, branch: FileEdits): Promise<GateResult> {
  const repository = createTestRepository({ 'a.txt': TEXT, 'b.txt': TEXT });
  const base = repository.git('rev-parse', 'HEAD');
  repository.git('checkout', '--quiet', '-b', 'next');
  const commit = repository.commit(branch);
  repository.git('checkout', '--quiet', '-b', 'work', base);
  repository.commit(work);
  const upstream = async (): Promise<UpstreamBranch> => ({ ref: 'next', commit, mergeBase: base });
  return runGateOnRepository(mergeConflictGate, repository, base, { upstream });
}

describe('merge_conflict', () => {
  test.each<[string, FileEdits, FileEdits, string, string[]]>([
    ['the branch has not moved', { 'a.txt': at(3, 'x') }, {}, 'passed', []],
    ['both change different lines', { 'a.txt': at(3, 'x') }, { 'a.txt': at(15, 'y') }, 'passed', []],
    [
      'both change the same line',
      { 'a.txt': at(3, 'x') },
      { 'a.txt': at(3, 'y') },
      'failed',
      ['a.txt: CONFLICT (contents) with next'],
    ],
    ['both make the same change', { 'a.txt': at(3, 'x') }, { 'a.txt': at(3, 'x') }, 'passed', []],
    [
      'one deletes what the other changes',
      { 'a.txt': at(3, 'x') },
      { 'a.txt': null },
      'failed',
      ['a.txt: CONFLICT (modify/delete) with next'],
    ],
    [
      'both add a file, each its own',
      { 'n e\nw.txt': 'x\n' },
      { 'n e\nw.txt': 'y\n' },
      'failed',
      [expect.stringContaining('n e\nw.txt: CONFLICT')],
    ],
    [
      'one renames what the other changes',
      { 'a.txt': null, 'c.txt': TEXT },
      { 'a.txt': at(3, 'y') },
      'passed',
      [],
    ],
    [
      'they disagree in two files',
      { 'a.txt': at(3, 'x'), 'b.txt': at(3, 'x') },
      { 'a.txt': at(3, 'y'), 'b.txt': at(3, 'y') },
      'failed',
      ['a.txt: CONFLICT (contents) with next', 'b.txt: CONFLICT (contents) with next'],
    ],
  ])('when %s', async (_, work, branch, outcome, found) => {
    const result = await merged(work, branch);
    expect(result.outcome).toBe(outcome);
    expect(result.findings.map(({ file, message }) => `${file}: ${message}`)).toEqual(found);
  });

  test('is remembered while the branch stands where it stood', async () => {
    const repository = createTestRepository({
      'a.txt': TEXT,
      'assay.yaml': 'version: 1\nquality_gates:\n  merge_conflict_check: true\n  lint: false\n',
    });
    const base = repository.git('rev-parse', 'HEAD');
    repository.write({ 'a.txt': at(3, 'x') });
    const memory = createFileCache(join(createTemporaryFolder(), 'cache'));
    const look = async (commit: string) => {
      const upstream = async (): Promise<UpstreamBranch> => ({ ref: 'next', commit, mergeBase: base });
      const { gates } = await gatherEvidenceOn(repository, [], { persistentCache: memory, upstream });
      const { outcome, cached } = gates.find(({ name }) => name === 'merge_conflict') ?? {};
      return { outcome, cached };
    };
    expect(await look(base)).toEqual({ outcome: 'passed', cached: false });
    expect(await look(base)).toEqual({ outcome: 'passed', cached: true });
    repository.git('stash', '--quiet');
    repository.git('checkout', '--quiet', '-b', 'next');
    const moved = repository.commit({ 'a.txt': at(3, 'y') });
    repository.git('checkout', '--quiet', 'main');
    repository.git('stash', 'pop', '--quiet');
    expect(await look(moved)).toEqual({ outcome: 'failed', cached: false });
  });

  test('asks nobody, and holds for a person, when it is not known here where the branch stands', async () => {
    expect(await runGate(mergeConflictGate, { 'a.txt': 'x\n' }, { 'a.txt': 'y\n' })).toMatchObject({
      outcome: 'could_not_run',
      detail: 'nobody here knows where the branch stands that this is to go to; fetch it first',
    });
  });

  test('knows the newest commit that a checkout has fetched', async () => {
    const repository = createTestRepository({
      'a.txt': TEXT,
      'assay.yaml': 'quality_gates:\n  pipeline: [{ name: merge_conflict }]\n',
    });
    const base = repository.git('rev-parse', 'HEAD');
    const ahead = repository.commit({ 'a.txt': at(3, 'theirs') });
    repository.git('update-ref', 'refs/remotes/origin/main', ahead);
    repository.git('reset', '--quiet', '--hard', base);
    repository.write({ 'a.txt': at(3, 'ours') });
    const [gate] = (await gatherEvidenceOn(repository)).gates;
    expect(gate).toMatchObject({
      outcome: 'failed',
      detail: '1 files conflict with origin/main',
      facts: { upstream: ahead, upstream_ref: 'origin/main' },
    });
    repository.write({ 'a.txt': at(15, 'ours') });
    expect((await gatherEvidenceOn(repository)).gates[0]).toMatchObject({
      outcome: 'passed',
      detail: `merges with origin/main at ${ahead.slice(0, 12)}`,
    });
  });

  test('takes what git says of several conflicts apart', () => {
    const said = [
      'd'.repeat(40),
      'a',
      'b',
      '',
      '1',
      'a',
      'CONFLICT (contents)',
      'text\n',
      '2',
      'b',
      'c',
      'CONFLICT (rename/delete)',
      'text\n',
      '1',
      'a',
      'Auto-merging',
      'text\n',
      '',
    ];
    expect(parseTreeMergeConflicts(Buffer.from(said.join('\0')))).toEqual([
      { path: 'a', kind: 'CONFLICT (contents)' },
      { path: 'b', kind: 'CONFLICT (rename/delete)' },
    ]);
  });
});

const ours = '<'.repeat(7);
const theirs = '>'.repeat(7);
const conflict = `${ours} HEAD\na\n=======\nb\n${theirs} next\n`;

describe('a conflict marker', () => {
  test.each<[string, FileContents, FileEdits, string[]]>([
    ['is found', {}, { 'a.ts': `x\n${conflict}` }, ['a.ts:2', 'a.ts:6']],
    [
      'is found with Windows line ends',
      {},
      { 'a.ts': conflict.replaceAll('\n', '\r\n') },
      ['a.ts:1', 'a.ts:5'],
    ],
    ['is found alone', {}, { 'a.py': `x\n${theirs} feature/x` }, ['a.py:2']],
    ['is found without a label', {}, { 'a.py': `${ours}\n` }, ['a.py:1']],
    ['of three ways is found', {}, { 'a.py': `${'|'.repeat(7)} 1234abc\n` }, ['a.py:1']],
    ['is found in a text for people', {}, { 'a.md': conflict }, ['a.md:1', 'a.md:5']],
    ['is no quoted example', {}, { 'a.md': `Such as:\n\n\`\`\`diff\n${conflict}\`\`\`\n` }, []],
    ['is found in a block that is never closed', {}, { 'a.md': `\`\`\`\n${conflict}` }, ['a.md:2', 'a.md:6']],
    ['is not a heading', {}, { 'a.rst': 'Title\n=======\n' }, []],
    ['is not a longer row', {}, { 'a.txt': `${ours}<<\n${theirs}>> x\n` }, []],
    ['is not in the middle of a line', {}, { 'a.ts': `const mark = '${ours} HEAD';\n  ${ours} x\n` }, []],
    ['is not an empty row of a table', {}, { 'a.md': `${'|'.repeat(7)}\n` }, []],
  ])('%s', async (_, base, edits, found) => {
    const result = await runGate(mergeConflictGate, base, edits);
    expect(result.findings.map(({ file, line }) => `${file}:${line}`)).toEqual(found);
    expect(result.outcome).toBe(found.length > 0 ? 'failed' : 'could_not_run');
  });

  test('that was there before is reported only', async () => {
    const result = await runGate(mergeConflictGate, { 'a.ts': conflict }, { 'a.ts': `${conflict}x\n` });
    expect(result.outcome).toBe('could_not_run');
    expect(result.findings.map(({ message }) => message)).toEqual([
      'a conflict marker (was there before the patch)',
      'a conflict marker (was there before the patch)',
    ]);
  });

  test('lines in fenced blocks are those between an opening and the next closing fence', () => {
    expect([...findFencedLines('a\n~~~\nb\n```\nc\n~~~\nd\n```\ne\n')]).toEqual([3, 4, 5]);
  });
});
