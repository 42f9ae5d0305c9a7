import type { Tier } from '../../contract/agents/tiers.ts';
import type { Evidence, Verdict } from '../../contract/evidence/schema.ts';
import type { Task } from '../../contract/task/task.ts';
import type { CascadePolicy } from '../cascade/learning/policy.ts';
import { randomOf } from '../cascade/learning/random.ts';
import type { Change } from './change.ts';
import type { Evolution, InForce } from './schema.ts';

type Held = Pick<Evolution, 'in_force'>;

/** Is the task one of those that a trial gives the change to? Always the same for the same task. */
export const isTried = (proposal: string, taskId: string): boolean =>
  randomOf(`${proposal}#${taskId}`).uniform() < 0.5;

const holdsFor = ({ proposal, share }: InForce, taskId: string): boolean =>
  share === 'all' || isTried(proposal, taskId);

function changeOf<K extends Change['kind']>(
  state: Held,
  kind: K,
  thing: string,
  taskId: string,
): { readonly setting: Extract<Change, { kind: K }>; readonly proposal: string } | null {
  const found = state.in_force[thing];
  return found && found.setting.kind === kind && holdsFor(found, taskId)
    ? { setting: found.setting as Extract<Change, { kind: K }>, proposal: found.proposal }
    : null;
}

/** The cascade's numbers as they hold: those that were configured, and what was applied over them. */
export const policyInForce = (policy: CascadePolicy, { in_force }: Held): CascadePolicy => ({
  ...policy,
  ...Object.fromEntries(
    Object.values(in_force).flatMap(({ setting, share }) =>
      setting.kind === 'threshold' && share === 'all' ? [[setting.name, setting.value]] : [],
    ),
  ),
});

/** The tier that tries first for a task in the place of the table's, and by which proposal; null: the table's. */
export function routeInForce(
  state: Held,
  { id, role, complexity }: Pick<Task, 'id' | 'role' | 'complexity'>,
): { readonly tier: Tier; readonly proposal: string } | null {
  const found = changeOf(state, 'route', `route ${role} ${complexity}`, id);
  return found && { tier: found.setting.tier, proposal: found.proposal };
}

/** What agents of the task's role are told beside it; null: nothing. */
export const promptInForce = (state: Held, { id, role }: Pick<Task, 'id' | 'role'>): string | null =>
  changeOf(state, 'prompt', `prompt ${role}`, id)?.setting.text ?? null;

/** The evidence with what gates are required to by the deployment, and a reason for each whose failure counts otherwise than the base says. */
export function withRequirements(
  evidence: Evidence,
  state: Held,
): { readonly evidence: Evidence; readonly reasons: Verdict['reasons'] } {
  const reasons: Verdict['reasons'] = [];
  const gates = evidence.gates.map((gate) => {
    const found = state.in_force[`gate ${gate.name}`];
    if (found?.setting.kind !== 'gate' || found.setting.required === gate.required) return gate;
    const { required } = found.setting;
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
