import * as z from 'zod';
import type { Task } from '../task/task.ts';
import { describeProblem, parseYaml } from '../yaml.ts';
import { AutonomyLevel, lowerOf } from './autonomy.ts';

/** What counts while nobody has read what the base says: the least freedom, so that a base that could not be read frees nobody. */
const UNREAD: AutonomyLevel = 'locked';

const Named = z.looseObject({ autonomy: AutonomyLevel.optional() });

/**
 * The level that an `assay.yaml` of the base names; `level` is null where it names none. A file that cannot be read may have named one:
 * then `why` has all that is wrong with it.
 */
export function autonomyNamed(
  text: string | null,
  file: string,
): { readonly level: AutonomyLevel | null } | { readonly why: string } {
  const parsed = parseYaml(text ?? '', file, Named);
  return 'value' in parsed
    ? { level: parsed.value.autonomy ?? null }
    : { why: parsed.problems.map(describeProblem).join('; ') };
}

/** The level in force for a task: the lowest of what the deployment, the base commit and the request say. Nobody of them can raise another's. */
export const autonomyOf = (
  { autonomy, base_autonomy }: Pick<Task, 'autonomy' | 'base_autonomy'>,
  deployment: AutonomyLevel,
): AutonomyLevel =>
  lowerOf(lowerOf(deployment, autonomy), base_autonomy === undefined ? UNREAD : (base_autonomy ?? undefined));

/** What is written down of a base whose files cannot be read one by one. */
export const UNREADABLE_BASE = UNREAD;
