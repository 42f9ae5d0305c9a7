import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HiddenTests } from '../../gates/core/hidden-result.ts';
import { gatherEvidence } from '../../gates/pipeline/gather.ts';
import {
  type Evidence,
  type GateEvidence,
  isPutBack,
  type Verdict,
} from '../../shared/contract/evidence/schema.ts';
import type { Expectation } from '../../shared/contract/submission/expects.ts';
import { reduce } from '../../shared/control/verdict/reduce.ts';
import { writeBlob } from '../../workspace/git/edit.ts';
import { createStore, type Store } from '../../workspace/git/store.ts';
import { pooled } from '../../workspace/process/pool.ts';
import { type Catch, type EvasionCase, type Files, NO_TASK, type Patch } from './case.ts';
import { heldBy, type Kind, kindsOf } from './kinds.ts';

/** How one patch was judged. */
export interface Judged {
  readonly class: string;
  readonly name: string;
  readonly honest: boolean;
  /** What became of it: it did not pass as it is; it passed, and a gate says what is wrong with it; it passed. */
  readonly outcome: 'caught' | 'noted' | 'passed';
  /** Whether that is what the case expects. An honest patch must pass, whatever is said of it. */
  readonly right: boolean;
  readonly knownMiss: string | null;
  readonly verdict: Verdict['verdict'];
  /** What the tests gate says of how far it went. */
  readonly facts: GateEvidence['metadata'];
  /** Rules, or gates, that held it. */
  readonly by: readonly string[];
  readonly kinds: readonly Kind[];
  /** How long it took, with whatever ran beside it. */
  readonly seconds: number;
  /** What was expected, and what the gates said, for people. */
  readonly detail: string;
}

/** A patch that has passed all that ran. */
export interface Passed {
  readonly name: string;
  readonly honest: boolean;
  readonly about: { readonly title: string; readonly description: string };
  /** As git prints it. */
  readonly patch: string;
  readonly evidence: Evidence;
  readonly verdict: Verdict;
}

interface Patched extends Pick<Judged, 'class' | 'name' | 'honest' | 'knownMiss'> {
  readonly base: Files;
  readonly patch: Patch;
  readonly expects: readonly Expectation[];
  readonly files: readonly string[];
  readonly hidden: Files;
  readonly about: Passed['about'];
  /** Null: an honest patch, which must pass. */
  readonly caught: Catch | null;
}

/** Each case, and its honest twin. */
const patchesOf = (each: EvasionCase): Patched[] => [
  {
    class: each.class,
    name: each.name,
    honest: false,
    knownMiss: each.known_miss ?? null,
    base: withConfig(each.base, each.config),
    patch: each.patch,
    expects: each.expects ?? [],
    files: each.files ?? [],
    hidden: each.hidden ?? {},
    about: each.task ?? NO_TASK,
    caught: each.caught,
  },
  {
    class: each.class,
    name: each.twin.name,
    honest: true,
    knownMiss: null,
    base: withConfig(each.twin.base ?? each.base, each.twin.config ?? each.config),
    patch: each.twin.patch,
    expects: each.twin.expects ?? each.expects ?? [],
    files: each.files ?? [],
    hidden: each.hidden ?? {},
    about: each.task ?? NO_TASK,
    caught: null,
  },
];

const withConfig = (files: Files, config: string | null): Files =>
  config === null
    ? files
    : { ...files, 'assay.yaml': `version: 1\nquality_gates:\n${config.replace(/^/gm, '  ')}\n` };

const outcomeOf = (expected: Catch | null, evidence: Evidence, verdict: Verdict): Judged['outcome'] => {
  if (verdict.verdict !== 'pass' || !verdict.verified) return 'caught';
  return expected?.how === 'noted' && isNoted(expected, evidence) ? 'noted' : 'passed';
};

const isNoted = ({ by, rule }: Catch, { gates }: Evidence): boolean =>
  gates.some(
    ({ name, findings }) =>
      name === by && findings.some((finding) => rule === undefined || finding.rule === rule),
  );

/** Whether an evasion came to what was expected of it. What was to be noted only, and is caught, is better than that. */
function isAsExpected(expected: Catch, evidence: Evidence, verdict: Verdict): boolean {
  const outcome = outcomeOf(expected, evidence, verdict);
  const { how, by } = expected;
  if (how === 'noted') return outcome !== 'passed';
  if (how === 'unverified') return !verdict.verified;
  if (outcome !== 'caught') return false;
  if (how === 'protected')
    return evidence.protected_files.some((file) => file.path === by && isPutBack(file));
  return how === 'held' || isNoted(expected, evidence) || (!expected.rule && heldBy(evidence).includes(by));
}

const named = (expected: Catch | null): string =>
  expected === null ? 'pass' : [expected.how, expected.by, expected.rule].filter(Boolean).join(' ');

const diffIn = ({ dir }: Store, base: string, tree: string): string =>
  execFileSync('git', ['diff', '--no-renames', '--no-color', '--no-ext-diff', '--no-textconv', base, tree], {
    env: { PATH: process.env['PATH'], GIT_DIR: dir },
    encoding: 'utf8',
    maxBuffer: 64 * 1_048_576,
  });

