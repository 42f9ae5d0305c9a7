import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ConfigError } from '../../shared/config/error.ts';
import { CONFIG_FILE } from '../../shared/config/file.ts';
import { type LoadedConfig, parseConfig } from '../../shared/config/load.ts';
import { describeCondition } from '../../shared/gates/conditions.ts';
import type { Gate } from '../../shared/gates/gate.ts';
import { pipelineOf } from '../../shared/gates/pipeline.ts';
import { planOf } from '../../shared/gates/plan.ts';
import { GATES } from '../../shared/gates/registry.ts';
import { configError } from '../check/errors.ts';
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
  readonly required: boolean;
  readonly condition: string;
  /** The command line that it would run; null: none is configured, or `tool` says it is code of ours. */
  readonly command: string | null;
  /** The program, or `assay` for code of ours; null: nothing is configured, or the command line does not say. */
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
  const read = (path: string): Promise<string | null> => readFile(join(dir, path), 'utf8').catch(() => null);
  const config = configIn(await read(CONFIG_FILE));
  const packageJson = await read('package.json');
  const settings = config?.gates.settings ?? {};
  const steps = pipelineOf(config?.gates ?? null);
  const running = new Set(steps.map(({ gate }) => gate.name));
  const all = [
    ...steps.map((step) => ({ ...step, enabled: true })),
    ...GATES.filter(({ name }) => !running.has(name)).map((gate) => ({ ...gate, gate, enabled: false })),
  ];
  return Promise.all(
    all.map(async ({ gate, enabled, required, condition, ...step }) => ({
      ...factsOf(gate),
      enabled,
      required,
      condition: describeCondition(condition),
      ...(await toolFor(gate, 'command' in step ? step.command : null)),
    })),
  );

  async function toolFor(gate: Gate, own: string | null) {
    const plan = own === null ? await planOf(gate, { baseFile: read }, settings) : { command: own };
    if (plan === null) return { command: null, tool: null, tool_found: null };
    if (plan === 'ours') return { command: null, tool: 'assay', tool_found: true };
    const { name, found } = await toolOf(plan.command, dir, packageJson);
    return { command: plan.command, tool: name, tool_found: found };
  }
}

const factsOf = (gate: Gate) =>
  GATES.includes(gate)
    ? ({ name: gate.name, flag: gate.flag, source: 'built_in', on_by_default: gate.on } as const)
    : ({ name: gate.name, flag: null, source: 'custom', on_by_default: gate.on } as const);

function configIn(text: string | null): LoadedConfig | null {
  if (text === null) return null;
  try {
    return parseConfig(text);
  } catch (error) {
    throw error instanceof ConfigError ? configError(error) : error;
  }
}
