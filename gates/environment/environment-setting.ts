import * as z from 'zod';

const Line = z.string().trim().min(1, 'must not be empty').max(4_000);

/** A path inside of the repository, without `..`. */
const Folder = z
  .string()
  .trim()
  .min(1)
  .max(500)
  .refine((path) => !path.startsWith('/') && !path.split('/').includes('..'), {
    error: () => 'must lie in the repository',
  });

/** A line, or a line with the folder that it runs in. */
const SetupLine = z.union([Line, z.strictObject({ run: Line, folder: Folder })]);

const NETWORK_ACCESS_SETTINGS = ['setup', 'always', 'never'] as const;

/** `environment` of `assay.yaml`: how a checkout is prepared before any command runs in it. */
export const EnvironmentSetting = z.strictObject({
  /** Lines that install dependencies. They run once for each key (docs/how-to/environments.md), and every sandbox shares the result. */
  setup: z.array(SetupLine).max(50).default([]),
  /**
   * Lines that fill caches of compilers, such as Go's build cache. They run once, after the setup lines; a failure is no error.
   * What they compile may belong to an older tree with the same dependencies, so only caches that check their inputs are shared.
   */
  warm_up: z.array(SetupLine).max(50).default([]),
  /** Lines that build from the sources of a tree. They run in every sandbox, before its first command. */
  build: z.array(SetupLine).max(50).default([]),
  /** When commands may use the network; `setup`: only setup and build lines may. Absent: `setup` in the gates container, `always` elsewhere. */
  network: z.enum(NETWORK_ACCESS_SETTINGS).optional(),
  /** Globs of files besides manifests and lock files whose content the preparation depends on. */
  key_files: z.array(z.string().min(1).max(500)).max(100).default([]),
  /** Variables for all commands. */
  variables: z.record(z.string().regex(/^[A-Za-z_]\w*$/), z.string().max(4_000)).default({}),
  /** Time limit in seconds: of all setup and warm-up lines together, and of the build lines in one sandbox. */
  timeout_s: z.number().int().min(1).max(7_200).default(900),
});
export type EnvironmentSetting = z.output<typeof EnvironmentSetting>;

export interface EnvironmentCommand {
  readonly run: string;
  /** '' is the top. */
  readonly folder: string;
}

export const toEnvironmentCommands = (lines: EnvironmentSetting['setup']): EnvironmentCommand[] =>
  lines.map((line) => (typeof line === 'string' ? { run: line, folder: '' } : line));
