import * as z from 'zod';
import { parseYaml } from '../../lib/yaml.ts';
import { CONFIG_FILE, DEFAULT_IMAGE, ImageName } from './image.ts';

const Named = z.looseObject({ image: ImageName.optional() });

/**
 * The image that the base asks for: `text` is its `assay.yaml`, null where there is none. What is wrong with the rest of the file, the
 * gates box says.
 */
export function imageNamed(text: string | null): string {
  const parsed = parseYaml(text ?? '', CONFIG_FILE, Named);
  return 'value' in parsed ? (parsed.value.image ?? DEFAULT_IMAGE) : DEFAULT_IMAGE;
}
