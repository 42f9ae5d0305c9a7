import * as z from 'zod';
import { KNOWN_ACTIONS, type KnownAction, type RiskLevel } from './risk.ts';

/** How much agents may do without a person, the most first. */
export const AUTONOMY_LEVELS = ['full', 'semi', 'supervised', 'locked'] as const;
export const AutonomyLevel = z
  .enum(AUTONOMY_LEVELS)
  .describe(
    'What agents may do without approval: full, semi, supervised, locked. Actions of high or critical risk wait for an approver at every level.',
  );
export type AutonomyLevel = z.infer<typeof AutonomyLevel>;

/** The lower of two: whoever is asked later may take freedom away, and never give any. */
export const getLowerAutonomyLevel = (one: AutonomyLevel, other: AutonomyLevel | undefined): AutonomyLevel =>
  other !== undefined && AUTONOMY_LEVELS.indexOf(other) > AUTONOMY_LEVELS.indexOf(one) ? other : one;

interface AutonomyPreset {
  /** Categories, or single actions. */
  readonly allowed: readonly string[];
  readonly needsApproval: readonly string[];
}

const CATEGORIES = [...new Set(KNOWN_ACTIONS.map((action) => action.split(':')[0] ?? ''))];

/** What each level lets pass and what it has a person asked about; what stands in neither list is asked about. */
export const AUTONOMY_PRESETS: Readonly<Record<AutonomyLevel, AutonomyPreset>> = {
  full: { allowed: CATEGORIES, needsApproval: [] },
  semi: {
    allowed: ['code', 'test', 'docs', 'vcs', 'comms:internal', 'db:query'],
    needsApproval: ['deploy', 'org', 'budget', 'comms:external'],
  },
  supervised: {
    allowed: ['code:read', 'vcs:read', 'test:run', 'db:query'],
    needsApproval: [
      'code:write',
      'code:create',
      'code:delete',
      'code:refactor',
      'test:write',
      'docs:write',
      'vcs:commit',
      'vcs:push',
      'vcs:branch',
      'deploy',
      'comms',
      'budget',
      'org',
      'db:mutate',
      'db:admin',
      'arch:decide',
    ],
  },
  locked: { allowed: [], needsApproval: CATEGORIES },
};

const includesAction = (list: readonly string[], action: string): boolean =>
  list.includes(action) || list.includes(action.split(':')[0] ?? '');

/** The known actions that a list of actions and categories names. */
export const expandActionCategories = (list: readonly string[]): KnownAction[] =>
  KNOWN_ACTIONS.filter((action) => includesAction(list, action));

/** May the action be done without a person? Never one of high or critical risk, whatever a preset says; an action that nobody knows is of high risk. */
export const isActionAllowedWithoutApproval = (
  level: AutonomyLevel,
  action: string,
  risk: RiskLevel,
): boolean =>
  (risk === 'low' || risk === 'medium') && includesAction(AUTONOMY_PRESETS[level].allowed, action);
