import { HIDDEN_TESTS } from '../../../shared/contract/evidence/names.ts';
import type { GateEvidence } from '../../../shared/contract/evidence/schema.ts';
import type { HiddenResult, HiddenTests } from '../../core/hidden-result.ts';
import type { Language } from '../../core/language.ts';
import { languageOfPath } from '../../languages/languages.ts';

/** The hidden tests that a tool of this language runs; null: there is nothing for it to do. */
export function hiddenFor(hidden: HiddenTests | null, language: Language | null): HiddenTests | null {
  if (hidden === null || language === null) return hidden;
  const own = hidden.filter(({ path }) => [language, null].includes(languageOfPath(path)));
  return own.some(({ path }) => languageOfPath(path) === language) ? own : null;
}

/** What counts most comes first. */
const GRAVEST = ['failed', 'inert', 'passed'] as const;

export interface HiddenOptions {
  /** Absent or null: the task has none. */
  readonly hidden: HiddenTests | null;
  /** Of every gate that runs tests. */
  readonly results: readonly HiddenResult[];
  readonly gates: readonly GateEvidence[];
}

/**
 * The evidence of hidden tests. It stands beside the gates: whether the repository requires its tests says nothing of what the
 * requester asks. Null: there are none, or the work is no good already.
 */
export function hiddenEvidence({ hidden, results, gates }: HiddenOptions): GateEvidence | null {
  if (hidden === null) return null;
  const left = hidden
    .flatMap(({ path }) => languageOfPath(path) ?? [])
    .find((language) => !isRun(language, results));
  const outcome = GRAVEST.find((each) => results.some((result) => result.outcome === each));
  const held = outcome === 'passed' && left !== undefined;
  if (outcome === undefined && gates.some(isRefused)) return null;
  const sum = (key: 'ran' | 'failed'): number | null =>
    results.reduce<number | null>(
      (all, { [key]: one }) => (all === null || one === null ? null : all + one),
      0,
    );
  return {
    name: HIDDEN_TESTS,
    outcome: held ? 'inert' : (outcome ?? 'inert'),
    kind: 'executed_by_us',
    required: true,
    blocked: outcome === 'failed',
    cached: false,
    findings: [],
    detail: held
      ? `hidden tests: nothing here runs those in ${left}`
      : outcome === undefined
        ? 'hidden tests: nothing ran them; they run with a gate that runs tests, once those of the patch pass'
        : results
            .filter((result) => result.outcome === outcome)
            .map(({ detail }) => detail)
            .join('; '),
    duration_ms: 0,
    metadata: { tests_run: sum('ran'), tests_failed: sum('failed') },
  };
}

const isRun = (language: Language, results: readonly HiddenResult[]): boolean =>
  results.some((result) => result.language === null || result.language === language);

const isRefused = ({ outcome, required, blocked }: GateEvidence): boolean =>
  outcome === 'failed' && (required || blocked);
