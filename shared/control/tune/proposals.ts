import * as z from 'zod';
import { defineLifecycle } from '../../lib/lifecycle.ts';
import { StorableNumber } from '../../lib/stored-number.ts';
import { SelfTuningLevel } from '../cascade/learning/tuning-level.ts';
import { SettingChange } from './setting-change.ts';

/** A mean with its interval at 95 %. */
const EstimatedDifference = z.object({ mean: StorableNumber, low: StorableNumber, high: StorableNumber });

/** What a test of a proposal came to, with its numbers. */
export const TuningProposalTestResult = z
  .object({
    by: z
      .enum(['replay', 'words', 'trial'])
      .describe(
        'replay: recorded tasks in the simulator. words: decisions of reviewers. trial: half of the tasks, compared with the others.',
      ),
    at: z.iso.datetime(),
    passed: z.boolean(),
    reason: z.string().describe('The reason with its numbers.'),
    tasks: z.int().nonnegative().describe('Tasks that were compared.'),
    excluded: z.int().nonnegative().describe('Tasks with too few records.'),
    worst_case: z
      .int()
      .nonnegative()
      .describe('Tasks in which an outcome was never tried and counts as the worst, against the proposal.'),
    cost_usd: EstimatedDifference.nullable().describe(
      'Dollars per task with the change, minus those without it.',
    ),
    pass_rate: EstimatedDifference.nullable().describe('Value with the change, minus that without it.'),
  })
  .meta({ id: 'ProposalTest' });
export type TuningProposalTestResult = z.infer<typeof TuningProposalTestResult>;

export const PROPOSAL_STATUSES = ['proposed', 'trial', 'applied', 'refused', 'reverted'] as const;
export const ProposalStatus = z.enum(PROPOSAL_STATUSES);
export type ProposalStatus = z.infer<typeof ProposalStatus>;
export const PROPOSAL_LIFECYCLE = defineLifecycle(
  'proposal',
  { statuses: PROPOSAL_STATUSES, initial: ['proposed'], terminal: ['refused', 'reverted'] },
  {
    try: {
      from: ['proposed', 'refused'],
      to: 'trial',
      reason: 'only a trial on half of the tasks can test it',
    },
    apply: { from: ['proposed', 'refused', 'trial'], to: 'applied', reason: 'its test supports it' },
    refuse: { from: ['proposed', 'refused', 'trial'], to: 'refused', reason: 'its test does not support it' },
    revert: { from: ['trial', 'applied'], to: 'reverted', reason: 'the previous setting is put back' },
  },
);
export type ProposalEvent = (typeof PROPOSAL_LIFECYCLE.events)[number];

/** What holds for one setting. */
export const ActiveSettingChange = z.object({
  proposal: z.string(),
  change: SettingChange,
  /** While it is tried: half of the tasks, by their ids. */
  share: z.enum(['all', 'half']),
});
export type ActiveSettingChange = z.infer<typeof ActiveSettingChange>;

export const ProposalId = z
  .string()
  .regex(/^p[1-9][0-9]{0,8}$/, 'must be the id of a proposal, as `assay tune list` prints it');

export const Proposal = z
  .object({
    id: ProposalId,
    change: SettingChange,
    level: SelfTuningLevel,
    evidence: z.string().describe('Why it was proposed, with its numbers.'),
    by: z.string(),
    at: z.iso.datetime(),
    status: ProposalStatus,
    /** What held for the setting when it was proposed, by proposal; null: what is configured. */
    base_proposal: z
      .string()
      .nullable()
      .describe('The proposal that it replaces; null: the configured value.'),
    /** What it has taken the place of; absent: it is not in force. */
    previous_change: ActiveSettingChange.nullable().optional(),
    test: TuningProposalTestResult.nullable(),
    applied_by: z.string().nullable(),
    applied_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Proposal' });
export type Proposal = z.infer<typeof Proposal>;

const ProposalHistoryEntry = z.object({
  proposal: z.string(),
  action: z.enum(['propose', ...PROPOSAL_LIFECYCLE.events]),
  by: z.string(),
  reason: z.string(),
  at: z.iso.datetime(),
});

/** All of it, in one item: what is in force, what is proposed, and who did what. */
export const TuningState = z.object({
  next_number: z.int().positive(),
  active_changes: z.record(z.string(), ActiveSettingChange),
  /** The latest last. */
  proposals: z.array(Proposal),
  /** The latest first. */
  history: z.array(ProposalHistoryEntry),
  /** When the deployment last looked by itself; null: never. */
  last_run_at: z.iso.datetime().nullable(),
});
export type TuningState = z.infer<typeof TuningState>;
export const EMPTY_TUNING_STATE: TuningState = {
  next_number: 1,
  active_changes: {},
  proposals: [],
  history: [],
  last_run_at: null,
};
/** What acts for itself is told by this name. */
export const AUTOMATIC_TUNING_ACTOR = 'assay';
