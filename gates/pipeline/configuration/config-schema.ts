import * as z from 'zod';
import { AutonomyLevel } from '../../../shared/contract/approval/autonomy.ts';
import { ChallengeSettings } from '../../../shared/contract/check-outcome.ts';
import { EXPECTABLE_PROTECTED_FILE_KINDS } from '../../../shared/contract/submission/expected-changes.ts';
import { TaskId } from '../../../shared/contract/submission/schema.ts';
import { AuthorSignalType } from '../../../shared/contract/submission/signals.ts';
import { ToolchainImageName } from '../../../shared/contract/submission/toolchain-image.ts';
import { MiddlewareSection, SecuritySection } from '../../../shared/control/middleware/config-section.ts';
import { VerificationGateCriteria } from '../../../shared/control/verification-gate/criteria.ts';
import { GateConditionSetting } from '../../core/gate-conditions.ts';
import { EnvironmentSetting } from '../../environment/environment-setting.ts';
import { CustomGateSetting } from '../../gates/custom/custom-gate-setting.ts';
import { BUILT_IN_GATES } from '../../gates/gate-registry.ts';
import { ALLOWED_FILES_SETTINGS } from '../../rules/allowed-files.ts';
import { AcceptanceTestSetting } from './acceptance-test-setting.ts';
import { RulesConfigSchema } from './parse-rule-settings.ts';

const TimeLimit = z.number().int().min(1).max(7_200);

const Command = z.string().trim().min(1, 'must not be empty').max(4_000);

const Step = z.strictObject({
  /** Whether there is such a gate, the project's own included, is looked at when the whole file is known. */
  name: z.string(),
  required: z.boolean().default(true),
  condition: GateConditionSetting.default('always'),
  command: Command.optional(),
  /** Another name of `command`. */
  command_override: Command.optional(),
  /** Time limit of this gate, in seconds. */
  timeout_s: TimeLimit.optional(),
});

const Until = z.union([z.iso.date(), z.iso.datetime()], {
  error: () => 'must be a date, or a date and time in UTC',
});

/** Somebody's decision to do without a gate for a while: it is in the history of the repository. */
const GateBypassSetting = z.strictObject({
  gate: z.string(),
  /** Id of the task, or `*` for every one. */
  task: z.union([z.literal('*'), TaskId]),
  by: z.string().trim().min(1).max(200),
  reason: z.string().trim().min(1).max(1_000),
  /** A day counts to its end in UTC. */
  until: Until,
});
export type GateBypassSetting = z.output<typeof GateBypassSetting>;

const COMMON = {
  /** Master switch. */
  enabled: z.boolean().default(true),
  /** Time limit of one gate, in seconds. */
  timeout_s: TimeLimit.default(120),
  allow_bypass: z.boolean().default(false),
  /** Gates that are left out; only with `allow_bypass`. */
  bypasses: z.array(GateBypassSetting).max(100).default([]),
  cache_enabled: z.boolean().default(true),
  /** Base of `assay check` when none is given; a task names its own. */
  base_ref: z.string().trim().min(1).max(255).default('main'),
  /** Order, requirement and condition of the gates; absent: made from the switches. */
  pipeline: z
    .array(Step)
    .max(100)
    .superRefine((steps, context) => {
      steps.forEach((step, index) => {
        if (step.command !== undefined && step.command_override !== undefined)
          context.addIssue({
            code: 'custom',
            path: [index, 'command_override'],
            message: 'is another name of "command", which is set too',
          });
        if (steps.findIndex((other) => other.name === step.name) !== index)
          context.addIssue({ code: 'custom', path: [index, 'name'], message: `lists "${step.name}" twice` });
      });
    })
    .optional(),
  /** Gates of the project's own. */
  custom_gates: z.array(CustomGateSetting).max(100).default([]),
};

/** The keys of every gate are merged in, so a new gate brings its own switch and nothing here changes. */
const gateKeys: z.ZodRawShape = Object.assign({}, ...BUILT_IN_GATES.map((gate) => gate.settings));

const QualityGates = z.strictObject({ ...gateKeys, ...COMMON });

/** The window counts the completions of all repositories together, and no patch may raise the limit at which people are told. */
const Nudge = z
  .never({
    error: () =>
      'is a setting of the deployment: `assay:nudgeThreshold` and `assay:nudgeMinCompletions`, or `assay up --nudge-threshold`',
  })
  .optional();

/** Files that steer checks and that any patch may change: they are judged and delivered as the patch has them. */
const ProtectedFiles = z.strictObject({
  allow: z.array(z.string().min(1, 'must not be empty').max(500)).max(100).default([]),
  /** Kinds of protected files whose change always needs a review, also where no check executes them. */
  review: z.array(z.enum(EXPECTABLE_PROTECTED_FILE_KINDS)).max(20).default([]),
});

/** `assay.yaml` in the base commit. */
export const QualityGatesConfigSchema = z.strictObject({
  version: z.literal(1, { error: () => 'must be 1' }).default(1),
  /** Name of the toolchain image that agent and gates run in: one of those that the deployment has. */
  image: ToolchainImageName.optional(),
  /** What agents may do here without a person; no gate reads it. */
  autonomy: AutonomyLevel.optional(),
  /** How a checkout is prepared before commands run in it; absent: not at all. */
  environment: EnvironmentSetting.optional(),
  quality_gates: QualityGates.prefault({}),
  protected: ProtectedFiles.prefault({}),
  /** Tests that come with the task, written without the patch's author. */
  acceptance_tests: AcceptanceTestSetting.prefault({}),
  challenge: ChallengeSettings.optional(),
  /** What becomes of a patch that changes files which its task does not name, where the task names any. */
  allowed_files: z.enum(ALLOWED_FILES_SETTINGS).default('warning'),
  /** Kinds of signals that the author of a pull request may name in its text. */
  author_signals: z.array(AuthorSignalType).default([]),
  /** What rules that read do here: off, info, warning or error. */
  rules: RulesConfigSchema,
  verification_nudge: Nudge,
  /** What the agent's box looks for before the agent is let go; no gate reads it. */
  verification_gate: VerificationGateCriteria.optional(),
  /** What is wrapped around the runs of agents (docs/how-to/middleware.md); no gate reads it. */
  middleware: MiddlewareSection.optional(),
  security: SecuritySection.optional(),
});

export interface QualityGatesConfig extends z.output<z.ZodObject<typeof COMMON>> {
  /** Names of the gates that the base commit brings as modules. */
  readonly modules: readonly string[];
  /** The gates' own keys, as each gate's `settings` describes them. */
  readonly settings: Readonly<Record<string, unknown>>;
}
