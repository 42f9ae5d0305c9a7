import { Refusal } from '../../contract/refusal.ts';
import { firstOf } from '../../lib/cut.ts';
import type { EvolveLevel } from '../cascade/learning/level.ts';
import { type Change, levelOf, rankOf, thingOf, wordsOf } from './change.ts';
import { type Evolution, ITSELF, type Proposal, type ProposalTest } from './schema.ts';

/** Proposals that are kept beside those in force, and lines of the trail. */
const KEPT = 30;
const REMEMBERED = 100;
/** Settings that may be changed at once: they are one item. */
const MOST_IN_FORCE = 60;
/** What applies itself within 24 hours, by level: the reference's numbers. */
const A_DAY: Readonly<Record<EvolveLevel, number>> = { L0: 5, L1: 3, L2: 0, L3: 0 };
const DAY_MS = 86_400_000;
/** After a revert nothing applies itself for so long. */
const REST_MS = 2 * DAY_MS;

export interface Word {
  /** Who says it; {@link ITSELF}: nobody does. */
  readonly by: string;
  readonly reason: string;
  readonly now: Date;
}

const told = (
  { history }: Evolution,
  proposal: string,
  action: Evolution['history'][number]['action'],
  { by, reason, now }: Word,
): Evolution['history'] =>
  [{ proposal, action, by, reason: firstOf(reason, 1_000), at: now.toISOString() }, ...history].slice(
    0,
    REMEMBERED,
  );

export function requireProposal({ proposals }: Pick<Evolution, 'proposals'>, id: string): Proposal {
  const found = proposals.find((each) => each.id === id);
  if (!found) throw new Refusal('not_found', `there is no proposal ${id}`);
  return found;
}

const isHeld = (proposal: Proposal): boolean => proposal.replaced !== undefined;

/** Forgets the oldest of what is not in force. */
function tidied(proposals: readonly Proposal[]): Proposal[] {
  const others = proposals.filter((each) => !isHeld(each));
  const kept = new Set(others.slice(-KEPT));
  return proposals.filter((each) => isHeld(each) || kept.has(each));
}

const replaced = (state: Evolution, proposal: Proposal): Proposal[] =>
  state.proposals.map((each) => (each.id === proposal.id ? proposal : each));

/** What stands in the way of applying: of the level of the deployment, and of who wants it. Null: nothing does. */
export function mayNot(setting: Change, level: EvolveLevel, by: string): string | null {
  const needed = levelOf(setting);
  if (rankOf(needed) > rankOf(level))
    return `this is of level ${needed}, and the deployment applies up to ${level} (evolve in its cascade settings)`;
  if (by !== ITSELF) return null;
  if (level === 'L0') return 'at level L0 a person applies';
  return rankOf(needed) > rankOf('L1') ? `what is of level ${needed} a person applies` : null;
}

