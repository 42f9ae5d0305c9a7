import { join } from 'node:path';
import {
  CHECK_STATES,
  type CheckedCommit,
  type CheckState,
  checkListedRepository,
} from '../replay/replay-list.ts';
import { readRepositoryList } from '../replay/repository-list.ts';
import type { ResultSection } from './result-page.ts';
import { median } from './statistics.ts';

/** Repositories of `lab/repositories.yaml` whose suites run without services. */
const NAMES = [
  'pallets/click',
  'pallets/itsdangerous',
  'tkem/cachetools',
  'python-humanize/humanize',
  'pallets/markupsafe',
  'spf13/pflag',
  'google/uuid',
  'sindresorhus/p-limit',
  'lukeed/clsx',
  'unjs/ufo',
];

/** Folder with `owner+name/repo`, git folders that are taken instead of GitHub. */
const MIRROR = process.env['ASSAY_BENCH_MIRROR'] ?? null;
/** Texts, separated by commas, of which a repository's name contains one; empty: all are measured. */
const ONLY = (process.env['ASSAY_BENCH_REPOSITORIES'] ?? '').split(',');

interface RepositoryCost {
  readonly name: string;
  /** Null: `problem` says why nothing was measured. */
  readonly suite_ms: number | null;
  readonly checks: Readonly<
    Partial<Record<CheckState, { readonly cpu_ms: number; readonly verdict: string }>>
  >;
  readonly problem: string | null;
}

export interface RepositoryChecksResult {
  readonly repositories: readonly RepositoryCost[];
}

/** Measures CPU time of `assay check` on the newest commit of public repositories, beside one run of the suite. */
export async function benchRepositoryChecks(say: (line: string) => void): Promise<RepositoryChecksResult> {
  const listed = readRepositoryList(join(import.meta.dirname, '../repositories.yaml'));
  const repositories: RepositoryCost[] = [];
  for (const repository of listed.filter(
    ({ name }) => NAMES.includes(name) && ONLY.some((text) => name.includes(text)),
  )) {
    say(repository.name);
    const checks = await checkListedRepository(repository, MIRROR);
    repositories.push(
      typeof checks === 'string'
        ? { name: repository.name, suite_ms: null, checks: {}, problem: checks }
        : toCost(repository.name, checks),
    );
  }
  return { repositories };
}

const toCost = (name: string, checks: ReadonlyMap<CheckState, CheckedCommit>): RepositoryCost => ({
  name,
  suite_ms: checks.get('another base')?.suiteCpuMs ?? null,
  checks: Object.fromEntries(
    [...checks].map(([state, { checkCpuMs, verdict }]) => [state, { cpu_ms: checkCpuMs, verdict }]),
  ),
  problem: null,
});

const seconds = (ms: number | null | undefined): string => (ms == null ? '' : (ms / 1_000).toFixed(1));

export function renderRepositoryChecksSections({ repositories }: RepositoryChecksResult): ResultSection[] {
  const ratio = ({ suite_ms, checks }: RepositoryCost, state: CheckState): number | null => {
    const cpu = checks[state]?.cpu_ms;
    return cpu === undefined || !suite_ms ? null : cpu / suite_ms;
  };
  const ratiosOf = (state: CheckState): number[] => repositories.flatMap((each) => ratio(each, state) ?? []);
  const shown = (value: number | null): string => value?.toFixed(1) ?? '';
  return [
    [
      'assay check beside one run of the suite, in CPU seconds of the whole process tree',
      [
        ['repository', 'verdict', 'suite', ...CHECK_STATES.flatMap((state) => [state, 'ratio'])],
        ...repositories.map((each) => [
          each.name,
          each.problem ?? each.checks['another base']?.verdict ?? '',
          seconds(each.suite_ms),
          ...CHECK_STATES.flatMap((state) => [
            seconds(each.checks[state]?.cpu_ms),
            shown(ratio(each, state)),
          ]),
        ]),
        [
          'median',
          '',
          '',
          ...CHECK_STATES.flatMap((state) => [
            '',
            shown(ratiosOf(state).length ? median(ratiosOf(state)) : null),
          ]),
        ],
      ],
    ],
  ];
}
