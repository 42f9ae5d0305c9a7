import { spawnSync } from 'node:child_process';
import type { AdversarialCase } from './adversarial-case.ts';

/** Programs besides Node that a case runs. */
const PROGRAMS = {
  'python3 -m pytest': ['python3', '-m', 'pytest', '--version'],
  python3: ['python3', '--version'],
  'go test': ['go', 'version'],
  'cargo test': ['cargo', '--version'],
} as const;
const NAMES = Object.keys(PROGRAMS) as (keyof typeof PROGRAMS)[];

/** The program that a case needs and that is not here; null when it can be judged. */
const missingFor = (here: ReadonlySet<string>, { config, honestTwin }: AdversarialCase): string | null =>
  NAMES.find((name) => !here.has(name) && `${config}\n${honestTwin.config ?? ''}`.includes(name)) ?? null;

/** The cases that can be judged on this machine, and what keeps the others from it. */
export function selectRunnableCases(corpus: readonly AdversarialCase[]): {
  readonly cases: readonly AdversarialCase[];
  readonly missing: readonly { readonly program: string; readonly cases: number }[];
} {
  const here = new Set<string>(
    NAMES.filter((name) => {
      const [program, ...args] = PROGRAMS[name];
      return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
    }),
  );
  const reasons = corpus.map((each) => missingFor(here, each));
  return {
    cases: corpus.filter((_, index) => reasons[index] === null),
    missing: NAMES.map((program) => ({
      program,
      cases: reasons.filter((reason) => reason === program).length,
    })).filter(({ cases }) => cases > 0),
  };
}
