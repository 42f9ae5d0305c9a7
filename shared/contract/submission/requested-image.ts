import * as z from 'zod';
import { parseYaml } from '../../lib/yaml.ts';
import { DEFAULT_TOOLCHAIN_IMAGE, REPOSITORY_CONFIG_FILE, ToolchainImageName } from './toolchain-image.ts';

const ImageConfig = z.looseObject({ image: ToolchainImageName.optional() });

/**
 * The image that the base asks for: `text` is its `assay.yaml`, null where there is none. What is wrong with the rest of the file, the
 * gates box says.
 */
export function parseRequestedToolchainImage(text: string | null): string {
  const parsed = parseYaml(text ?? '', REPOSITORY_CONFIG_FILE, ImageConfig);
  return 'value' in parsed ? (parsed.value.image ?? DEFAULT_TOOLCHAIN_IMAGE) : DEFAULT_TOOLCHAIN_IMAGE;
}