/** Has as much applied itself as may, or has a person taken something back? Null: it may go on. */
export function restsNow(state: Evolution, level: EvolveLevel, now: Date): string | null {
  const since = (ms: number) => new Date(now.getTime() - ms).toISOString();
  if (state.history.some(({ action, at }) => action === 'revert' && at > since(REST_MS)))
    return 'something was taken back within the last 48 hours';
  const lately = state.history.filter(
    ({ action, by, at, proposal }) =>
      (action === 'apply' || action === 'try') &&
      by === ITSELF &&
      at > since(DAY_MS) &&
      state.proposals.some((each) => each.id === proposal && each.level === level),
  );
  return lately.length >= A_DAY[level] ? `${lately.length} of level ${level} within 24 hours` : null;
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Writes a proposal down; null where the same is proposed already, or in force. */
export function propose(state: Evolution, setting: Change, evidence: string, word: Word): Evolution | null {
  const present = state.in_force[thingOf(setting)];
  if (present && same(present.setting, setting)) return null;
  const instead_of = present?.proposal ?? null;
  // One that was made against what held earlier can no longer be applied: it stands in nobody's way.
  const isOpen = (each: Proposal): boolean => each.status === 'proposed' && each.instead_of === instead_of;
  if (state.proposals.some((each) => isOpen(each) && same(each.setting, setting))) return null;
  const id = `p${state.next}`;
  const proposal: Proposal = {
    id,
    setting,
    level: levelOf(setting),
    evidence: firstOf(evidence, 1_000),
    by: word.by,
    at: word.now.toISOString(),
    status: 'proposed',
    instead_of,
    test: null,
    applied_by: null,
    applied_at: null,
  };
  return {
    ...state,
    next: state.next + 1,
    proposals: tidied([...state.proposals, proposal]),
    history: told(state, id, 'propose', word),
  };
}

/** Throws where a proposal cannot be applied, whatever its test says. */
export function requireApplicable(state: Evolution, id: string, level: EvolveLevel, by: string): Proposal {
  const proposal = requireProposal(state, id);
  const { setting, status, instead_of } = proposal;
  const no = mayNot(setting, level, by);
  if (no) throw new Refusal('forbidden', `proposal ${id} is not applied: ${no}`);
  const thing = thingOf(setting);
  const now = state.in_force[thing];
  if (status === 'trial' && now?.proposal === id) return proposal;
  if (status !== 'proposed' && status !== 'refused')
    throw new Refusal('conflict', `proposal ${id} is ${status}; what is applied must be proposed`);
  if ((now?.proposal ?? null) !== instead_of)
    throw new Refusal(
      'conflict',
      `proposal ${id} was made against ${instead_of ?? 'what is configured'}, and ${thing} is now by ${now?.proposal ?? 'what is configured'}: propose it again`,
    );
  if (!now && Object.keys(state.in_force).length >= MOST_IN_FORCE)
    throw new Refusal('conflict', `${MOST_IN_FORCE} settings are changed already; revert some first`);
  return proposal;
}

/**
 * Puts a proposal in force, as its test says: one that holds for all tasks, one that holds not at all for none; `test` null: for half of the
 * tasks, because nothing but that can test it. @throws Refusal where the level, a person's word or another proposal stands in the way.
 */
export function apply(
  state: Evolution,
  id: string,
  test: ProposalTest | null,
  level: EvolveLevel,
  word: Word,
): Evolution {
  const proposal = requireApplicable(state, id, level, word.by);
  const thing = thingOf(proposal.setting);
  if (test && !test.holds) {
    const { replaced: before, ...rest } = proposal;
    const over: Proposal = { ...rest, status: 'refused', test };
    return {
      ...state,
      in_force: before === undefined ? state.in_force : withEntry(state.in_force, thing, before),
      proposals: replaced(state, over),
      history: told(state, id, 'refuse', { ...word, reason: test.why }),
    };
  }
  const entry = { proposal: id, setting: proposal.setting, share: test ? 'all' : 'half' } as const;
  const held: Proposal = {
    ...proposal,
    status: test ? 'applied' : 'trial',
    replaced: proposal.replaced === undefined ? (state.in_force[thing] ?? null) : proposal.replaced,
    test,
    applied_by: word.by,
    applied_at: word.now.toISOString(),
  };
  return {
    ...state,
    in_force: withEntry(state.in_force, thing, entry),
    proposals: replaced(state, held),
    history: told(state, id, test ? 'apply' : 'try', word),
  };
}

function withEntry(
  inForce: Evolution['in_force'],
  thing: string,
  entry: Evolution['in_force'][string] | null,
): Evolution['in_force'] {
  const { [thing]: _, ...others } = inForce;
  return entry === null ? others : { ...others, [thing]: entry };
}

/** Takes back what is in force: what held before holds again, exactly. */
export function revert(state: Evolution, id: string, word: Word): Evolution {
  const proposal = requireProposal(state, id);
  const thing = thingOf(proposal.setting);
  const present = state.in_force[thing];
  const { replaced: before, ...rest } = proposal;
  if (before === undefined)
    throw new Refusal(
      'conflict',
      `proposal ${id} is ${proposal.status}; only what is in force is taken back`,
    );
  if (present?.proposal !== id)
    throw new Refusal(
      'conflict',
      `proposal ${present?.proposal} has taken the place of ${id}: ${wordsOf(present?.setting ?? proposal.setting)}; revert that one first`,
    );
  return {
    ...state,
    in_force: withEntry(state.in_force, thing, before),
    proposals: replaced(state, { ...rest, status: 'reverted' }),
    history: told(state, id, 'revert', word),
  };
}
