import { Refusal } from '../../contract/refusal.ts';
import { truncateText } from '../../lib/truncate.ts';
import type { SelfTuningLevel } from '../cascade/learning/tuning-level.ts';
import type { ProposalEvent } from './proposals.ts';
import {
  AUTOMATIC_TUNING_ACTOR,
  PROPOSAL_LIFECYCLE,
  type Proposal,
  type ProposalStatus,
  type TuningProposalTestResult,
  type TuningState,
} from './proposals.ts';
import {
  buildSettingKey,
  describeSettingChange,
  rankTuningLevel,
  requiredTuningLevel,
  type SettingChange,
} from './setting-change.ts';

/** Proposals that are kept beside those in force, and lines of the trail. */
const KEPT = 30;
const MAX_HISTORY = 100;
/** Settings that may be changed at once: they are one item. */
const MOST_IN_FORCE = 60;
/** What applies itself within 24 hours, by level: the reference's numbers. */
const MAX_APPLIED_PER_DAY: Readonly<Record<SelfTuningLevel, number>> = { L0: 5, L1: 3, L2: 0, L3: 0 };
const DAY_MS = 86_400_000;
/** After a revert nothing applies itself for so long. */
const COOLDOWN_MS = 2 * DAY_MS;

export interface ProposalCommandContext {
  /** Who says it; {@link ITSELF}: nobody does. */
  readonly by: string;
  readonly reason: string;
  readonly now: Date;
}

const historyWith = (
  { history }: TuningState,
  proposal: string,
  action: TuningState['history'][number]['action'],
  { by, reason, now }: ProposalCommandContext,
): TuningState['history'] =>
  [{ proposal, action, by, reason: truncateText(reason, 1_000), at: now.toISOString() }, ...history].slice(
    0,
    MAX_HISTORY,
  );

export function requireProposal({ proposals }: Pick<TuningState, 'proposals'>, id: string): Proposal {
  const found = proposals.find((each) => each.id === id);
  if (!found) throw new Refusal('not_found', `there is no proposal ${id}`);
  return found;
}

/** @throws Refusal `conflict` if the life cycle does not allow the event */
function nextProposalStatus({ id, status }: Proposal, event: ProposalEvent): ProposalStatus {
  const next = PROPOSAL_LIFECYCLE.next(status, event);
  if (next === null) throw new Refusal('conflict', PROPOSAL_LIFECYCLE.conflictMessage(id, status, event));
  return next;
}

const isActiveProposal = (proposal: Proposal): boolean => proposal.previous_change !== undefined;

/** Forgets the oldest of what is not in force. */
function pruneProposals(proposals: readonly Proposal[]): Proposal[] {
  const others = proposals.filter((each) => !isActiveProposal(each));
  const kept = new Set(others.slice(-KEPT));
  return proposals.filter((each) => isActiveProposal(each) || kept.has(each));
}

const replaceProposal = (state: TuningState, proposal: Proposal): Proposal[] =>
  state.proposals.map((each) => (each.id === proposal.id ? proposal : each));

/** What stands in the way of applying: of the level of the deployment, and of who wants it. Null: nothing does. */
export function proposalRefusalReason(
  setting: SettingChange,
  level: SelfTuningLevel,
  by: string,
): string | null {
  const needed = requiredTuningLevel(setting);
  if (rankTuningLevel(needed) > rankTuningLevel(level))
    return `this is of level ${needed}, and the deployment applies up to ${level} (tuning_level in its cascade settings)`;
  if (by !== AUTOMATIC_TUNING_ACTOR) return null;
  if (level === 'L0') return 'at level L0 a person applies';
  return rankTuningLevel(needed) > rankTuningLevel('L1')
    ? `what is of level ${needed} a person applies`
    : null;
}

/** Has as much applied itself as may, or has a person taken something back? Null: it may go on. */
export function findTuningCooldownReason(
  state: TuningState,
  level: SelfTuningLevel,
  now: Date,
): string | null {
  const since = (ms: number) => new Date(now.getTime() - ms).toISOString();
  if (state.history.some(({ action, at }) => action === 'revert' && at > since(COOLDOWN_MS)))
    return 'something was taken back within the last 48 hours';
  const lately = state.history.filter(
    ({ action, by, at, proposal }) =>
      (action === 'apply' || action === 'try') &&
      by === AUTOMATIC_TUNING_ACTOR &&
      at > since(DAY_MS) &&
      state.proposals.some((each) => each.id === proposal && each.level === level),
  );
  return lately.length >= MAX_APPLIED_PER_DAY[level]
    ? `${lately.length} of level ${level} within 24 hours`
    : null;
}

