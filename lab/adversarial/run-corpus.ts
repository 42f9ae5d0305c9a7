import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HiddenTestFiles } from '../../gates/core/hidden-tests-result.ts';
import { gatherEvidence } from '../../gates/pipeline/gather-evidence.ts';
import { ACCEPTANCE_TESTS_GATE, COUNTEREXAMPLES_GATE } from '../../shared/contract/evidence/gate-names.ts';
import {
  type Evidence,
  type GateEvidence,
  isRestoredProtectedFile,
  type Verdict,
} from '../../shared/contract/evidence/schema.ts';
import type { Challenge, Exam } from '../../shared/contract/exam.ts';
import type { ExpectedChangeKind } from '../../shared/contract/submission/expected-changes.ts';
import { deriveVerdictFromEvidence } from '../../shared/control/verdict/reduce-to-verdict.ts';
import { mapConcurrently } from '../../shared/lib/map-concurrently.ts';
import { createGitStore, type GitStore } from '../../workspace/git/git-store.ts';
import {
  type AdversarialCase,
  type CaseFiles,
  DEFAULT_TASK,
  type ExpectedCatch,
  type PatchFiles,
} from './adversarial-case.ts';
import { classifyDetections, type DetectionKind, listBlockingRules } from './detection-kinds.ts';

/** How one patch was judged. */
export interface JudgedPatch {
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
  readonly facts: GateEvidence['facts'];
  /** Rules, or gates, that held it. */
  readonly by: readonly string[];
  readonly kinds: readonly DetectionKind[];
  /** What acceptance tests say, where the case has some. */
  readonly examiner?: {
    readonly outcome: string;
    readonly detail: string;
    /** Whether the gates hold the patch without them. */
    readonly heldByGates: boolean;
    readonly points: number;
    readonly dropped: number;
    readonly seconds: number;
    /** Outcome of re-running what a challenger handed in; absent: nothing was recorded. */
    readonly challenge?: string | undefined;
  };
  /** How long it took, with whatever ran beside it. */
  readonly seconds: number;
  /** What was expected, and what the gates said, for people. */
  readonly detail: string;
}

/** A patch that has passed all that ran. */
export interface PassedPatch {
  readonly name: string;
  readonly honest: boolean;
  readonly task: { readonly title: string; readonly description: string };
  /** As git prints it. */
  readonly patch: string;
  readonly evidence: Evidence;
  readonly verdict: Verdict;
}

interface PatchUnderTest extends Pick<JudgedPatch, 'class' | 'name' | 'honest' | 'knownMiss'> {
  readonly base: CaseFiles;
  readonly patch: PatchFiles;
  readonly expectedChanges: readonly ExpectedChangeKind[];
  readonly files: readonly string[];
  readonly hidden: CaseFiles;
  readonly exam: Exam | null;
  readonly challenge: Challenge | null;
  readonly about: PassedPatch['task'];
  /** Null: an honest patch, which must pass. */
  readonly caught: ExpectedCatch | null;
}

/** Each case, and its honest twin. */
const patchesOf = (each: AdversarialCase): PatchUnderTest[] => [
  {
    class: each.class,
    name: each.name,
    honest: false,
    knownMiss: each.known_miss ?? null,
    base: withConfig(each.base, each.config),
    patch: each.patch,
    expectedChanges: each.expectedChanges ?? [],
    files: each.files ?? [],
    hidden: each.hiddenTests ?? {},
    exam: each.exam ?? null,
    challenge: each.challenges?.wrong ?? null,
    about: each.task ?? DEFAULT_TASK,
    caught: each.expectedCatch,
  },
  {
    class: each.class,
    name: each.honestTwin.name,
    honest: true,
    knownMiss: null,
    base: withConfig(each.honestTwin.base ?? each.base, each.honestTwin.config ?? each.config),
    patch: each.honestTwin.patch,
    expectedChanges: each.honestTwin.expectedChanges ?? each.expectedChanges ?? [],
    files: each.honestTwin.files ?? each.files ?? [],
    hidden: each.hiddenTests ?? {},
    exam: each.exam ?? null,
    challenge: each.challenges?.right ?? null,
    about: each.task ?? DEFAULT_TASK,
    caught: null,
  },
];

const withConfig = (files: CaseFiles, config: string | null): CaseFiles =>
  config === null
    ? files
    : { ...files, 'assay.yaml': `version: 1\nquality_gates:\n${config.replace(/^/gm, '  ')}\n` };

const outcomeOf = (
  expected: ExpectedCatch | null,
  evidence: Evidence,
  verdict: Verdict,
): JudgedPatch['outcome'] => {
  if (verdict.verdict !== 'pass' || !verdict.verified) return 'caught';
  return expected?.how === 'noted' && isNoted(expected, evidence) ? 'noted' : 'passed';
};

const isNoted = ({ by, rule }: ExpectedCatch, { gates }: Evidence): boolean =>
  gates.some(
    ({ name, findings }) =>
      name === by && findings.some((finding) => rule === undefined || finding.rule === rule),
  );

