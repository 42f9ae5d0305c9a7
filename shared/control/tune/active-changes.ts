import type { Tier } from '../../contract/agents/tiers.ts';
import type { Evidence, Verdict } from '../../contract/evidence/schema.ts';
import type { Task } from '../../contract/task/task.ts';
import type { TierPolicySettings } from '../cascade/learning/cascade-policy.ts';
import { createSeededRandom } from '../cascade/learning/seeded-random.ts';
import type { ActiveSettingChange, TuningState } from './proposals.ts';
import type { SettingChange } from './setting-change.ts';

type ActiveChanges = Pick<TuningState, 'active_changes'>;

/** Is the task one of those that a trial gives the change to? Always the same for the same task. */
export const isInTrialGroup = (proposal: string, taskId: string): boolean =>
  createSeededRandom(`${proposal}#${taskId}`).uniform() < 0.5;

const isActiveFor = ({ proposal, share }: ActiveSettingChange, taskId: string): boolean =>
  share === 'all' || isInTrialGroup(proposal, taskId);

function activeChangeFor<K extends SettingChange['kind']>(
  state: ActiveChanges,
  kind: K,
  thing: string,
  taskId: string,
): { readonly setting: Extract<SettingChange, { kind: K }>; readonly proposal: string } | null {
  const found = state.active_changes[thing];
  return found && found.change.kind === kind && isActiveFor(found, taskId)
    ? { setting: found.change as Extract<SettingChange, { kind: K }>, proposal: found.proposal }
    : null;
}

/** The cascade's numbers as they hold: those that were configured, and what was applied over them. */
export const applyTuningToCascadePolicy = (
  policy: TierPolicySettings,
  { active_changes }: ActiveChanges,
): TierPolicySettings => ({
  ...policy,
  ...Object.fromEntries(
    Object.values(active_changes).flatMap(({ change: setting, share }) =>
      setting.kind === 'threshold' && share === 'all' ? [[setting.name, setting.value]] : [],
    ),
  ),
});

/** The tier that tries first for a task in the place of the table's, and by which proposal; null: the table's. */
export function tunedFirstTier(
  state: ActiveChanges,
  { id, role, complexity }: Pick<Task, 'id' | 'role' | 'complexity'>,
): { readonly tier: Tier; readonly proposal: string } | null {
  const found = activeChangeFor(state, 'route', `route ${role} ${complexity}`, id);
  return found && { tier: found.setting.tier, proposal: found.proposal };
}

/** What agents of the task's role are told beside it; null: nothing. */
export const findTunedRolePrompt = (
  state: ActiveChanges,
  { id, role }: Pick<Task, 'id' | 'role'>,
): string | null => activeChangeFor(state, 'prompt', `prompt ${role}`, id)?.setting.text ?? null;

/** The evidence with what gates are required to by the deployment, and a reason for each whose failure counts otherwise than the base says. */
export function applyTunedGateRequirements(
  evidence: Evidence,
  state: ActiveChanges,
): { readonly evidence: Evidence; readonly reasons: Verdict['reasons'] } {
  const reasons: Verdict['reasons'] = [];
  const gates = evidence.gates.map((gate) => {
    const found = state.active_changes[`gate ${gate.name}`];
    if (found?.change.kind !== 'gate' || found.change.required === gate.required) return gate;
    const { required } = found.change;
    if (gate.outcome !== 'passed' && !gate.blocked)
      reasons.push({
        code: 'requirement_changed',
        subject: gate.name,
        message: `gate ${gate.name} ${gate.outcome}, and it is ${required ? '' : 'not '}required here, by proposal ${found.proposal}, whatever the base says`,
      });
    return { ...gate, required };
  });
  return reasons.length === 0 && gates.every((gate, at) => gate === evidence.gates[at])
    ? { evidence, reasons: [] }
    : { evidence: { ...evidence, gates }, reasons };
}
