import * as z from 'zod';
import { CoordinationSettings } from '../../contract/coordination/settings.ts';
import { describeProblem, parseYaml } from '../../lib/yaml.ts';

const Named = z.looseObject({
  middleware: z.looseObject({ coordination: CoordinationSettings.optional() }).optional(),
});

/** What an `assay.yaml` of the base says of plans; `coordination` is null where it says nothing. `why`: all that is wrong with it. */
export function coordinationNamed(
  text: string | null,
  file: string,
): { readonly coordination: CoordinationSettings | null } | { readonly why: string } {
  const parsed = parseYaml(text ?? '', file, Named);
  return 'value' in parsed
    ? { coordination: parsed.value.middleware?.coordination ?? null }
    : { why: parsed.problems.map(describeProblem).join('; ') };
}
