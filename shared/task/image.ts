import * as z from 'zod';
import { parseYaml } from '../yaml.ts';

/** What a repository gets that names no image. */
export const DEFAULT_IMAGE = 'default';

/** Of a toolchain image of the deployment. */
export const ImageName = z
  .string()
  .regex(
    /^[a-z][a-z0-9-]{0,31}$/,
    'must be 1 to 32 lower-case letters, digits or "-", starting with a letter',
  );

/** Where a repository says how it is worked on: which image, which gates, how much autonomy. */
export const CONFIG_FILE = 'assay.yaml';
const Named = z.looseObject({ image: ImageName.optional() });

/**
 * The image that the base asks for: `text` is its `assay.yaml`, null where there is none. What is wrong with the rest of the file, the
 * gates box says.
 */
export function imageNamed(text: string | null): string {
  const parsed = parseYaml(text ?? '', CONFIG_FILE, Named);
  return 'value' in parsed ? (parsed.value.image ?? DEFAULT_IMAGE) : DEFAULT_IMAGE;
}
