import * as z from 'zod';
import { TuningLevel } from '../control/cascade/learning/tuning-level.ts';
import { ActiveChange, Proposal, ProposalId, TuningState } from '../control/tune/proposals.ts';
import { SettingChange } from '../control/tune/setting-change.ts';

export const TuningView = z
  .object({
    level: TuningLevel.describe('Up to which the deployment changes its own settings.'),
    in_force: z.array(ActiveChange.extend({ thing: z.string() })),
    proposals: z.array(Proposal.omit({ replaced: true })).describe('The latest first.'),
    history: TuningState.shape.history,
  })
  .meta({ id: 'Evolution' });
export type TuningView = z.infer<typeof TuningView>;

const reason = z.string().trim().min(1).max(1_000);
export const ProposeChangeBody = z
  .strictObject({
    setting: SettingChange.optional().describe('Absent: all that the records of the deployment suggest.'),
    reason,
  })
  .meta({ id: 'ProposeBody' });
export const ProposalActionBody = z
  .strictObject({ proposal: ProposalId, reason })
  .meta({ id: 'ProposalWord' });

export const tuningView = (state: TuningState, level: TuningLevel): TuningView => ({
  level,
  in_force: Object.entries(state.in_force)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([thing, entry]) => ({ thing, ...entry })),
  proposals: state.proposals.toReversed().map(({ replaced: _, ...proposal }) => proposal),
  history: state.history,
});
