import * as z from 'zod';
import { AutonomyLevel } from '../../contract/approval/autonomy.ts';
import { describeFileProblem, parseYaml } from '../../lib/yaml.ts';

const AutonomyConfig = z.looseObject({ autonomy: AutonomyLevel.optional() });

/**
 * The level that an `assay.yaml` of the base names; `level` is null where it names none. A file that cannot be read may have named one:
 * then `why` has all that is wrong with it.
 */
export function parseBaseAutonomyLevel(
  text: string | null,
  file: string,
): { readonly level: AutonomyLevel | null } | { readonly why: string } {
  const parsed = parseYaml(text ?? '', file, AutonomyConfig);
  return 'value' in parsed
    ? { level: parsed.value.autonomy ?? null }
    : { why: parsed.problems.map(describeFileProblem).join('; ') };
}
