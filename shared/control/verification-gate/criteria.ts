import * as z from 'zod';

const Command = z.string().trim().min(1, 'must not be empty').max(4_000);
const Limit = z.number().int().min(0).max(20);

/** What must be seen before an agent is let go: the section `verification_gate` of the base's `assay.yaml`. */
export const VerificationGateCriteria = z.strictObject({
  /** Command lines that must end well in the agent's checkout. */
  required_tests: z.array(Command).max(20).default([]),
  /** Whether the commands of the task's `test_passes` signals are among them. */
  task_tests: z.boolean().default(true),
  require_file_changes: z.boolean().default(false),
  /** How often it is told of tests and files. */
  max_attempts: Limit.default(2),
  /** The command line that compiles. */
  require_compilation: Command.optional(),
  compilation_max_attempts: Limit.default(8),
  /** Of each command, in seconds. */
  timeout_s: z.number().int().min(1).max(3_600).default(120),
});
export type VerificationGateCriteria = z.infer<typeof VerificationGateCriteria>;

/** The command lines that are run for it. */
export const listRequiredTests = (
  { required_tests, task_tests }: VerificationGateCriteria,
  ofTask: readonly string[],
): string[] => [...new Set([...required_tests, ...(task_tests ? ofTask : [])])];

/** Whether there is anything to look for. */
export const hasVerificationGateCriteria = (
  criteria: VerificationGateCriteria,
  ofTask: readonly string[],
): boolean =>
  criteria.require_file_changes ||
  criteria.require_compilation !== undefined ||
  listRequiredTests(criteria, ofTask).length > 0;
