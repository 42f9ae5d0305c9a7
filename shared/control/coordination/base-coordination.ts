import * as z from 'zod';
import { CoordinationSettings } from '../../contract/coordination/settings.ts';
import { describeFileProblem, parseYaml } from '../../lib/yaml.ts';

const CoordinationConfig = z.looseObject({
  middleware: z.looseObject({ coordination: CoordinationSettings.optional() }).optional(),
});

/** What an `assay.yaml` of the base says of plans; `coordination` is null where it says nothing. `why`: all that is wrong with it. */
export function parseBaseCoordinationSettings(
  text: string | null,
  file: string,
): { readonly coordination: CoordinationSettings | null } | { readonly why: string } {
  const parsed = parseYaml(text ?? '', file, CoordinationConfig);
  return 'value' in parsed
    ? { coordination: parsed.value.middleware?.coordination ?? null }
    : { why: parsed.problems.map(describeFileProblem).join('; ') };
}
