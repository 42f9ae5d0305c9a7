import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ConfigError } from '../../shared/config/error.ts';
import type { LoadedConfig } from '../../shared/config/load.ts';
import { describeCondition } from '../../shared/gates/conditions.ts';
import { DEFAULT_CONDITION } from '../../shared/gates/custom/command-gate.ts';
import { moduleFile } from '../../shared/gates/custom/modules.ts';
import type { Gate, Plan } from '../../shared/gates/gate.ts';
import { pipelineOf } from '../../shared/gates/pipeline.ts';
import { planOf } from '../../shared/gates/plan.ts';
import { GATES } from '../../shared/gates/registry.ts';
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
  /** The command line that it would run; null: none is configured, or `tool` says it is code of ours or of a module. */
  readonly command: string | null;
  /** The program, `assay` for code of ours, or the module; null: nothing is configured, or the command line does not say. */
  readonly tool: string | null;
  /** Whether the program is here; null: there is nothing to look for. */
  readonly tool_found: boolean | null;
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
  const packageJson = await read('package.json');
  const own = config === null ? [] : await ownGates(config, dir);
  const settings = config?.gates.settings ?? {};
  const steps = pipelineOf(config?.gates ?? null, own);
  const running = new Set(steps.map(({ gate }) => gate.name));
  const all = [
    ...steps.map((step) => ({ ...step, enabled: true })),
    ...[...GATES, ...own]
      .filter(({ name }) => !running.has(name))
      .map((gate) => ({ ...gate, gate, command: null, enabled: false })),
  ];
  return Promise.all(
    all.map(async ({ gate, enabled, required, condition, command }): Promise<ListedGate> => {
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
        ...(await toolFor(gate, command)),
      };
    }),
  );

  async function toolFor(gate: Gate, command: string | null) {
    if (isUndeclared(gate)) return { command: null, tool: gate.module, tool_found: gate.found };
    const plan: Plan = command === null ? await planOf(gate, { baseFile: read }, settings) : { command };
    if (plan === null) return { command: null, tool: null, tool_found: null };
    if (plan === 'ours') return { command: null, tool: 'assay', tool_found: true };
    const { name, found } = await toolOf(plan.command, dir, packageJson);
    if (!found && plan.elseOurs) return { command: null, tool: 'assay', tool_found: true };
    return { command: plan.command, tool: name, tool_found: found };
  }
}

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
  const { customCommandGate } = await import('../../shared/gates/custom/command-gate.ts');
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
