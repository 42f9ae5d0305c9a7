import * as z from 'zod';
import { FUNCTION_ENV_NAMES } from '../../contract/resource-names.ts';

/** Days for which a completion is remembered for the window: its longest. */
export const COMPLETION_RETENTION_DAYS = 90;
/** Completions that a window may have at most: each look reads them. */
export const MAX_NUDGE_WINDOW = 1_000;

/** When too much is completed without verification, and which completions that is said of. */
export const VERIFICATION_NUDGE_SETTINGS = {
  nudgeThreshold: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(0.3)
    .describe('Alarm when the share of unverified completions is strictly above this; 0: any, 1: never.'),
  nudgeMinCompletions: z.coerce
    .number()
    .int()
    .min(1)
    .default(3)
    .describe('Minimum number of completions for an alarm.'),
  nudgeWindow: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_NUDGE_WINDOW)
    .default(100)
    .describe('Number of latest completions that count.'),
  nudgeWindowDays: z.coerce
    .number()
    .positive()
    .max(COMPLETION_RETENTION_DAYS)
    .default(7)
    .describe('Maximum age in days of completions that count.'),
} as const;
export const VerificationNudgeRules = z.object(VERIFICATION_NUDGE_SETTINGS);
export type VerificationNudgeRules = z.infer<typeof VerificationNudgeRules>;

/** The variables that a function has them in. */
export const VERIFICATION_NUDGE_ENV_NAMES = {
  nudgeThreshold: FUNCTION_ENV_NAMES.nudgeThreshold,
  nudgeMinCompletions: FUNCTION_ENV_NAMES.nudgeMinCompletions,
  nudgeWindow: FUNCTION_ENV_NAMES.nudgeWindow,
  nudgeWindowDays: FUNCTION_ENV_NAMES.nudgeWindowDays,
} as const satisfies Record<keyof VerificationNudgeRules, string>;
const NAMES = Object.keys(VERIFICATION_NUDGE_ENV_NAMES) as (keyof VerificationNudgeRules)[];

export const buildVerificationNudgeEnvironment = (rules: VerificationNudgeRules): Record<string, string> =>
  Object.fromEntries(NAMES.map((name) => [VERIFICATION_NUDGE_ENV_NAMES[name], String(rules[name])]));
/** @throws ZodError for a value that is none */
export const parseVerificationNudgeRules = (
  environment: Readonly<Record<string, string | undefined>>,
): VerificationNudgeRules =>
  VerificationNudgeRules.parse(
    Object.fromEntries(NAMES.map((name) => [name, environment[VERIFICATION_NUDGE_ENV_NAMES[name]]])),
  );
