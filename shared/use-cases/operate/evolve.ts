import type { TierModels } from '../../contract/agents/tiers.ts';
import { Refusal } from '../../contract/refusal.ts';
import type { RoleMemory } from '../../control/cascade/learning/belief.ts';
import type { CascadePolicy } from '../../control/cascade/learning/policy.ts';
import { addFigures, type Figures, NO_FIGURES } from '../../control/metrics/figures.ts';
import { daysBefore } from '../../control/metrics/views.ts';
import { type Change, levelOf, rankOf, thingOf } from '../../control/tune/change.ts';
import { ideas } from '../../control/tune/derive.ts';
import { gateTest } from '../../control/tune/gate-words.ts';
import { policyInForce } from '../../control/tune/in-force.ts';
import { type OwnTask, ownTasks } from '../../control/tune/recorded.ts';
import { replay } from '../../control/tune/replay.ts';
import { type Evolution, ITSELF, type Proposal, type ProposalTest } from '../../control/tune/schema.ts';
import {
  apply,
  mayNot,
  propose,
  requireApplicable,
  requireProposal,
  restsNow,
  revert,
  type Word,
} from '../../control/tune/steps.ts';
import { trialOf } from '../../control/tune/trial.ts';
import type { BeliefStore } from '../../store/beliefs.ts';
import type { Counts } from '../../store/counts.ts';
import type { EvolutionStore } from '../../store/evolution.ts';
import type { FigureStore } from '../../store/figures.ts';

/** Days of figures that say how gates fare. */
const DAYS = 28;
/** Between two looks of the deployment by itself. */
const EVERY_MS = 86_400_000;

export interface EvolveContext {
  readonly evolution: EvolutionStore;
  readonly beliefs: Pick<BeliefStore, 'read'>;
  /** Which roles ever had a task. */
  readonly counts: { readonly counts: () => Promise<Pick<Counts, 'roles'>> };
  readonly figures: Pick<FigureStore, 'days'>;
  readonly models: TierModels;
  /** As it is configured. */
  readonly policy: CascadePolicy;
  readonly now: Date;
}

interface Seen {
  readonly tasks: readonly OwnTask[];
  readonly figures: Figures;
}

/** What the deployment knows of its own work. */
async function seen({ beliefs, counts, figures, models, now }: EvolveContext): Promise<Seen> {
  const [{ roles }, days] = await Promise.all([
    counts.counts(),
    figures.days(daysBefore(now, DAYS - 1), daysBefore(now, 0)),
  ]);
  const memories = new Map<string, RoleMemory>();
  for (const role of [...roles.keys()].sort()) memories.set(role, await beliefs.read(role));
  return {
    tasks: ownTasks(memories, models),
    figures: [...days.values()].reduce((sum, each) => addFigures(sum, each), NO_FIGURES),
  };
}

/** A change that makes no difference here is refused, rather than kept as a setting that does nothing. */
function requireMeaning(
  setting: Change,
  { policy, state }: { policy: CascadePolicy; state: Evolution },
): void {
  if (setting.kind === 'route' && policy.policy !== 'fixed')
    throw new Refusal(
      'invalid',
      `the policy ${policy.policy} chooses where tasks begin; a route changes only what \`fixed\` does`,
      [{ pointer: '/setting/kind', message: 'has no effect under the policy of this deployment' }],
    );
  if (setting.kind !== 'threshold') return;
  const needs = setting.name === 'min_observations' ? ['greedy', 'thompson'] : ['greedy'];
  if (!needs.includes(policy.policy))
    throw new Refusal(
      'invalid',
      `${setting.name} is a number of the policy ${needs.join(' or ')}; this deployment has ${policy.policy}`,
      [{ pointer: '/setting/name', message: 'has no effect under the policy of this deployment' }],
    );
  if (policyInForce(policy, state)[setting.name] === setting.value)
    throw new Refusal('invalid', `${setting.name} is ${setting.value} already`, [
      { pointer: '/setting/value', message: 'is what holds already' },
    ]);
}

/** Tests a proposal on what is known; `running`: it must be tried, or go on being tried, and why. */
function testOf(
  { id, setting, status, applied_at }: Pick<Proposal, 'id' | 'setting' | 'status' | 'applied_at'>,
  state: Evolution,
  { tasks, figures }: Seen,
  { models, policy, now }: EvolveContext,
): ProposalTest | { readonly running: string } {
  if (setting.kind === 'gate') return gateTest(setting, figures.further?.words[setting.gate], now);
  if (setting.kind === 'prompt')
    return status === 'trial' && applied_at
      ? trialOf(id, setting.role, applied_at, tasks, now)
      : { running: 'it has not been tried yet' };
  return replay(setting, thingOf(setting), { tasks, models, policy, state, now });
}

