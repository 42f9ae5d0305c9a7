import { VerificationRubric } from '../../contract/rubric/verification-rubric.ts';
import { type FileProblem, parseYaml } from '../../lib/yaml.ts';

/** Where a repository keeps rubrics of its own. */
export const RUBRIC_FOLDER = '.assay/rubrics';
export const buildRubricFilePath = (name: string): string => `${RUBRIC_FOLDER}/${name}.yaml`;

/** Most bytes of a file of `.assay/`; looked at before anything of it is read. */
export const MAX_ASSAY_FILE_BYTES = 65_536;

/** A rubric from its file, or all that is wrong with it. */
export function readRubric(
  text: string,
  file: string,
): { readonly rubric: VerificationRubric } | { readonly problems: readonly FileProblem[] } {
  if (Buffer.byteLength(text) > MAX_ASSAY_FILE_BYTES)
    return { problems: [{ file, line: null, message: `has more than ${MAX_ASSAY_FILE_BYTES} bytes` }] };
  const parsed = parseYaml(text, file, VerificationRubric);
  return 'value' in parsed ? { rubric: parsed.value } : parsed;
}
