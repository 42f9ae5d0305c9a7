import * as z from 'zod';
import { SelfTuningLevel } from '../control/cascade/learning/tuning-level.ts';
import { ActiveSettingChange, Proposal, ProposalId, TuningState } from '../control/tune/proposals.ts';
import { SettingChange } from '../control/tune/setting-change.ts';

export const TuningView = z
  .object({
    level: SelfTuningLevel.describe('The highest level at which the deployment changes its own settings.'),
    active_changes: z.array(ActiveSettingChange.extend({ setting_key: z.string() })),
    proposals: z.array(Proposal.omit({ previous_change: true })).describe('Newest first.'),
    history: TuningState.shape.history,
  })
  .meta({ id: 'Tuning' });
export type TuningView = z.infer<typeof TuningView>;

const reason = z.string().trim().min(1).max(1_000);
export const ProposeSettingChangeBody = z
  .strictObject({
    change: SettingChange.optional().describe('Absent: all that the records suggest.'),
    reason,
  })
  .meta({ id: 'ProposeChangeBody' });
export const SettingProposalActionBody = z
  .strictObject({ proposal: ProposalId, reason })
  .meta({ id: 'ProposalActionBody' });

export const tuningView = (state: TuningState, level: SelfTuningLevel): TuningView => ({
  level,
  active_changes: Object.entries(state.active_changes)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([thing, entry]) => ({ setting_key: thing, ...entry })),
  proposals: state.proposals.toReversed().map(({ previous_change: _, ...proposal }) => proposal),
  history: state.history,
});
