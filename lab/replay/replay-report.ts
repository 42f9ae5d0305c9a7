import type { ReplayedCommit } from './replay-commits.ts';

/** How often one rule, or a gate without one, held a commit. */
export interface RuleCount {
  readonly rule: string;
  readonly commits: number;
  /** One place, to be looked at. */
  readonly example: string;
}

/** How far the tests of a commit notice changes of the lines that it adds. */
export interface CommitMutants {
  readonly id: string;
  readonly verdict: ReplayedCommit['verdict'];
  readonly possible: number;
  readonly tried: number;
  readonly survived: number;
}

export interface ReplayReport {
  readonly commits: number;
  readonly pass: number;
  readonly fail: number;
  readonly refer: number;
  readonly error: number;
  /** Commits that change files which steer checks. They are allowed: a task would name them. */
  readonly steering: number;
  /** Held by rules that read code, and by nothing that ran. */
  readonly read_only: number;
  readonly by_rule: readonly RuleCount[];
  /** How many commits each further run had something to work on: what was never asked has held nothing either. */
  readonly looked_at: Readonly<Record<string, number>>;
  readonly held: readonly ReplayedCommit[];
  /** Of each commit with mutants that ran, so that the share above which work is held can be chosen by what real commits leave. */
  readonly mutants: readonly CommitMutants[];
}

/** What the tests gate counts, by the further run that it stands for. */
const FURTHER = [
  'tests_compared',
  'changed_test_files',
  'transplanted_cases',
  'hunks_reverted',
  'perturbed_environment',
  'mutants_tried',
  'compared_mutants_tried',
  'return_value_runs',
  'calls_compared',
  'experiment_runs',
] as const;

const place = (each: ReplayedCommit, file: string | null, line: number | null, message: string): string =>
  `${each.id.slice(0, 12)} ${file ?? ''}${line === null ? '' : `:${line}`} ${message.slice(0, 160)}`;

/** Counts what held real commits. */
export function summarizeReplay(all: readonly ReplayedCommit[]): ReplayReport {
  const held = all.filter(({ verdict }) => verdict !== 'pass');
  const rules = new Map<string, { commits: number; example: string }>();
  for (const each of held) {
    const once = new Map<string, string>();
    for (const { gate, outcome, findings, detail } of each.holding)
      if (findings.length === 0)
        once.set(`${gate}: ${outcome}`, place(each, null, null, detail.replaceAll('\n', ' ')));
      else
        for (const { rule, file, line, message } of findings)
          if (!once.has(`${gate}: ${rule}`)) once.set(`${gate}: ${rule}`, place(each, file, line, message));
    if (each.holding.length === 0)
      once.set(
        each.error === null ? 'files that steer checks' : 'error',
        place(each, each.steering.join(', '), null, each.error ?? ''),
      );
    for (const [rule, example] of once)
      rules.set(rule, {
        commits: (rules.get(rule)?.commits ?? 0) + 1,
        example: rules.get(rule)?.example ?? example,
      });
  }
  const count = (verdict: ReplayedCommit['verdict']): number =>
    all.filter((each) => each.verdict === verdict).length;
  return {
    commits: all.length,
    pass: count('pass'),
    fail: count('fail'),
    refer: count('refer'),
    error: count('error'),
    steering: all.filter(({ steering }) => steering.length > 0).length,
    read_only: held.filter(({ holding }) => holding.length > 0 && holding.every(({ by }) => by === 'read'))
      .length,
    by_rule: [...rules]
      .map(([rule, each]) => ({ rule, ...each }))
      .sort((a, b) => b.commits - a.commits || (a.rule < b.rule ? -1 : 1)),
    looked_at: Object.fromEntries(
      FURTHER.map((fact) => [fact, all.filter(({ facts }) => isMore(facts[fact])).length]),
    ),
    held,
    mutants: all.flatMap(({ id, verdict, facts }) => {
      const { mutants_possible: possible, mutants_tried: tried, mutants_survived: survived } = facts;
      return typeof tried === 'number' && tried > 0
        ? [{ id, verdict, possible: Number(possible), tried, survived: Number(survived) }]
        : [];
    }),
  };
}

/** Counts above none, and words that say more than that nothing was there. */
const isMore = (fact: unknown): boolean =>
  typeof fact === 'number' ? fact > 0 : typeof fact === 'string' && /^([1-9]|by name)/.test(fact);

const share = (part: number, of: number): string =>
  of === 0 ? '-' : `${part} of ${of} (${((100 * part) / of).toFixed(1)} %)`;

/** The report for people. */
export function renderReplayTable(report: ReplayReport): string {
  const { commits } = report;
  return [
    `pass                         ${share(report.pass, commits)}`,
    `fail                         ${share(report.fail, commits)}`,
    `refer                        ${share(report.refer, commits)}`,
    ...(report.error > 0 ? [`no verdict                   ${share(report.error, commits)}`] : []),
    `held by reading only         ${share(report.read_only, commits)}`,
    `change files that steer      ${share(report.steering, commits)}`,
    '',
    'commits  looked at by',
    ...Object.entries(report.looked_at).map(([fact, count]) => `${String(count).padStart(7)}  ${fact}`),
    ...(report.by_rule.length > 0 ? ['', 'commits  rule'] : []),
    ...report.by_rule.map(
      ({ rule, commits: count, example }) => `${String(count).padStart(7)}  ${rule}\n         ${example}`,
    ),
  ].join('\n');
}
