import { spawnSync } from 'node:child_process';
import type { EvasionCase } from './case.ts';

/** Programs besides Node that a case runs. */
const PROGRAMS = ['python3'] as const;

/** The program that a case needs and that is not here; null when it can be judged. */
const missingFor = (here: ReadonlySet<string>, { config, twin }: EvasionCase): string | null =>
  PROGRAMS.find((name) => !here.has(name) && `${config}\n${twin.config ?? ''}`.includes(name)) ?? null;

/** The cases that can be judged on this machine, and what keeps the others from it. */
export function available(corpus: readonly EvasionCase[]): {
  readonly cases: readonly EvasionCase[];
  readonly missing: readonly { readonly program: string; readonly cases: number }[];
} {
  const here = new Set<string>(
    PROGRAMS.filter((name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0),
  );
  const reasons = corpus.map((each) => missingFor(here, each));
  return {
    cases: corpus.filter((_, index) => reasons[index] === null),
    missing: PROGRAMS.map((program) => ({
      program,
      cases: reasons.filter((reason) => reason === program).length,
    })).filter(({ cases }) => cases > 0),
  };
}
