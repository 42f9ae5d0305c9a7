import { HIDDEN_TESTS_GATE } from '../../../shared/contract/evidence/gate-names.ts';
import type { GateEvidence } from '../../../shared/contract/evidence/schema.ts';
import type { HiddenTestFiles, HiddenTestsResult } from '../../core/hidden-tests-result.ts';
import type { Language } from '../../core/language.ts';
import { languageOfPath } from '../../languages/languages.ts';

/** The hidden tests that a tool of this language runs; null: there is nothing for it to do. */
export function selectHiddenTestsOfLanguage(
  hidden: HiddenTestFiles | null,
  language: Language | null,
): HiddenTestFiles | null {
  if (hidden === null || language === null) return hidden;
  const own = hidden.filter(({ path }) => [language, null].includes(languageOfPath(path)));
  return own.some(({ path }) => languageOfPath(path) === language) ? own : null;
}

/** What counts most comes first. */
const HIDDEN_OUTCOMES_WORST_FIRST = ['failed', 'could_not_run', 'passed'] as const;

export interface HiddenTestsEvidenceOptions {
  /** Absent or null: the task has none. */
  readonly hiddenTests: HiddenTestFiles | null;
  /** Of every gate that runs tests. */
  readonly results: readonly HiddenTestsResult[];
  readonly gates: readonly GateEvidence[];
}

/**
 * The evidence of hidden tests. It stands beside the gates: whether the repository requires its tests says nothing of what the
 * requester asks. Null: there are none, or the work is no good already.
 */
export function buildHiddenTestsEvidence({
  hiddenTests,
  results,
  gates,
}: HiddenTestsEvidenceOptions): GateEvidence | null {
  if (hiddenTests === null) return null;
  const left = hiddenTests
    .flatMap(({ path }) => languageOfPath(path) ?? [])
    .find((language) => !isRun(language, results));
  const outcome = HIDDEN_OUTCOMES_WORST_FIRST.find((each) =>
    results.some((result) => result.outcome === each),
  );
  const held = outcome === 'passed' && left !== undefined;
  if (outcome === undefined && gates.some(isRefused)) return null;
  const sum = (key: 'ran' | 'failed'): number | null =>
    results.reduce<number | null>(
      (all, { [key]: one }) => (all === null || one === null ? null : all + one),
      0,
    );
  return {
    name: HIDDEN_TESTS_GATE,
    outcome: held ? 'could_not_run' : (outcome ?? 'could_not_run'),
    kind: 'executed',
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
    facts: { tests_run: sum('ran'), tests_failed: sum('failed') },
  };
}

const isRun = (language: Language, results: readonly HiddenTestsResult[]): boolean =>
  results.some((result) => result.language === null || result.language === language);

const isRefused = ({ outcome, required, blocked }: GateEvidence): boolean =>
  outcome === 'failed' && (required || blocked);
