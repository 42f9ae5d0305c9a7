import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describeCondition } from '../../gates/core/conditions.ts';
import { ConfigError } from '../../gates/core/configuration-error.ts';
import type { Gate, Plan, Planned } from '../../gates/core/gate.ts';
import type { ProjectFiles } from '../../gates/core/project-files.ts';
import { DEFAULT_CONDITION } from '../../gates/gates/custom/command-gate.ts';
import { moduleFile } from '../../gates/gates/custom/modules.ts';
import { GATES } from '../../gates/gates/registry.ts';
import type { LoadedConfig } from '../../gates/pipeline/configuration/load.ts';
import { pipelineOf } from '../../gates/pipeline/pipeline.ts';
import { planOf } from '../../gates/pipeline/plan.ts';
import { inFolder } from '../../gates/tests/running/folders.ts';
import { listWorkingTree } from '../../workspace/git/working-tree.ts';
import { configError } from '../check/errors.ts';
import { configIn } from '../check/options.ts';
import { CliError, EXIT } from '../exit.ts';
import { toolOf } from './tool.ts';

/** One gate, as `assay gates list --json` prints it. */
export interface ListedGate {
  readonly name: string;
  /** Its switch under `quality_gates`; null for a gate of the project's own. */
  readonly flag: string | null;
  readonly source: 'built_in' | 'custom';
  readonly on_by_default: boolean;
  /** Whether it runs with the configuration that stands here. */
  readonly enabled: boolean;
  /** Null: its module says so, and listing runs no module. */
  readonly required: boolean | null;
  readonly condition: string | null;
  /** What it would use, one for each language and project of the folder; empty: nothing is configured. */
  readonly tools: readonly ListedTool[];
}

export interface ListedTool {
  /** The program, `assay` for code of ours, or the module; null: the command line does not say. */
  readonly tool: string | null;
  /** Whether it is here; null: there is nothing to look for. */
  readonly found: boolean | null;
  /** How to get it; null: it is here, or nobody knows. */
  readonly get: string | null;
  /** The command line that would run; null: `tool` says it is code of ours or of a module. */
  readonly command: string | null;
  /** Folder that it would run in; '' is the top. */
  readonly folder: string;
}

/** The gates for a folder as it stands, in pipeline order, those that the configuration does not run after the others. */
export async function listGates(repo: string, cwd: string): Promise<ListedGate[]> {
  const dir = resolve(cwd, repo);
  await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    throw new CliError(EXIT.usage, 'unreadable_folder', `${repo} cannot be read (${error.code}).`);
  });
  const config = await configIn(dir).catch((error: unknown) => {
    throw error instanceof ConfigError ? configError(error) : error;
  });
  const read = (path: string): Promise<string | null> => readFile(join(dir, path), 'utf8').catch(() => null);
  const own = config === null ? [] : await ownGates(config, dir);
  const settings = config?.gates.settings ?? {};
  const steps = pipelineOf(config?.gates ?? null, own);
  const running = new Set(steps.map(({ gate }) => gate.name));
  const files = new Set(await listWorkingTree(dir));
  const project: ProjectFiles = {
    // As if all of it were changed.
    changedPaths: [...files],
    layout: async () => ({ base: files, tree: files }),
    baseFile: read,
  };
  const all = [
    ...steps.map((step) => ({ ...step, enabled: true })),
    ...[...GATES, ...own]
      .filter(({ name }) => !running.has(name))
      .map((gate) => ({ ...gate, gate, command: null, asked: true, enabled: false })),
  ];
  return Promise.all(
    all.map(async ({ gate, enabled, required, condition, command, asked }): Promise<ListedGate> => {
      const builtIn = GATES.includes(gate);
      const declaredElsewhere = isUndeclared(gate) && !config?.gates.pipeline;
      return {
        name: gate.name,
        flag: builtIn ? gate.flag : null,
        source: builtIn ? 'built_in' : 'custom',
        on_by_default: gate.on,
        enabled,
        required: declaredElsewhere ? null : required,
        condition: declaredElsewhere ? null : describeCondition(condition),
        tools: await toolsFor(gate, command, asked),
      };
    }),
  );

  async function toolsFor(gate: Gate, command: string | null, asked: boolean): Promise<ListedTool[]> {
    if (isUndeclared(gate)) return [{ ...NOTHING, tool: gate.module, found: gate.found }];
    // No provider comes with this version.
    if (gate.judged) return [{ ...NOTHING, tool: 'model', found: false }];
    const plan: Plan = command === null ? await planOf(gate, project, settings, asked) : [{ command }];
    return plan === 'ours' ? [OURS] : Promise.all(plan.map(listed));
  }

  async function listed({ command, folder = '', get, instead = [], elseOurs = false }: Planned) {
    const look = async (line: string) => {
      const { name, found } = await toolOf(line, dir, folder, await read(inFolder(folder, 'package.json')));
      return { tool: name, found, get: found === false ? (get ?? null) : null, command: line, folder };
    };
    const first = await look(command);
    if (first.found !== false) return first;
    for (const line of instead) {
      const other = await look(line);
      if (other.found) return other;
    }
    return elseOurs ? OURS : first;
  }
}

const NOTHING: ListedTool = { tool: null, found: null, get: null, command: null, folder: '' };
const OURS: ListedTool = { ...NOTHING, tool: 'assay', found: true };

/** A gate of a module that has not been loaded: what stands in a folder may be work that nobody has looked at. */
interface Undeclared extends Gate {
  readonly module: string;
  readonly found: boolean;
}
const isUndeclared = (gate: Gate): gate is Undeclared => 'module' in gate;

async function ownGates({ gates }: LoadedConfig, dir: string): Promise<Gate[]> {
  const undeclared = (name: string, module: string, found: boolean): Undeclared => ({
    name,
    flag: name,
    on: true,
    required: true,
    condition: DEFAULT_CONDITION,
    settings: {},
    run: () => Promise.reject(new Error('is only listed')),
    module,
    found,
  });
  const { customCommandGate } = await import('../../gates/gates/custom/command-gate.ts');
  const custom = gates.custom_gates.map(async (gate) => {
    if (gate.command !== undefined) return customCommandGate({ ...gate, command: gate.command });
    const id = gate.package ?? '';
    const found = await readFile(join(dir, 'node_modules', id, 'package.json')).then(
      () => true,
      () => false,
    );
    return { ...undeclared(gate.name, id, found), ...declaredIn(gate) };
  });
  return [
    ...(await Promise.all(custom)),
    ...gates.modules.map((name) => undeclared(name, moduleFile(name), true)),
  ];
}

const declaredIn = ({ required, condition }: LoadedConfig['gates']['custom_gates'][number]) => ({
  ...(required === undefined ? {} : { required }),
  ...(condition === undefined ? {} : { condition }),
});
