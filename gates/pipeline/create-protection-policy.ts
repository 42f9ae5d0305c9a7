import type { ExpectedChangeKind } from '../../shared/contract/submission/expected-changes.ts';
import type { CompletionSignal } from '../../shared/contract/submission/signals.ts';
import type { ProjectFiles } from '../core/project-files.ts';
import { createExemptionReasonLookup } from '../rules/protect/protection-exemption.ts';
import type { ProtectionPolicy } from '../rules/protect/protection-policy.ts';
import type { ParsedAssayConfig } from './configuration/parse-config.ts';

export interface ProtectionPolicyInput {
  readonly taskFiles: readonly string[];
  readonly expectedChanges: readonly ExpectedChangeKind[];
  /** Of the base commit; null: it has none. */
  readonly config: ParsedAssayConfig | null;
  readonly signals: readonly CompletionSignal[];
  readonly project: ProjectFiles;
}

/** Task runners and programs whose tasks are not followed: any tool may be behind them. */
const UNKNOWN_TASKS =
  /(?:^|[\s;&|(/])(?:tox|nox|hatch|poe|pdm\s+run|invoke|inv|doit|taskipy|task|go-task|mage|rake|gulp|grunt|nps|turbo|nx|lerna|rush|bazel|bazelisk|pants|earthly|wireit|moon|pre-commit|pre_commit|prek|trunk|mega-linter-runner|prospector|pylama|docker|podman|act|cargo\s+(?:make|xtask))(?=\s|$)/;

/** Calls that run scripts and tasks of another folder, whose definitions are not read. */
const OTHER_FOLDER =
  /(?:^|[\s;&|(])(?:npm|pnpm|yarn|bun)\s(?!\s*(?:ci|i|install|add)\s)(?:[^;&|\n]*\s)?(?:-ws?|-r|-F|-C|--(?:workspaces?|recursive|filter|prefix|dir|cwd)|workspaces?)(?=[\s=]|$)|(?:(?:^|[\s;&|(])(?:g?make|just)|\$[({]MAKE[)}])\s(?:[^;&|\n]*\s)?(?:-[Cdf]|--(?:directory|file|makefile|justfile|working-directory)(?=[\s=]|$))/;
const CHANGE_OF_FOLDER = /(?:^|[\s;&|(])(?:cd|pushd)\s+["']?[\w@]/;
const RUN_OF_TASKS =
  /(?:^|[\s;&|(])(?:(?:npm|pnpm|yarn|bun)\s+(?!(?:ci|i|install|add)(?![\w:-]))|(?:g?make|just)(?![\w-]))/;

/** Whether scripts or tasks of another folder run, which nobody has followed. */
function leavesFolder(lines: ReadonlySet<string>): boolean {
  const text = [...lines].join('\n');
  const at = text.search(CHANGE_OF_FOLDER);
  return OTHER_FOLDER.test(text) || (at >= 0 && RUN_OF_TASKS.test(text.slice(at)));
}

/** Calls of package managers that name packages and groups, and run none of them. */
const INSTALLATION =
  /^\s*(?:[A-Za-z_]\w*=\S*\s+)*(?:\S*\/)?(?:pip[\d.]*|python[\d.]*\s+-m\s+pip|uv(?:\s+pip)?|poetry|pdm|pipenv|npm|pnpm|yarn|bun|go|cargo)\s+(?:install|sync|add|ci|i|fetch|mod|get|lock)(?=\s|$)/;

/** A tool that is only installed reads no settings; a file that an installation names is read. */
const withoutInstalledNames = (part: string): string =>
  INSTALLATION.test(part)
    ? part
        .split(/\s+/)
        .filter((word) => word.includes('/'))
        .join(' ')
    : part;

/** Says what the task and the base's configuration allow, and which commands the checks run. */
export const createProtectionPolicy = (input: ProtectionPolicyInput): ProtectionPolicy => ({
  exemptionReason: createExemptionReasonLookup({
    taskFiles: input.taskFiles,
    expectedChanges: input.expectedChanges,
    allowGlobs: input.config?.protected.allow ?? [],
  }),
  reviewKinds: input.config?.protected.review ?? [],
  listCommandLines: () => listCommandLines(input),
});

/** A command line and the folder that it runs in; '' is the top. */
interface FolderCommand {
  readonly run: string;
  readonly folder: string;
}

async function listCommandLines({
  config,
  signals,
  project,
}: ProtectionPolicyInput): Promise<string[] | null> {
  const atTop = (run: string): FolderCommand => ({ run, folder: '' });
  const commands = signals.flatMap((signal) =>
    'command' in signal && typeof signal.command === 'string' ? [atTop(signal.command)] : [],
  );
  if (config !== null) {
    const { environment, gates } = config;
    // Modules of the repository or of a package may start anything.
    if (gates.modules.length > 0 || gates.custom_gates.some(({ command }) => command === undefined))
      return null;
    const { toEnvironmentCommands } = await import('../environment/environment-setting.ts');
    for (const lines of [environment?.setup, environment?.warm_up, environment?.build])
      commands.push(...toEnvironmentCommands(lines ?? []));
    commands.push(...gates.custom_gates.flatMap(({ command }) => (command ? [atTop(command)] : [])));
    const planned = await planAllGates(config, project);
    if (planned === null) return null;
    commands.push(...planned);
  }
  return followCommands(commands, project);
}

/** The command lines of all built-in gates that are on; null: one of them cannot be planned. */
async function planAllGates(
  { gates }: ParsedAssayConfig,
  project: ProjectFiles,
): Promise<readonly FolderCommand[] | null> {
  const [{ resolveGatePipeline }, { planGateCommands }] = await Promise.all([
    import('./gate-pipeline.ts'),
    import('./cache-key.ts'),
  ]);
  try {
    const plans = await Promise.all(
      resolveGatePipeline(gates).map(async ({ gate, command, explicitlyEnabled }) => {
        if (command !== null) return [{ run: command, folder: '' }];
        const plan = await planGateCommands(gate, project, gates.settings, explicitlyEnabled);
        return plan === 'ours'
          ? []
          : plan.flatMap(({ command: line, folder = '', alternatives = [] }) =>
              [line, ...alternatives].map((run) => ({ run, folder })),
            );
      }),
    );
    return plans.flat();
  } catch {
    return null;
  }
}

async function followCommands(
  commands: readonly FolderCommand[],
  { baseFile }: ProjectFiles,
): Promise<string[] | null> {
  const { findScriptsRunByCommand } = await import('../tests/running/find-reached-scripts.ts');
  const lines = new Set<string>();
  const texts = new Set<string>();
  for (const { run, folder } of commands) {
    const read = (path: string): Promise<string | null> =>
      baseFile(folder === '' ? path : `${folder}/${path}`);
    const reached = await findScriptsRunByCommand(run, read);
    if (leavesFolder(reached.lines)) return null;
    for (const line of reached.lines) lines.add(line);
    // A script in another language may start tools, too.
    for (const file of reached.files) {
      const text = file.includes('$') ? null : await read(file).catch(() => null);
      if (text !== null) texts.add(text);
    }
  }
  const parts = [...lines].flatMap((line) => line.split(/&&|\|\||[;&|()\n]/)).map(withoutInstalledNames);
  return parts.some((part) => UNKNOWN_TASKS.test(part)) ? null : [...parts, ...texts];
}
