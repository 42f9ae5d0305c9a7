import * as z from 'zod';
import { GateConditionSetting } from '../../core/gate-conditions.ts';

/** Name of a gate of the project's own; also the name of its module's file. */
export const CustomGateName = z
  .string()
  .regex(
    /^[a-z][a-z0-9_-]{0,63}$/,
    'must be 1 to 64 lower-case letters, digits, "_" or "-", beginning with a letter',
  );

/** How the report of a command is read: by its exit code alone, or the file that it writes to `$REPORT`. */
const REPORT_FORMATS = ['text', 'sarif', 'junit'] as const;

const PACKAGE = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

/** A gate of the project's own in `assay.yaml`: a command line, or a package that declares it. */
export const CustomGateSetting = z
  .strictObject({
    name: CustomGateName,
    command: z.string().trim().min(1, 'must not be empty').max(4_000).optional(),
    /** A package with this gate in `assay.gates` of its package.json. */
    package: z.string().max(214).regex(PACKAGE, 'is not the name of a package').optional(),
    required: z.boolean().optional(),
    condition: GateConditionSetting.optional(),
    timeout_s: z.number().int().min(1).max(7_200).optional(),
    format: z.enum(REPORT_FORMATS).optional(),
  })
  .superRefine((gate, context) => {
    if ((gate.command === undefined) === (gate.package === undefined))
      context.addIssue({ code: 'custom', message: 'needs either command or package' });
    if (gate.format !== undefined && gate.command === undefined)
      context.addIssue({ code: 'custom', path: ['format'], message: 'is for a command' });
  });
export type CustomGateSetting = z.output<typeof CustomGateSetting>;
