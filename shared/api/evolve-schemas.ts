import * as z from 'zod';
import { EvolveLevel } from '../control/cascade/learning/level.ts';
import { Change } from '../control/tune/change.ts';
import { Evolution, InForce, Proposal, ProposalId } from '../control/tune/schema.ts';

export const EvolutionView = z
  .object({
    level: EvolveLevel.describe('Up to which the deployment changes its own settings.'),
    in_force: z.array(InForce.extend({ thing: z.string() })),
    proposals: z.array(Proposal.omit({ replaced: true })).describe('The latest first.'),
    history: Evolution.shape.history,
  })
  .meta({ id: 'Evolution' });
export type EvolutionView = z.infer<typeof EvolutionView>;

const reason = z.string().trim().min(1).max(1_000);
export const ProposeBody = z
  .strictObject({
    setting: Change.optional().describe('Absent: all that the records of the deployment suggest.'),
    reason,
  })
  .meta({ id: 'ProposeBody' });
export const ProposalWord = z.strictObject({ proposal: ProposalId, reason }).meta({ id: 'ProposalWord' });

export const evolutionView = (state: Evolution, level: EvolveLevel): EvolutionView => ({
  level,
  in_force: Object.entries(state.in_force)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([thing, entry]) => ({ thing, ...entry })),
  proposals: state.proposals.toReversed().map(({ replaced: _, ...proposal }) => proposal),
  history: state.history,
});
