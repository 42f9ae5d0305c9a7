import * as z from 'zod';

/** A file of `.assay/workflows/` has this name; a task says it as `workflow`. */
export const WorkflowName = z
  .string()
  .regex(
    /^[a-z][a-z0-9-]{0,63}$/,
    'must be 1 to 64 lower-case letters, digits or "-", starting with a letter',
  );
