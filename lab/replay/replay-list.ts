import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import { type HistoryCommit, listHistoryCommits } from './history-commits.ts';
import type { ListedRepository } from './repository-list.ts';

/** The command line of this checkout, or another one such as that of the built package. */
const CLI = resolve(process.env['ASSAY_REPLAY_CLI'] ?? join(import.meta.dirname, '../../cli/assay.js'));

/** What `assay check --json` says, as far as it is counted. */
const Checked = z.object({
  verdict: z.enum(['pass', 'fail', 'refer']),
  reasons: z.array(z.string()),
  gates: z.array(
    z.object({ name: z.string(), outcome: z.string(), facts: z.record(z.string(), z.unknown()) }),
  ),
});

/** One honest commit, checked against its parent with what `assay init` proposed. */
export interface CheckedCommit extends Pick<HistoryCommit, 'id' | 'subject'> {
  readonly verdict: 'pass' | 'fail' | 'refer' | 'error';
  /** Why it did not pass; empty where it did. */
  readonly cause: string;
  /** CPU time of the whole check, and of one run of the suite, in milliseconds. */
  readonly checkCpuMs: number;
  readonly suiteCpuMs: number | null;
}

export interface RepositoryReplay {
  readonly name: string;
  readonly language: ListedRepository['language'];
  readonly half: ListedRepository['half'];
  /** `init` proposed gates without editing, and tests are among them. */
  readonly isUsable: boolean;
  /** What `init` proposed, or why it could not. */
  readonly init: string;
  readonly commits: readonly CheckedCommit[];
}

interface ProcessOutput {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Of the process and all that it started, in milliseconds. */
  readonly cpuMs: number;
}