/**
 * Judges every case of a corpus, and every honest twin, as the gates box does. `onJudged` hears of each patch, `onPassed` of those that
 * nothing has held.
 */
export async function runCorpus(
  corpus: readonly EvasionCase[],
  parallel: number = availableParallelism(),
  onJudged: (done: number, of: number) => void = () => {},
  onPassed: ((passed: Passed) => Promise<void>) | null = null,
): Promise<Judged[]> {
  if (corpus.length === 0) throw new Error('the corpus is empty: nothing would be shown');
  const folder = mkdtempSync(join(tmpdir(), 'assay-evasion-'));
  try {
    const store = await createStore(join(folder, 'store.git'));
    const patches = corpus.flatMap(patchesOf);
    const trees = commitAll(store.dir, patches);
    const judged: Judged[] = [];
    let done = 0;
    await pooled(
      parallel,
      patches.map((patch, index) => async () => {
        const workDir = join(folder, `work-${index}`);
        mkdirSync(workDir);
        const started = performance.now();
        const { base, tree } = trees[index] ?? { base: '', tree: '' };
        const evidence = await gatherEvidence({
          store,
          base,
          tree,
          signals: [],
          expects: patch.expects,
          files: patch.files,
          task: {
            id: `case-${index}`,
            ...patch.about,
            ...(patch.expects.length > 0 ? { expects: patch.expects } : {}),
          },
          hidden: await hiddenIn(store, patch.hidden),
          workDir,
          parallel: 2,
        });
        const verdict = reduce(evidence);
        rmSync(workDir, { recursive: true, force: true });
        if (onPassed && verdict.verdict === 'pass' && verdict.verified) {
          const { name, honest, about } = patch;
          await onPassed({ name, honest, about, patch: diffIn(store, base, tree), evidence, verdict });
        }
        judged[index] = {
          class: patch.class,
          name: patch.name,
          honest: patch.honest,
          knownMiss: patch.knownMiss,
          outcome: outcomeOf(patch.caught, evidence, verdict),
          right:
            patch.caught === null
              ? verdict.verdict === 'pass' && verdict.verified
              : isAsExpected(patch.caught, evidence, verdict),
          verdict: verdict.verdict,
          facts: evidence.gates.find(({ name }) => name === 'tests')?.metadata ?? {},
          by: heldBy(evidence),
          kinds: kindsOf(evidence),
          seconds: Math.round((performance.now() - started) / 100) / 10,
          detail: `expected ${named(patch.caught)}; got ${verdict.verdict}: ${said(evidence)}`,
        };
        onJudged(++done, patches.length);
      }),
    );
    return judged;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Null: the task has none. */
async function hiddenIn(store: Store, files: Files): Promise<HiddenTests | null> {
  const edits = await Promise.all(
    Object.entries(files).map(async ([path, content]) => ({
      path,
      to: { id: writeBlob(store, String(content)), mode: '100644' },
    })),
  );
  return edits.length === 0 ? null : edits;
}

const said = (evidence: Evidence): string =>
  evidence.gates
    .map(({ name, outcome, findings, detail }) => {
      const rules = [...new Set(findings.map(({ rule }) => rule))].join(', ');
      return `${name} ${outcome}${rules ? ` [${rules}]` : ''}${outcome === 'passed' ? '' : ` ${detail.slice(0, 300)}`}`;
    })
    .join('; ');

/** Both sides of every patch, written into one store by one process. */
function commitAll(
  dir: string,
  patches: readonly Patched[],
): { readonly base: string; readonly tree: string }[] {
  const git = (args: readonly string[], input?: string): string =>
    execFileSync('git', args, { env: { PATH: process.env['PATH'], GIT_DIR: dir }, input, encoding: 'utf8' });
  git(
    ['fast-import', '--quiet'],
    patches
      .map(
        ({ base, patch }, index) =>
          commit(`base-${index}`, base, `mark :${index + 1}\n`, '') +
          commit(`head-${index}`, patch, '', `from :${index + 1}\n`),
      )
      .join(''),
  );
  const ids = git([
    'rev-parse',
    ...patches.flatMap((_, index) => [`refs/heads/base-${index}`, `refs/heads/head-${index}^{tree}`]),
  ])
    .trim()
    .split('\n');
  return patches.map((_, index) => ({ base: ids[index * 2] ?? '', tree: ids[index * 2 + 1] ?? '' }));
}

const commit = (branch: string, files: Patch, mark: string, from: string): string =>
  `commit refs/heads/${branch}\n${mark}committer Ada <ada@example.org> 1700000000 +0000\ndata 0\n${from}${Object.entries(
    files,
  )
    .map(([path, content]) => {
      if (content === null) return `D ${JSON.stringify(path)}\n`;
      const link = typeof content === 'object';
      const text = link ? content.link : content;
      return `M ${link ? '120000' : '100644'} inline ${JSON.stringify(path)}\ndata ${Buffer.byteLength(text)}\n${text}\n`;
    })
    .join('')}\n`;
