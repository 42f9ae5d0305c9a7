import * as z from 'zod';

/** What a repository gets that names no image. */
export const DEFAULT_TOOLCHAIN_IMAGE = 'default';

/** Of a toolchain image of the deployment. */
export const ToolchainImageName = z
  .string()
  .regex(
    /^[a-z][a-z0-9-]{0,31}$/,
    'must be 1 to 32 lower-case letters, digits or "-", starting with a letter',
  );

/** Where a repository says how it is worked on: which image, which gates, how much autonomy. */
export const REPOSITORY_CONFIG_FILE = 'assay.yaml';