/** Runs the command line of this checkout. Bash tells the CPU time of everything that it waited for. */
function runAssay(args: readonly string[]): Promise<ProcessOutput> {
  return new Promise((done) => {
    const child = spawn(
      'bash',
      ['-c', `TIMEFORMAT='assay-cpu %U %S'; time "$@"`, 'replay', process.execPath, CLI, ...args],
      { env: { ...process.env, NO_COLOR: '1' }, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (text) => {
      stdout += text;
    });
    child.stderr.on('data', (text) => {
      stderr += text;
    });
    child.on('close', (code) => {
      const [, user = 0, system = 0] = (/assay-cpu ([\d.]+) ([\d.]+)\s*$/.exec(stderr) ?? []).map(Number);
      done({ code, stdout, stderr, cpuMs: (user + system) * 1_000 });
    });
  });
}

function git(args: readonly string[]): void {
  const { status, stderr } = spawnSync('git', ['-c', 'safe.directory=*', ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args[0]}: ${stderr.trim().slice(0, 300)}`);
}

export interface ReplayListOptions {
  /** Commits of each repository. */
  readonly commits: number;
  /** Folder with `owner+name/repo`, git folders that are taken instead of GitHub; null: everything is cloned. */
  readonly mirror: string | null;
}

/** A clone in which `assay init` has proposed a configuration. */
interface ProposedRepository {
  readonly repository: string;
  /** The configuration, outside of the clone. */
  readonly config: string;
  readonly runsTests: boolean;
  /** Newest first. */
  readonly commits: readonly HistoryCommit[];
}

/** Clones a repository and runs `init --write` on the parent of the oldest commit, as a new user would. @returns why that failed, as text */
async function withProposedConfig<Value>(
  name: string,
  { commits: most, mirror }: ReplayListOptions,
  work: (proposed: ProposedRepository) => Promise<Value>,
): Promise<Value | string> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-replay-'));
  const repository = join(folder, 'repository');
  const config = join(folder, 'assay.yaml');
  try {
    const local = mirror === null ? null : join(mirror, name.replace('/', '+'), 'repo');
    const source = local !== null && existsSync(local) ? local : `https://github.com/${name}`;
    git(['clone', '--quiet', source, repository]);
    const commits = listHistoryCommits(join(repository, '.git'), most);
    const oldest = commits.at(-1);
    if (oldest === undefined) return 'no commit with one parent that changes more than prose';
    checkOut(repository, oldest.parent);
    // A configuration of the repository's own would answer for `init`.
    rmSync(join(repository, 'assay.yaml'), { force: true });
    const proposed = await runAssay(['init', '--repo', repository, '--write']);
    if (proposed.code !== 0) return `init failed: ${lastLine(proposed.stderr)}`;
    copyFileSync(join(repository, 'assay.yaml'), config);
    rmSync(join(repository, 'assay.yaml'));
    const runsTests = /^ {2}(?:tests: true|test_command:)/m.test(readFileSync(config, 'utf8'));
    return await work({ repository, config, runsTests, commits });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function checkOut(repository: string, commit: string): void {
  git(['-C', repository, 'checkout', '--quiet', '--force', '--detach', commit]);
  git(['-C', repository, 'clean', '--quiet', '--force', '-d', '-x']);
}

const checkCommit = async (
  { repository, config }: ProposedRepository,
  commit: HistoryCommit,
): Promise<CheckedCommit> =>
  toCheckedCommit(
    commit,
    await runAssay(['check', '--repo', repository, '--base', commit.parent, '--config', config, '--json']),
  );

/** Tries a repository as a new user would: `init --write`, then `check` of each commit. */
export async function replayListedRepository(
  { name, language, half }: ListedRepository,
  options: ReplayListOptions,
): Promise<RepositoryReplay> {
  const replayed = await withProposedConfig(name, options, async (proposed) => {
    const commits: CheckedCommit[] = [];
    for (const commit of proposed.commits) {
      checkOut(proposed.repository, commit.id);
      commits.push(await checkCommit(proposed, commit));
    }
    return { isUsable: proposed.runsTests, init: proposed.runsTests ? 'tests run' : 'no tests', commits };
  });
  const result = typeof replayed === 'string' ? { isUsable: false, init: replayed, commits: [] } : replayed;
  return { name, language, half, ...result };
}

/** What is known when a check begins. `another base`: environment and facts of code; `same base`: also the results of the base. */
export const CHECK_STATES = ['another base', 'same base', 'nothing changed'] as const;
export type CheckState = (typeof CHECK_STATES)[number];

/** Checks the newest commit of a repository in each state. @returns why that was not possible, as text */
export const checkListedRepository = (
  { name }: ListedRepository,
  mirror: string | null,
): Promise<ReadonlyMap<CheckState, CheckedCommit> | string> =>
  withProposedConfig(name, { commits: 1, mirror }, async (proposed) => {
    const [commit] = proposed.commits;
    if (commit === undefined || !proposed.runsTests) return 'init enabled no tests';
    checkOut(proposed.repository, commit.id);
    const cache = join(proposed.repository, '.git', 'assay-cache');
    const forget = (kinds: readonly string[]): void => {
      for (const file of existsSync(cache) ? readdirSync(cache) : [])
        if (kinds.some((kind) => file.startsWith(`${kind}-`))) rmSync(join(cache, file));
    };
    await checkCommit(proposed, commit);
    forget(['results', 'baselines']);
    const anotherBase = await checkCommit(proposed, commit);
    forget(['results']);
    const sameBase = await checkCommit(proposed, commit);
    return new Map<CheckState, CheckedCommit>([
      ['another base', anotherBase],
      ['same base', sameBase],
      ['nothing changed', await checkCommit(proposed, commit)],
    ]);
  });

const lastLine = (text: string): string =>
  (
    text
      .trim()
      .split('\n')
      .findLast((line) => !line.startsWith('assay-cpu')) ?? ''
  ).slice(0, 300);

function toCheckedCommit({ id, subject }: HistoryCommit, ran: ProcessOutput): CheckedCommit {
  const known = { id, subject, checkCpuMs: ran.cpuMs };
  const json = (() => {
    try {
      return Checked.parse(JSON.parse(ran.stdout));
    } catch {
      return null;
    }
  })();
  if (json === null)
    return { ...known, verdict: 'error', cause: lastLine(ran.stderr || ran.stdout), suiteCpuMs: null };
  const suite = json.gates.find(({ name }) => name === 'tests')?.facts['suite_cpu_ms'];
  return {
    ...known,
    verdict: json.verdict,
    cause: json.verdict === 'pass' ? '' : json.reasons.join('; ').slice(0, 300),
    suiteCpuMs: typeof suite === 'number' ? suite : null,
  };
}

/** CPU time of the check of each commit as a multiple of one run of its suite; sorted. */
const costRatios = (commits: readonly CheckedCommit[]): number[] =>
  commits
    .flatMap(({ checkCpuMs, suiteCpuMs }) => (suiteCpuMs ? [checkCpuMs / suiteCpuMs] : []))
    .toSorted((a, b) => a - b);

const median = (sorted: readonly number[]): number | null => sorted[Math.floor(sorted.length / 2)] ?? null;

/** The figures as Markdown. Causes are shown only for repositories that may be looked at. */
export function renderRepositoryReplays(all: readonly RepositoryReplay[]): string {
  const count = (commits: readonly CheckedCommit[], verdict: CheckedCommit['verdict']): number =>
    commits.filter((each) => each.verdict === verdict).length;
  const commits = all.flatMap((each) => each.commits);
  const ratios = all.flatMap((each) => median(costRatios(each.commits)) ?? []).toSorted((a, b) => a - b);
  const times = (value: number | null): string => (value === null ? '-' : value.toFixed(1));
  const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
  return [
    '| Repository | Language | Half | Usable without editing | Pass | Needs review | Fail | No verdict | Cost ÷ suite |',
    '|---|---|---|---|---:|---:|---:|---:|---:|',
    ...all.map(
      (each) =>
        `| ${each.name} | ${each.language} | ${each.half} | ${each.isUsable ? 'yes' : cell(`no: ${each.init}`)} | ${(['pass', 'refer', 'fail', 'error'] as const).map((verdict) => count(each.commits, verdict)).join(' | ')} | ${times(median(costRatios(each.commits)))} |`,
    ),
    '',
    `Usable without editing: ${all.filter(({ isUsable }) => isUsable).length} of ${all.length}. Of ${commits.length} honest commits ${count(commits, 'pass')} pass, ${count(commits, 'refer')} need review, ${count(commits, 'fail')} fail, ${count(commits, 'error')} have no verdict. Median cost: ${times(median(ratios))} times the suite.`,
    '',
    '| Commit | Verdict | Cause |',
    '|---|---|---|',
    ...all
      .filter(({ half }) => half === 'look')
      .flatMap(({ name, commits: own }) =>
        own.flatMap(({ id, verdict, cause }) =>
          verdict === 'pass' ? [] : [`| ${name}@${id.slice(0, 10)} | ${verdict} | ${cell(cause)} |`],
        ),
      ),
  ].join('\n');
}
