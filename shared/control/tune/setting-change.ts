import * as z from 'zod';
import { Tier } from '../../contract/agents/tiers.ts';
import { RoleName, TaskComplexity } from '../../contract/submission/schema.ts';
import { SELF_TUNING_LEVELS, type SelfTuningLevel } from '../cascade/learning/tuning-level.ts';

/** Names of gates, as evidence has them. */
const GateName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_.:-]{0,79}$/i, 'must be the name of a gate, as `assay gates list` prints it');

const share = z.number().min(0).max(1);
/** Numbers of the cascade's policy that may be changed, each within its own bounds. */
export const PolicyThresholdChange = z.discriminatedUnion('name', [
  z.strictObject({ kind: z.literal('threshold'), name: z.literal('epsilon'), value: share }),
  z.strictObject({ kind: z.literal('threshold'), name: z.literal('quality_threshold'), value: share }),
  z.strictObject({
    kind: z.literal('threshold'),
    name: z.literal('min_observations'),
    value: z.int().min(1).max(50),
  }),
]);
const RouteChange = z.strictObject({
  kind: z.literal('route'),
  role: RoleName,
  complexity: TaskComplexity,
  tier: Tier.describe("Tier that tries first, instead of the routing table's."),
});
const PromptChange = z.strictObject({
  kind: z.literal('prompt'),
  role: RoleName,
  text: z.string().trim().min(1).max(500).describe('Additional instructions for agents of the role.'),
});
const GateChange = z.strictObject({
  kind: z.literal('gate'),
  gate: GateName,
  required: z.boolean().describe("Whether its failure fails the work, regardless of the base's settings."),
});

/** What a proposal would change: one setting of the deployment, to one value. */
export const SettingChange = z.union([PolicyThresholdChange, RouteChange, PromptChange, GateChange]);
export type SettingChange = z.infer<typeof SettingChange>;

/** The seed's levels of risk: numbers, words, logic, and what counts as done. */
const LEVEL_OF: Readonly<Record<SettingChange['kind'], SelfTuningLevel>> = {
  threshold: 'L0',
  prompt: 'L1',
  route: 'L2',
  gate: 'L3',
};
export const requiredTuningLevel = ({ kind }: Pick<SettingChange, 'kind'>): SelfTuningLevel => LEVEL_OF[kind];
export const rankTuningLevel = (level: SelfTuningLevel): number => SELF_TUNING_LEVELS.indexOf(level);

/** Name of the one setting that a change is about: two proposals for it are rivals. */
export function buildSettingKey(setting: SettingChange): string {
  switch (setting.kind) {
    case 'threshold':
      return `threshold ${setting.name}`;
    case 'route':
      return `route ${setting.role} ${setting.complexity}`;
    case 'prompt':
      return `prompt ${setting.role}`;
    case 'gate':
      return `gate ${setting.gate}`;
  }
}

/** In words, for people. */
export function describeSettingChange(setting: SettingChange): string {
  switch (setting.kind) {
    case 'threshold':
      return `${setting.name} of the cascade becomes ${setting.value}`;
    case 'route':
      return `${setting.complexity} tasks of ${setting.role} begin on ${setting.tier}`;
    case 'prompt':
      return `agents of ${setting.role} are told: ${setting.text}`;
    case 'gate':
      return `gate ${setting.gate} is ${setting.required ? '' : 'not '}required`;
  }
}
