import {
  BECAUSE_CHARACTERS,
  MISSING_CHARACTERS,
  MISSING_NAMED,
  type VerificationGate,
} from '../../shared/contract/run-record/verification-gate-record.ts';
import { CONFIG_FILE } from '../../shared/contract/submission/image.ts';
import {
  type Checked,
  check,
  NO_NUDGES,
  type Ran,
  type Seen,
} from '../../shared/control/verification-gate/check.ts';
import {
  asksForAnything,
  requiredTests,
  type VerificationCriteria,
} from '../../shared/control/verification-gate/criteria.ts';
import { nudgeText } from '../../shared/control/verification-gate/nudge.ts';
import { firstOf } from '../../shared/lib/cut.ts';
import { CheckoutError } from '../../workspace/git/error.ts';
import type { Snapshot } from '../../workspace/git/patch.ts';
import { commandEnvironment } from '../../workspace/process/environment.ts';
import { outcomeOf } from '../../workspace/process/outcome.ts';
import { run } from '../../workspace/process/run.ts';
import type { Box } from '../../workspace/supervisor/box.ts';
import type { Failure } from './adapters/reading.ts';
import { passedOn } from './environment.ts';
import { passes } from './failure.ts';
import type { Prepared } from './places.ts';
import type { Session } from './session.ts';

/**
 * What the base asks of an agent before it is let go, by the text of its `assay.yaml`; null: nothing. What is wrong with the rest of the file, the gates box says.
 * @throws CheckoutError `config_invalid`, before anything is spent.
 */
export async function criteriaOf(
  text: string | null,
  ofTask: readonly string[],
): Promise<VerificationCriteria | null> {
  // The parser is loaded only where there is something to parse: most of a box's time is its start.
  if (!text?.includes('verification_gate')) return null;
  const { describeProblem, parseYaml } = await import('../../shared/lib/yaml.ts');
  const { WithVerificationGate } = await import('../../shared/control/verification-gate/section.ts');
  const parsed = parseYaml(text, CONFIG_FILE, WithVerificationGate);
  if (!('value' in parsed))
    throw new CheckoutError('config_invalid', parsed.problems.map(describeProblem).join('; '));
  const criteria = parsed.value.verification_gate;
  return criteria && asksForAnything(criteria, ofTask) ? criteria : null;
}

/** What an agent has left when it said that it was done. */
export interface HandIn {
  readonly session: Session;
  readonly work: Snapshot;
  /** How it was let go; absent: nothing is asked of it before. */
  readonly gate?: VerificationGate;
}

/** How a run has ended: with work, or with a failure. */
export type Round = HandIn | { readonly session: Session; readonly failure: Failure };

export interface Holding {
  readonly criteria: VerificationCriteria;
  readonly look: (work: Snapshot) => Promise<Seen>;
  /** Another run of the agent, which is told something. */
  readonly again: (message: string, before: Session) => Promise<Round>;
  /** Milliseconds that are left of the agent's time. */
  readonly timeLeft: () => number;
  readonly abort: AbortSignal;
}

const WHY = {
  satisfied: 'all that the base asks for was there, as seen in the box of the agent',
  forced: 'the agent was told as often as it may be, and something is still missing',
  inert: 'something that the base asks for could not be looked at in the box of the agent',
} as const;

const recordOf = ({ decision, missing, unclear, nudges }: Checked, because: string): VerificationGate => ({
  state: decision === 'nudge' ? 'forced' : decision,
  because: firstOf(because, BECAUSE_CHARACTERS),
  nudges,
  missing: [...missing.map(({ what }) => firstOf(what, MISSING_CHARACTERS)), ...unclear].slice(
    0,
    MISSING_NAMED,
  ),
});

/** What passes by itself is waited for, and who says that it is blocked is believed; nothing else undoes what was handed in before. */
const isBelieved = ({ session, failure }: Pick<HandIn, 'session'> & { readonly failure: Failure }): boolean =>
  failure.class === 'agent_blocked' || failure.class === 'config_invalid' || passes(session, failure);

/** Less than this in milliseconds is no time in which a model can do anything. */
export const LEAST_MS = 5_000;

/**
 * Holds an agent back that wants to stop too early: it is told what is missing and runs again, as often as the base allows. What is
 * handed in is what was looked at; a further run that fails takes nothing away from what was there before.
 */
export async function letGo(first: HandIn, holding: Holding): Promise<Round> {
  const { criteria, look, again, timeLeft, abort } = holding;
  let held = first;
  let nudges = NO_NUDGES;
  for (;;) {
    const seen = await look(held.work);
    if (abort.aborted) return held;
    const checked = check(criteria, seen, nudges);
    const forced = (because: string) => ({
      ...held,
      gate: recordOf({ ...checked, nudges, decision: 'forced' }, because),
    });
    if (checked.decision !== 'nudge') return { ...held, gate: recordOf(checked, WHY[checked.decision]) };
    if (timeLeft() < LEAST_MS) return forced('no time was left to tell the agent what is missing');
    nudges = checked.nudges;
    const next = await again(nudgeText(checked.missing), held.session);
    if (abort.aborted) return next;
    if ('work' in next) held = next;
    else if (isBelieved(next)) return next;
    else {
      held = { session: next.session, work: held.work };
      return forced(`the agent was told what is missing, and its run ended: ${next.failure.reason}`);
    }
  }
}

/** Looks at the checkout as the agent has left it, as that agent's user, once nothing of it runs any more. */
export async function lookAt(
  { patch }: Snapshot,
  criteria: VerificationCriteria,
  ofTask: readonly string[],
  { places }: Prepared,
  box: Box,
  abort: AbortSignal,
): Promise<Seen> {
  const ran = async (command: string): Promise<Ran> => {
    const result = await run(
      { line: command },
      {
        cwd: places.checkout,
        env: commandEnvironment({ home: places.home, tmp: places.tmp, pass: passedOn() }),
        timeoutMs: criteria.timeout_s * 1_000,
        runAs: box.users?.[0] ?? null,
        territory: places.territory,
        abort,
      },
    );
    if (result.end === 'uncontained')
      throw new Error(`what a check of the agent's work left behind cannot be ended: ${result.startError}`);
    return { command, ...outcomeOf(result) };
  };
  const tests: Ran[] = [];
  for (const command of requiredTests(criteria, ofTask)) tests.push(await ran(command));
  const { require_compilation: compile } = criteria;
  return {
    changed: patch.length > 0,
    tests,
    compilation: compile === undefined ? null : await ran(compile),
  };
}
