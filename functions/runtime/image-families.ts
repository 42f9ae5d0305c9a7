import * as z from 'zod';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { ToolchainImageName } from '../../shared/contract/submission/toolchain-image.ts';
import { readOptionalEnv } from '../../shared/store/env.ts';

const Families = z.record(ToolchainImageName, z.object({ agent: z.string(), gates: z.string() }));

/** Task-definition families of boxes from another image than the usual one, by its name. */
export const readTaskDefinitionFamilies = (): z.infer<typeof Families> =>
  Families.parse(JSON.parse(readOptionalEnv(FUNCTION_ENV_NAMES.imageFamilies, '{}')));