const isSameValue = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Writes a proposal down; null where the same is proposed already, or in force. */
export function addProposal(
  state: TuningState,
  setting: SettingChange,
  evidence: string,
  word: ProposalCommandContext,
): TuningState | null {
  const present = state.active_changes[buildSettingKey(setting)];
  if (present && isSameValue(present.change, setting)) return null;
  const base_proposal = present?.proposal ?? null;
  // One that was made against what held earlier can no longer be applied: it stands in nobody's way.
  const isOpen = (each: Proposal): boolean =>
    each.status === 'proposed' && each.base_proposal === base_proposal;
  if (state.proposals.some((each) => isOpen(each) && isSameValue(each.change, setting))) return null;
  const id = `p${state.next_number}`;
  const proposal: Proposal = {
    id,
    change: setting,
    level: requiredTuningLevel(setting),
    evidence: truncateText(evidence, 1_000),
    by: word.by,
    at: word.now.toISOString(),
    status: 'proposed',
    base_proposal,
    test: null,
    applied_by: null,
    applied_at: null,
  };
  return {
    ...state,
    next_number: state.next_number + 1,
    proposals: pruneProposals([...state.proposals, proposal]),
    history: historyWith(state, id, 'propose', word),
  };
}

/** Throws where a proposal cannot be applied, whatever its test says. */
export function requireApplicableProposal(
  state: TuningState,
  id: string,
  level: SelfTuningLevel,
  by: string,
): Proposal {
  const proposal = requireProposal(state, id);
  const { change: setting, status, base_proposal } = proposal;
  const no = proposalRefusalReason(setting, level, by);
  if (no) throw new Refusal('forbidden', `proposal ${id} is not applied: ${no}`);
  const thing = buildSettingKey(setting);
  const now = state.active_changes[thing];
  if (status === 'trial' && now?.proposal === id) return proposal;
  if (PROPOSAL_LIFECYCLE.next(status, 'try') === null)
    throw new Refusal('conflict', `proposal ${id} is ${status}; what is applied must be proposed`);
  if ((now?.proposal ?? null) !== base_proposal)
    throw new Refusal(
      'conflict',
      `proposal ${id} was made against ${base_proposal ?? 'what is configured'}, and ${thing} is now by ${now?.proposal ?? 'what is configured'}: propose it again`,
    );
  if (!now && Object.keys(state.active_changes).length >= MOST_IN_FORCE)
    throw new Refusal('conflict', `${MOST_IN_FORCE} settings are changed already; revert some first`);
  return proposal;
}

/**
 * Puts a proposal in force, as its test says: one that holds for all tasks, one that holds not at all for none; `test` null: for half of the
 * tasks, because nothing but that can test it. @throws Refusal where the level, a person's word or another proposal stands in the way.
 */
export function applyTestedProposal(
  state: TuningState,
  id: string,
  test: TuningProposalTestResult | null,
  level: SelfTuningLevel,
  word: ProposalCommandContext,
): TuningState {
  const proposal = requireApplicableProposal(state, id, level, word.by);
  const thing = buildSettingKey(proposal.change);
  if (test && !test.passed) {
    const { previous_change: before, ...rest } = proposal;
    const over: Proposal = { ...rest, status: nextProposalStatus(proposal, 'refuse'), test };
    return {
      ...state,
      active_changes:
        before === undefined ? state.active_changes : withActiveEntry(state.active_changes, thing, before),
      proposals: replaceProposal(state, over),
      history: historyWith(state, id, 'refuse', { ...word, reason: test.reason }),
    };
  }
  const entry = { proposal: id, change: proposal.change, share: test ? 'all' : 'half' } as const;
  const held: Proposal = {
    ...proposal,
    status: nextProposalStatus(proposal, test ? 'apply' : 'try'),
    previous_change:
      proposal.previous_change === undefined
        ? (state.active_changes[thing] ?? null)
        : proposal.previous_change,
    test,
    applied_by: word.by,
    applied_at: word.now.toISOString(),
  };
  return {
    ...state,
    active_changes: withActiveEntry(state.active_changes, thing, entry),
    proposals: replaceProposal(state, held),
    history: historyWith(state, id, test ? 'apply' : 'try', word),
  };
}

function withActiveEntry(
  inForce: TuningState['active_changes'],
  thing: string,
  entry: TuningState['active_changes'][string] | null,
): TuningState['active_changes'] {
  const { [thing]: _, ...others } = inForce;
  return entry === null ? others : { ...others, [thing]: entry };
}

/** Takes back what is in force: what held before holds again, exactly. */
export function revertActiveProposal(
  state: TuningState,
  id: string,
  word: ProposalCommandContext,
): TuningState {
  const proposal = requireProposal(state, id);
  const thing = buildSettingKey(proposal.change);
  const present = state.active_changes[thing];
  const { previous_change: before, ...rest } = proposal;
  if (before === undefined)
    throw new Refusal(
      'conflict',
      `proposal ${id} is ${proposal.status}; only what is in force is taken back`,
    );
  if (present?.proposal !== id)
    throw new Refusal(
      'conflict',
      `proposal ${present?.proposal} has taken the place of ${id}: ${describeSettingChange(present?.change ?? proposal.change)}; revert that one first`,
    );
  return {
    ...state,
    active_changes: withActiveEntry(state.active_changes, thing, before),
    proposals: replaceProposal(state, { ...rest, status: nextProposalStatus(proposal, 'revert') }),
    history: historyWith(state, id, 'revert', word),
  };
}
