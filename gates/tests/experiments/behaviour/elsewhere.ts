import type { GateFinding } from '../../../core/gate-finding.ts';
import { computeTestId, type TestResult } from '../../../core/test-result.ts';
import type { CommandRun } from '../../running/command-run.ts';
import { findingOf, testFinding } from '../engine/findings.ts';

/**
 * Surroundings that say nothing about what code should do: another zone and language, another host, and no sign of a run of checks.
 * Code that behaves otherwise in them knows that it is watched, or is unstable.
 */
export const OTHER_SURROUNDINGS: Readonly<Record<string, string>> = {
  CI: '',
  TZ: 'Pacific/Chatham',
  LANG: 'C.UTF-8',
  LC_ALL: 'C.UTF-8',
  HOSTNAME: 'build-7',
  HOST: 'build-7',
  USER: 'someone',
  LOGNAME: 'someone',
  TERM: 'xterm-256color',
};

const passed = (tests: readonly TestResult[] | null): Set<string> =>
  new Set((tests ?? []).flatMap((test) => (test.outcome === 'passed' ? [computeTestId(test)] : [])));

/** Tests that pass as usual and not in other surroundings, where the base passes in both. */
export function toldElsewhere(
  usual: CommandRun,
  other: CommandRun,
  baseOther: CommandRun | null,
): GateFinding[] {
  if (usual.outcome !== 'passed' || other.outcome === 'passed') return [];
  const onBase = passed(baseOther?.cases ?? null);
  const now = passed(other.cases);
  const before = passed(usual.cases);
  const differing = (other.cases ?? []).filter(
    (test) => test.outcome === 'failed' && before.has(computeTestId(test)) && !now.has(computeTestId(test)),
  );
  // The base has them too: it is the project that depends on its surroundings.
  const own =
    baseOther?.cases == null ? differing : differing.filter((test) => onBase.has(computeTestId(test)));
  const isBase = other.cases === null && baseOther !== null && baseOther.outcome !== 'passed';
  if (other.cases === null && !isBase && other.outcome === 'failed')
    return [findingOf({ file: null, severity: 'unclear', cause: CAUSE })];
  return own.map((test) => testFinding(test, CAUSE, 'unclear'));
}

const CAUSE = { rule: 'run_depends_on_surroundings' } as const;
