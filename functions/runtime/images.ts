import * as z from 'zod';
import { ENV } from '../../shared/contract/names.ts';
import { ImageName } from '../../shared/contract/submission/image.ts';
import { optionalEnv } from '../../shared/store/env.ts';

const Families = z.record(ImageName, z.object({ agent: z.string(), gates: z.string() }));

/** Task-definition families of boxes from another image than the usual one, by its name. */
export const imageFamilies = (): z.infer<typeof Families> =>
  Families.parse(JSON.parse(optionalEnv(ENV.imageFamilies, '{}')));
