import * as z from 'zod';
import { AutonomyLevel } from '../../contract/approval/autonomy.ts';
import { describeProblem, parseYaml } from '../../lib/yaml.ts';

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
