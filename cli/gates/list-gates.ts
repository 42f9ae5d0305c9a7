import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ConfigError } from '../../gates/core/configuration-file.ts';
import type { Gate, GatePlan, PlannedCommand } from '../../gates/core/gate.ts';
import { describeGateCondition } from '../../gates/core/gate-conditions.ts';
import type { ProjectFiles } from '../../gates/core/project-files.ts';
import { DEFAULT_CUSTOM_GATE_CONDITION } from '../../gates/gates/custom/custom-command-gate.ts';
import { gateModulePath } from '../../gates/gates/custom/gate-modules.ts';
import { BUILT_IN_GATES } from '../../gates/gates/gate-registry.ts';
import { planGateCommands } from '../../gates/pipeline/cache-key.ts';
import type { ParsedAssayConfig } from '../../gates/pipeline/configuration/parse-config.ts';
import { resolveGatePipeline } from '../../gates/pipeline/gate-pipeline.ts';
import { joinFolder } from '../../gates/tests/running/tool-folders.ts';
import { listWorkingTree } from '../../workspace/git/working-tree.ts';
import { readAssayConfig } from '../check/check-inputs.ts';
import { createInvalidConfigCliError } from '../check/usage-errors.ts';
import { CLI_EXIT_CODES, CliError } from '../exit.ts';
import { findTool } from './find-tool.ts';

/** One gate, as `assay gates list --json` prints it. */
export interface GateListEntry {
  readonly name: string;
  /** Its switch under `quality_gates`; null for a custom gate. */
  readonly flag: string | null;
  readonly source: 'built_in' | 'custom';
  readonly on_by_default: boolean;
  /** Whether it runs with the configuration in the folder. */
  readonly enabled: boolean;
  /** Null: its module decides, and listing runs no module. */
  readonly required: boolean | null;
  readonly condition: string | null;
  /** Tools that it would use, one for each language and project of the folder; empty: nothing is configured. */
  readonly tools: readonly GateToolListEntry[];
}

export interface GateToolListEntry {
  /** The program, `assay` for code of Assay itself, or the module; null: the command line does not say. */
  readonly tool: string | null;
  /** Whether it is installed; null: there is nothing to look for. */
  readonly found: boolean | null;
  /** How to install it; null: it is installed, or unknown. */
  readonly get: string | null;
  /** The command line that would run; null: the gate runs code of Assay or of a module. */
  readonly command: string | null;
  /** Folder that it would run in; '' is the top. */
  readonly folder: string;
}

/** Lists the gates for the working tree of a folder in pipeline order; gates that the configuration does not run come last. */
export async function listGates(repo: string, cwd: string): Promise<GateListEntry[]> {
  const dir = resolve(cwd, repo);
  await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    throw new CliError(CLI_EXIT_CODES.usage, 'unreadable_folder', `${repo} cannot be read (${error.code}).`);
  });
  const config = await readAssayConfig(dir).catch((error: unknown) => {
    throw error instanceof ConfigError ? createInvalidConfigCliError(error) : error;
  });
  const read = (path: string): Promise<string | null> => readFile(join(dir, path), 'utf8').catch(() => null);
  const custom = config === null ? [] : await customGates(config, dir);
  const settings = config?.gates.settings ?? {};
  const steps = resolveGatePipeline(config?.gates ?? null, custom);
  const running = new Set(steps.map(({ gate }) => gate.name));
  const files = new Set(await listWorkingTree(dir));
  const project: ProjectFiles = {
    // As if every file were changed.
    changedPaths: [...files],
    revisionPaths: async () => ({ base: files, tree: files }),
    baseFile: read,
  };
  const all = [
    ...steps.map((step) => ({ ...step, enabled: true })),
    ...[...BUILT_IN_GATES, ...custom]
      .filter(({ name }) => !running.has(name))
      .map((gate) => ({ ...gate, gate, command: null, explicitlyEnabled: true, enabled: false })),
  ];
  return Promise.all(
    all.map(
      async ({ gate, enabled, required, condition, command, explicitlyEnabled }): Promise<GateListEntry> => {
        const builtIn = BUILT_IN_GATES.includes(gate);
        const isDeclaredByModule = isModuleGate(gate) && !config?.gates.pipeline;
        return {
          name: gate.name,
          flag: builtIn ? gate.configKey : null,
          source: builtIn ? 'built_in' : 'custom',
          on_by_default: gate.enabledByDefault,
          enabled,
          required: isDeclaredByModule ? null : required,
          condition: isDeclaredByModule ? null : describeGateCondition(condition),
          tools: await toolsFor(gate, command, explicitlyEnabled),
        };
      },
    ),
  );

  async function toolsFor(gate: Gate, command: string | null, asked: boolean): Promise<GateToolListEntry[]> {
    if (isModuleGate(gate)) return [{ ...NO_TOOL, tool: gate.module, found: gate.found }];
    // Listing calls no model, so whether one is available is not known.
    if (gate.asksModel) return [{ ...NO_TOOL, tool: 'model', found: false }];
    const plan: GatePlan =
      command === null ? await planGateCommands(gate, project, settings, asked) : [{ command }];
    return plan === 'ours' ? [BUILT_IN] : Promise.all(plan.map(listTool));
  }

  async function listTool({
    command,
    folder = '',
    installHint,
    alternatives = [],
    hasBuiltInFallback = false,
  }: PlannedCommand) {
    const find = async (line: string) => {
      const { name, found } = await findTool(
        line,
        dir,
        folder,
        await read(joinFolder(folder, 'package.json')),
      );
      return {
        tool: name,
        found,
        get: found === false ? (installHint ?? null) : null,
        command: line,
        folder,
      };
    };
    const first = await find(command);
    if (first.found !== false) return first;
    for (const line of alternatives) {
      const other = await find(line);
      if (other.found) return other;
    }
    return hasBuiltInFallback ? BUILT_IN : first;
  }
}

const NO_TOOL: GateToolListEntry = { tool: null, found: null, get: null, command: null, folder: '' };
const BUILT_IN: GateToolListEntry = { ...NO_TOOL, tool: 'assay', found: true };

/** A gate of a module that is not loaded: the module may be unreviewed work. */
interface ModuleGate extends Gate {
  readonly module: string;
  readonly found: boolean;
}
const isModuleGate = (gate: Gate): gate is ModuleGate => 'module' in gate;

async function customGates({ gates }: ParsedAssayConfig, dir: string): Promise<Gate[]> {
  const moduleGate = (name: string, module: string, found: boolean): ModuleGate => ({
    name,
    configKey: name,
    enabledByDefault: true,
    required: true,
    condition: DEFAULT_CUSTOM_GATE_CONDITION,
    settings: {},
    run: () => Promise.reject(new Error('is only listed')),
    module,
    found,
  });
  const { createCustomCommandGate } = await import('../../gates/gates/custom/custom-command-gate.ts');
  const commandGates = gates.custom_gates.map(async (gate) => {
    if (gate.command !== undefined) return createCustomCommandGate({ ...gate, command: gate.command });
    const id = gate.package ?? '';
    const found = await readFile(join(dir, 'node_modules', id, 'package.json')).then(
      () => true,
      () => false,
    );
    return { ...moduleGate(gate.name, id, found), ...declarationOf(gate) };
  });
  return [
    ...(await Promise.all(commandGates)),
    ...gates.modules.map((name) => moduleGate(name, gateModulePath(name), true)),
  ];
}

const declarationOf = ({ required, condition }: ParsedAssayConfig['gates']['custom_gates'][number]) => ({
  ...(required === undefined ? {} : { required }),
  ...(condition === undefined ? {} : { condition }),
});