/** Returns true if a case was caught as expected. A case expected as a finding only may also be caught. */
function isAsExpected(expected: ExpectedCatch, evidence: Evidence, verdict: Verdict): boolean {
  const outcome = outcomeOf(expected, evidence, verdict);
  const { how, by } = expected;
  if (how === 'noted') return outcome !== 'passed';
  if (how === 'unverified') return !verdict.verified;
  if (outcome !== 'caught') return false;
  if (how === 'protected')
    return evidence.protected_files.some((file) => file.path === by && isRestoredProtectedFile(file));
  return (
    how === 'held' ||
    isNoted(expected, evidence) ||
    (!expected.rule && listBlockingRules(evidence).includes(by))
  );
}

const named = (expected: ExpectedCatch | null): string =>
  expected === null ? 'pass' : [expected.how, expected.by, expected.rule].filter(Boolean).join(' ');

const diffIn = ({ dir }: GitStore, base: string, tree: string): string =>
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
  corpus: readonly AdversarialCase[],
  parallel: number = availableParallelism(),
  onJudged: (done: number, of: number) => void = () => {},
  onPassed: ((passed: PassedPatch) => Promise<void>) | null = null,
): Promise<JudgedPatch[]> {
  if (corpus.length === 0) throw new Error('the corpus is empty: nothing would be shown');
  const folder = mkdtempSync(join(tmpdir(), 'assay-adversarial-'));
  try {
    const store = await createGitStore(join(folder, 'store.git'));
    const patches = corpus.flatMap(patchesOf);
    const trees = commitAll(store.dir, patches);
    const judged: JudgedPatch[] = [];
    let done = 0;
    await mapConcurrently(parallel, patches, async (patch, index) => {
      const workDir = join(folder, `work-${index}`);
      mkdirSync(workDir);
      const started = performance.now();
      const { base, tree } = trees[index] ?? { base: '', tree: '' };
      const evidence = await gatherEvidence({
        store,
        base,
        tree,
        signals: [],
        expectedChanges: patch.expectedChanges,
        files: patch.files,
        task: {
          id: `case-${index}`,
          ...patch.about,
          ...(patch.expectedChanges.length > 0 ? { expectedChanges: patch.expectedChanges } : {}),
        },
        hiddenTests: hiddenTestsOf(patch.hidden),
        independentTests:
          patch.exam === null && patch.challenge === null
            ? null
            : { exam: patch.exam, counterexamples: patch.challenge?.counterexamples ?? [] },
        workDir,
        maxParallel: 2,
      });
      const verdict = deriveVerdictFromEvidence(evidence);
      rmSync(workDir, { recursive: true, force: true });
      if (onPassed && verdict.verdict === 'pass' && verdict.verified) {
        const { name, honest, about } = patch;
        await onPassed({ name, honest, task: about, patch: diffIn(store, base, tree), evidence, verdict });
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
        facts: evidence.gates.find(({ name }) => name === 'tests')?.facts ?? {},
        ...examinerResult(evidence),
        by: listBlockingRules(evidence),
        kinds: classifyDetections(evidence),
        seconds: Math.round((performance.now() - started) / 100) / 10,
        detail: `expected ${named(patch.caught)}; got ${verdict.verdict}: ${said(evidence)}`,
      };
      onJudged(++done, patches.length);
    });
    return judged;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Reads the entries of acceptance tests and of a challenge, and derives the verdict without them. */
function examinerResult(evidence: Evidence): Pick<JudgedPatch, 'examiner'> {
  const independent = evidence.gates.filter((each) => each.independent);
  if (independent.length === 0) return {};
  const entry = independent.find(({ name }) => name === ACCEPTANCE_TESTS_GATE);
  const challenge = independent.find(({ name }) => name === COUNTEREXAMPLES_GATE)?.outcome;
  const gatesAlone = deriveVerdictFromEvidence({
    ...evidence,
    gates: evidence.gates.filter((each) => !each.independent),
  });
  const points = entry?.independent?.points ?? [];
  return {
    examiner: {
      outcome: entry?.outcome ?? 'skipped',
      detail: entry?.detail ?? 'no exam is recorded',
      ...(challenge !== undefined && { challenge }),
      heldByGates: gatesAlone.verdict !== 'pass' || !gatesAlone.verified,
      points: points.length,
      dropped: points.filter(({ result }) => result.outcome === 'dropped').length,
      seconds: Math.round((entry?.duration_ms ?? 0) / 100) / 10,
    },
  };
}

/** Hidden tests of a case; null: it has none. */
function hiddenTestsOf(files: CaseFiles): HiddenTestFiles | null {
  const hidden = Object.entries(files).map(
    ([path, content]) => ({ path, mode: '100644', content: Buffer.from(String(content)) }) as const,
  );
  return hidden.length === 0 ? null : hidden;
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
  patches: readonly PatchUnderTest[],
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

const commit = (branch: string, files: PatchFiles, mark: string, from: string): string =>
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
