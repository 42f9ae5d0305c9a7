import * as z from 'zod';
import { outcomeOf } from '../../../workspace/process/outcome.ts';
import { ConditionSetting } from '../../core/conditions.ts';
import { ConfigError } from '../../core/configuration-error.ts';
import type { Gate } from '../../core/gate.ts';
import type { Rooms } from '../../core/rooms.ts';
import { askModules, type Source } from './child.ts';
import { customCommandGate, DEFAULT_CONDITION } from './command-gate.ts';
import { moduleGate, unloadedGate } from './module-gate.ts';
import { moduleFile } from './modules.ts';
import { type CustomGate, GateName } from './settings.ts';

/** How long modules may take to say what they are, in milliseconds. */
const DESCRIBE_MS = 30_000;

/** What the default export of a module declares beside `run`. */
const Declaration = z.object({
  name: GateName,
  required: z.boolean().default(true),
  condition: ConditionSetting.default(DEFAULT_CONDITION),
  timeout_s: z.number().int().min(1).max(7_200).optional(),
});

const Described = z.array(
  z.union([z.object({ declared: z.unknown() }), z.object({ problem: z.string().max(10_000) })]),
);

interface Wanted {
  readonly source: Source;
  readonly where: string;
  /** What `assay.yaml` says about it wins over what it declares. */
  readonly own: Partial<CustomGate>;
}

/**
 * The project's own gates: commands and packages of `assay.yaml`, in their order, then the modules of the base commit.
 * @throws ConfigError for a module that declares something else than its place says.
 */
export async function customGates(
  custom: readonly CustomGate[],
  modules: readonly string[],
  project: { readonly rooms: Rooms; readonly base: string },
): Promise<Gate[]> {
  const wanted: Wanted[] = [
    ...custom.flatMap((own): Wanted[] =>
      own.package === undefined
        ? []
        : [{ source: { name: own.name, package: own.package }, where: `package ${own.package}`, own }],
    ),
    ...modules.map((name): Wanted => {
      const file = moduleFile(name);
      return { source: { name, file }, where: file, own: {} };
    }),
  ];
  const loaded = new Map<string, Gate>();
  if (wanted.length > 0) {
    const described = await describe(wanted, project);
    for (const [index, each] of wanted.entries())
      loaded.set(each.source.name, gateOf(each, described[index] ?? { problem: 'it gave no answer' }));
  }
  return [...custom, ...modules.map((name) => ({ name }) as CustomGate)].flatMap((definition) => {
    const { command } = definition;
    const gate =
      command === undefined ? loaded.get(definition.name) : customCommandGate({ ...definition, command });
    return gate ? [gate] : [];
  });
}

async function describe(
  wanted: readonly Wanted[],
  { rooms, base }: { readonly rooms: Rooms; readonly base: string },
): Promise<z.output<typeof Described>> {
  const room = await rooms.enter(base);
  const sources = wanted.map(({ source }) => source);
  const { ran, value } = await askModules(room, sources, null, DESCRIBE_MS);
  const parsed = Described.safeParse(value);
  if (parsed.success && parsed.data.length === wanted.length) return parsed.data;
  return wanted.map(() => ({ problem: `it cannot be loaded: ${outcomeOf(ran).detail}` }));
}

function gateOf({ source, where, own }: Wanted, described: z.output<typeof Described>[number]): Gate {
  const { name } = source;
  if ('problem' in described) {
    const declared = {
      name,
      required: own.required ?? true,
      condition: own.condition ?? DEFAULT_CONDITION,
    };
    return unloadedGate(declared, `${where}: ${described.problem}`);
  }
  const parsed = Declaration.safeParse(described.declared);
  if (!parsed.success) throw refused(where, z.prettifyError(parsed.error).replaceAll('\n', ' '));
  const { data } = parsed;
  if (data.name !== name) throw refused(where, `declares the gate "${data.name}", but stands for "${name}"`);
  const timeoutS = own.timeout_s ?? data.timeout_s;
  return moduleGate(source, {
    name,
    required: own.required ?? data.required,
    condition: own.condition ?? data.condition,
    ...(timeoutS === undefined ? {} : { timeoutS }),
  });
}

const refused = (where: string, message: string): ConfigError =>
  new ConfigError(where, [{ key: '', line: 1, message }]);