/** Proposes a change, or, where none is named, all that the deployment's records suggest. */
export async function proposeChange(
  setting: Change | undefined,
  { by, reason }: Omit<Word, 'now'>,
  context: EvolveContext,
): Promise<Evolution> {
  const { evolution, policy, models, now } = context;
  const known = setting ? null : await seen(context);
  return evolution.evolveSettings((state) => {
    if (setting) {
      requireMeaning(setting, { policy, state });
      const next = propose(state, setting, reason, { by, reason, now });
      if (next) return next;
      throw new Refusal('conflict', `this is proposed already, or in force: ${thingOf(setting)}`);
    }
    if (!known) return null;
    const found = ideas({ ...known, models, policy, state, now });
    let next: Evolution | null = null;
    for (const idea of found)
      next = propose(next ?? state, idea.setting, idea.evidence, { by, reason: idea.evidence, now }) ?? next;
    return next;
  });
}

/**
 * Applies a proposal when its test holds; begins a trial where only that can test it, and ends one that is over. @throws Refusal `conflict` with the numbers where
 * it does not hold; it is written down as refused, and nothing of it is in force.
 */
export async function applyProposal(
  id: string,
  word: Omit<Word, 'now'>,
  context: EvolveContext,
): Promise<Evolution> {
  const { evolution, policy, now } = context;
  requireApplicable(await evolution.settings(), id, policy.evolve, word.by);
  const known = await seen(context);
  let said: string | null = null;
  const next = await evolution.evolveSettings((state) => {
    const proposal = requireApplicable(state, id, policy.evolve, word.by);
    const test = testOf(proposal, state, known, context);
    if ('running' in test) {
      if (proposal.status === 'trial')
        throw new Refusal('conflict', `the trial of ${id} is not over: ${test.running}`);
      return apply(state, id, null, policy.evolve, { ...word, now });
    }
    said = test.holds ? null : `proposal ${id} is refused: ${test.why}`;
    return apply(state, id, test, policy.evolve, { ...word, now });
  });
  if (said !== null) throw new Refusal('conflict', said);
  return next;
}

export const revertProposal = (
  id: string,
  word: Omit<Word, 'now'>,
  { evolution, now }: Pick<EvolveContext, 'evolution' | 'now'>,
): Promise<Evolution> => evolution.evolveSettings((state) => revert(state, id, { ...word, now }));

export async function proposalOf(id: string, evolution: Pick<EvolutionStore, 'settings'>): Promise<Proposal> {
  return requireProposal(await evolution.settings(), id);
}

/** What the deployment did by itself; null: it is not time, or its level has a person do all. */
export interface ByItself {
  readonly proposed: number;
  readonly applied: readonly string[];
  /** `<proposal>: <why>`. */
  readonly refused: readonly string[];
}

/** Once a day: proposes what the records suggest, and applies what its level lets apply itself and whose test holds. */
export async function evolveByItself(context: EvolveContext): Promise<ByItself | null> {
  const { evolution, policy, now } = context;
  if (policy.evolve === 'L0') return null;
  const before = await evolution.settings();
  if (before.looked_at && Date.parse(before.looked_at) + EVERY_MS > now.getTime()) return null;
  // Said first: who is cut off in it waits for the next day, and does not begin anew each minute.
  await evolution.evolveSettings((state) => ({ ...state, looked_at: now.toISOString() }));
  const word = { by: ITSELF, reason: 'its test holds' };
  const state = await proposeChange(undefined, word, context);
  const applied: string[] = [];
  const refused: string[] = [];
  const open = state.proposals.filter(({ status }) => status === 'proposed' || status === 'trial');
  for (const { id, setting, level, status } of open.sort((a, b) => rankOf(a.level) - rankOf(b.level))) {
    if (mayNot(setting, policy.evolve, ITSELF)) continue;
    if (status === 'proposed' && restsNow(await evolution.settings(), levelOf(setting), now)) continue;
    try {
      await applyProposal(id, word, context);
      applied.push(id);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refused.push(`${id} (${level}): ${error.message}`);
    }
  }
  return { proposed: state.next - before.next, applied, refused };
}
