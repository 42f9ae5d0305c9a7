import * as z from 'zod';
import { classifyProcessResult } from '../../../workspace/process/command-outcome.ts';
import { ConfigError } from '../../core/configuration-file.ts';
import type { Gate } from '../../core/gate.ts';
import { GateConditionSetting } from '../../core/gate-conditions.ts';
import type { SandboxFactory } from '../../core/sandbox-factory.ts';
import { createCustomCommandGate, DEFAULT_CUSTOM_GATE_CONDITION } from './custom-command-gate.ts';
import { CustomGateName, type CustomGateSetting } from './custom-gate-setting.ts';
import { type GateModuleSource, runGateModules } from './gate-module-process.ts';
import { gateModulePath } from './gate-modules.ts';
import { createModuleGate, createUnloadedModuleGate } from './module-gate.ts';

/** How long modules may take to say what they are, in milliseconds. */
const DESCRIBE_MS = 30_000;

/** What the default export of a module declares beside `run`. */
const Declaration = z.object({
  name: CustomGateName,
  required: z.boolean().default(true),
  condition: GateConditionSetting.default(DEFAULT_CUSTOM_GATE_CONDITION),
  timeout_s: z.number().int().min(1).max(7_200).optional(),
});

const ModuleDescriptions = z.array(
  z.union([z.object({ declared: z.unknown() }), z.object({ problem: z.string().max(10_000) })]),
);

interface RequestedModule {
  readonly source: GateModuleSource;
  readonly where: string;
  /** What `assay.yaml` says about it wins over what it declares. */
  readonly own: Partial<CustomGateSetting>;
}

/**
 * The project's own gates: commands and packages of `assay.yaml`, in their order, then the modules of the base commit.
 * @throws ConfigError for a module that declares something else than its place says.
 */
export async function loadCustomGates(
  custom: readonly CustomGateSetting[],
  modules: readonly string[],
  project: { readonly sandboxes: SandboxFactory; readonly base: string },
): Promise<Gate[]> {
  const wanted: RequestedModule[] = [
    ...custom.flatMap((own): RequestedModule[] =>
      own.package === undefined
        ? []
        : [{ source: { name: own.name, package: own.package }, where: `package ${own.package}`, own }],
    ),
    ...modules.map((name): RequestedModule => {
      const file = gateModulePath(name);
      return { source: { name, file }, where: file, own: {} };
    }),
  ];
  const loaded = new Map<string, Gate>();
  if (wanted.length > 0) {
    const described = await describe(wanted, project);
    for (const [index, each] of wanted.entries())
      loaded.set(each.source.name, gateOf(each, described[index] ?? { problem: 'it gave no answer' }));
  }
  return [...custom, ...modules.map((name) => ({ name }) as CustomGateSetting)].flatMap((definition) => {
    const { command } = definition;
    const gate =
      command === undefined
        ? loaded.get(definition.name)
        : createCustomCommandGate({ ...definition, command });
    return gate ? [gate] : [];
  });
}

async function describe(
  wanted: readonly RequestedModule[],
  { sandboxes, base }: { readonly sandboxes: SandboxFactory; readonly base: string },
): Promise<z.output<typeof ModuleDescriptions>> {
  const room = await sandboxes.createSandbox(base);
  const sources = wanted.map(({ source }) => source);
  const { processResult, value } = await runGateModules(room, sources, null, DESCRIBE_MS);
  const parsed = ModuleDescriptions.safeParse(value);
  if (parsed.success && parsed.data.length === wanted.length) return parsed.data;
  return wanted.map(() => ({
    problem: `it cannot be loaded: ${classifyProcessResult(processResult).detail}`,
  }));
}

function gateOf(
  { source, where, own }: RequestedModule,
  described: z.output<typeof ModuleDescriptions>[number],
): Gate {
  const { name } = source;
  if ('problem' in described) {
    const declared = {
      name,
      required: own.required ?? true,
      condition: own.condition ?? DEFAULT_CUSTOM_GATE_CONDITION,
    };
    return createUnloadedModuleGate(declared, `${where}: ${described.problem}`);
  }
  const parsed = Declaration.safeParse(described.declared);
  if (!parsed.success) throw createModuleError(where, z.prettifyError(parsed.error).replaceAll('\n', ' '));
  const { data } = parsed;
  if (data.name !== name)
    throw createModuleError(where, `declares the gate "${data.name}", but stands for "${name}"`);
  const timeoutS = own.timeout_s ?? data.timeout_s;
  return createModuleGate(source, {
    name,
    required: own.required ?? data.required,
    condition: own.condition ?? data.condition,
    ...(timeoutS === undefined ? {} : { timeoutS }),
  });
}

const createModuleError = (where: string, message: string): ConfigError =>
  new ConfigError(where, [{ key: '', line: 1, message }]);
