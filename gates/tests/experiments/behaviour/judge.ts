import type { GateContext, GateResult } from '../../../core/gate.ts';
import { buildGateResult, type GateFinding } from '../../../core/gate-finding.ts';
import type { HiddenTestsResult } from '../../../core/hidden-tests-result.ts';
import type { Language } from '../../../core/language.ts';
import type { GetBaselineResult } from '../../comparing/baseline-lookup.ts';
import { selectHiddenTestsFor } from '../../comparing/hidden-tests-evidence.ts';
import type { CommandRun } from '../../running/command-run.ts';
import { furtherRuns } from './further.ts';
import { hiddenResult } from './hidden.ts';
import { withHidden } from './old-tests.ts';
import { type Again, NOTHING, onceEach, type TestsForeseen } from './terms.ts';
import { factsOf, toldByRuns } from './told.ts';

export interface BehaviourOf {
  /** What the run of the patch with its own tests came to. */
  readonly result: GateResult;
  readonly run: CommandRun;
  /** Null: a patch that changes nothing. */
  readonly base: GetBaselineResult | null;
  readonly again: Again;
  /** Whose tests the tool runs; absent or null: the command is the project's own. */
  readonly language?: Language | null;
}

/** What a task foresees of tests; null: it says nothing of what it foresees. */
const testsForeseen = (expects: readonly string[] | null | undefined): TestsForeseen =>
  expects == null || expects.length === 0
    ? null
    : new Set((['tests_change', 'expectations_change'] as const).filter((each) => expects.includes(each)));

/** Null: there are none that this run could tell of. */
async function askHidden(
  { subject, hiddenTests: all = null }: Pick<GateContext, 'subject' | 'hiddenTests'>,
  again: BehaviourOf['again'],
  language: Language | null,
): Promise<HiddenTestsResult | null> {
  const hidden = selectHiddenTestsFor(all, language);
  return hidden && hiddenResult(await again(await withHidden(subject, hidden)), language);
}

/** Time for a run on another tree, besides ten times what the patch with its own tests took, in milliseconds. */
const MOST_MS = 60_000;

/** Lets what ran on both sides decide over a patch whose own tests pass. */
export async function withBehaviour(
  context: Pick<GateContext, 'subject' | 'task' | 'hiddenTests' | 'experimentSettings'>,
  { result, run, base, again: runOn, language = null }: BehaviourOf,
): Promise<GateResult> {
  if (result.outcome !== 'passed') return result;
  let runs = 0;
  const counted: Again = (tree, options) => {
    runs++;
    return runOn(tree, options);
  };
  const again = onceEach(counted, MOST_MS + 10 * run.processResult.durationMs);
  const kept = await askHidden(context, runOn, language);
  const hidden = kept ? { hiddenTestsResults: [kept] } : {};
  if (base === null) return { ...result, ...hidden };
  const { subject, task = null, experimentSettings = null } = context;
  const weakened = async (): Promise<readonly GateFinding[]> => {
    const [{ createPatchView, runRules }, { WEAKENED_TEST_RULES }] = await Promise.all([
      import('../../../rules/framework/run-rules.ts'),
      import('../../../rules/changed-tests/rules.ts'),
    ]);
    return runRules(WEAKENED_TEST_RULES, await createPatchView(subject, []));
  };
  const told = await toldByRuns({
    subject,
    run,
    base,
    foreseen: testsForeseen(task?.expects),
    again,
    weakened,
    mutants: experimentSettings?.mutants ?? null,
  });
  // What is held already needs no more doubts.
  const isHeld =
    kept?.outcome === 'failed' ||
    told.seen.some(({ severity }) => severity === 'fails' || severity === 'unclear');
  const { difference } = told;
  const more =
    isHeld || experimentSettings === null
      ? NOTHING
      : await furtherRuns({ subject, run, again, behaviour: experimentSettings, difference });
  const judged = buildGateResult([...told.seen, ...more.seen], result.detail);
  return {
    ...result,
    outcome: judged.outcome,
    detail: judged.detail,
    findings: [...judged.findings, ...result.findings],
    metadata: {
      ...result.metadata,
      ...countsOf(judged, result),
      ...factsOf(told),
      ...more.facts,
      further_runs: runs,
    },
    ...hidden,
  };
}

/** Counts of both; what passed has nothing that is new or unclear. */
function countsOf(judged: GateResult, { metadata: before = {} }: GateResult): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [key, value] of Object.entries(judged.metadata ?? {}))
    if (typeof value === 'number') counts[key] = value + Number(before[key] ?? 0);
  return counts;
}
