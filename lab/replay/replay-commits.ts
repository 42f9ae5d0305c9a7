import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gatherEvidence } from '../../gates/pipeline/gather-evidence.ts';
import type { CheckFinding, Evidence, GateEvidence, Verdict } from '../../shared/contract/evidence/schema.ts';
import { deriveVerdictFromEvidence } from '../../shared/control/verdict/reduce-to-verdict.ts';
import { mapConcurrently } from '../../shared/lib/map-concurrently.ts';
import { createGitStore } from '../../workspace/git/git-store.ts';
import { getTreeId, type HistoryCommit } from './history-commits.ts';

/** A gate that holds a commit, with the places that made it. */
export interface BlockingGate {
  readonly gate: string;
  readonly outcome: string;
  /** `run`: something was executed and said so. `read`: a rule that reads code. */
  readonly by: 'run' | 'read';
  readonly findings: readonly Pick<CheckFinding, 'rule' | 'file' | 'line' | 'message'>[];
  readonly detail: string;
}

export interface ReplayedCommit extends HistoryCommit {
  readonly verdict: Verdict['verdict'] | 'error';
  readonly holding: readonly BlockingGate[];
  /** Files of the patch that steer checks: a task would name them, so they are allowed here. */
  readonly steering: readonly string[];
  /** What the tests gate says of how far it went. */
  readonly facts: GateEvidence['facts'];
  /** Why there is no verdict. */
  readonly error: string | null;
  readonly duration_ms: number;
}

export interface ReplayOptions {
  /** Git folder of a repository. It is only read. */
  readonly dir: string;
  readonly commits: readonly HistoryCommit[];
  /** Text of the `assay.yaml` that every base is judged with. */
  readonly config: string;
  readonly parallel: number;
  readonly onDone: (done: number, of: number) => void;
}

/** Judges each commit against its parent, as the gates box does with a patch. */
export async function replayCommits({
  dir,
  commits,
  config,
  parallel,
  onDone,
}: ReplayOptions): Promise<ReplayedCommit[]> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-replay-'));
  let done = 0;
  try {
    const store = await createGitStore(join(folder, 'store.git'), 'sha1', [join(dir, 'objects')]);
    return await mapConcurrently(parallel, commits, async (commit, index): Promise<ReplayedCommit> => {
      const workDir = join(folder, `work-${index}`);
      mkdirSync(workDir);
      const started = performance.now();
      const took = () => Math.round(performance.now() - started);
      try {
        const evidence = await gatherEvidence({
          store,
          base: commit.parent,
          tree: getTreeId(dir, commit.id),
          signals: [],
          workDir,
          configOverride: { file: 'replay.yaml', text: config },
          task: { id: commit.id.slice(0, 12), title: commit.subject, description: '', writer: null },
          maxParallel: 1,
        });
        return { ...commit, ...judged(evidence), error: null, duration_ms: took() };
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        return {
          ...commit,
          verdict: 'error',
          holding: [],
          steering: [],
          facts: {},
          error: why,
          duration_ms: took(),
        };
      } finally {
        rmSync(workDir, { recursive: true, force: true });
        onDone(++done, commits.length);
      }
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const judged = (evidence: Evidence): Pick<ReplayedCommit, 'verdict' | 'holding' | 'steering' | 'facts'> => ({
  verdict: deriveVerdictFromEvidence(evidence).verdict,
  holding: evidence.gates
    .filter(({ required, blocked, outcome }) => (required || blocked) && !FINE.includes(outcome))
    .map(holdingOf),
  facts: evidence.gates.find(({ name }) => name === 'tests')?.facts ?? {},
  steering: evidence.protected_files.map(({ path }) => path),
});

const FINE: readonly string[] = ['passed', 'skipped', 'bypassed'];

/** Only what decided: findings come in the order of their weight, and their counts stand beside them. */
function holdingOf({ name, outcome, kind, findings, detail, facts }: GateEvidence): BlockingGate {
  const count = (key: string): number => Number(facts[key] ?? 0);
  const grave = count('findings_error') || count('findings_warning');
  const deciding = findings.slice(0, grave);
  return {
    gate: name,
    outcome,
    by: kind === 'executed' ? 'run' : 'read',
    findings: deciding.map(({ rule, file, line, message }) => ({ rule, file, line, message })),
    detail: detail.slice(0, 500),
  };
}
