import type * as z from 'zod';
import type {
  SubworkflowNodeConfig,
  WorkflowInput,
  WorkflowInputType,
} from '../../contract/workflow/schema.ts';

type Value = string | number | boolean;
/** What a name stands for: a value, something that the task says of itself, or, of a workflow that is looked at alone, nothing yet. */
type InputBinding =
  | { readonly value: Value }
  | { readonly fact: string }
  | { readonly open: WorkflowInputType };
/** What is known at a node beside the facts of the task. */
export type WorkflowInputBindings = ReadonlyMap<string, InputBinding>;

const inputTypeOf = (value: unknown): WorkflowInputType | null => {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value !== 'number') return null;
  return Number.isInteger(value) ? 'integer' : 'float';
};
/** Is something of one type of the other as well? A whole number is a number. */
const isAssignableType = (type: WorkflowInputType | null, wanted: WorkflowInputType): boolean =>
  type === wanted || (type === 'integer' && wanted === 'float');

/** Facts of a task that are not words. */
const FACT_TYPES: Readonly<Record<string, WorkflowInputType>> = { priority: 'integer' };

/** The inputs of a workflow that nothing binds: their defaults. */
export const buildDefaultInputBindings = (inputs: readonly WorkflowInput[]): WorkflowInputBindings =>
  new Map(
    inputs.map((each) => [
      each.name,
      each.default === undefined ? { open: each.type } : { value: each.default },
    ]),
  );

/** What is wrong with the inputs that a workflow declares. `reserved`: names that mean something already. */
export function findInputFaults(inputs: readonly WorkflowInput[], reserved: readonly string[]): string[] {
  return inputs.flatMap(({ name, type, required, default: value }, index) => [
    ...(inputs.findIndex((each) => each.name === name) === index ? [] : [`two inputs are called ${name}`]),
    ...(reserved.includes(name) ? [`${name} means something else already`] : []),
    ...(required === (value === undefined) ? [] : [`${name}: an input is required, or has a default`]),
    ...(value === undefined || isAssignableType(inputTypeOf(value), type)
      ? []
      : [`${name}: its default is no ${type}`]),
  ]);
}

interface BindingFault {
  readonly code: string;
  readonly message: string;
}

const PARENT = '@parent.';

/** What the inputs of a workflow within another stand for, by the bindings of the node that names it. */
export function bindSubworkflowInputs(
  inputs: readonly WorkflowInput[],
  { input_bindings: given, output_bindings: outputs }: z.output<typeof SubworkflowNodeConfig>,
  parent: WorkflowInputBindings,
  facts: readonly string[],
): { readonly scope: WorkflowInputBindings; readonly faults: readonly BindingFault[] } {
  const faults: BindingFault[] = [];
  const scope = new Map<string, InputBinding>(buildDefaultInputBindings(inputs));
  for (const { name, required } of inputs)
    if (required && !Object.hasOwn(given, name))
      faults.push({ code: 'input_missing', message: `config.input_bindings.${name} is missing` });
  for (const [name, value] of Object.entries(given)) {
    const input = inputs.find((each) => each.name === name);
    if (!input) {
      faults.push({
        code: 'input_unknown',
        message: `config.input_bindings.${name}: there is no such input`,
      });
      continue;
    }
    const bound = resolveBinding(value, parent, facts);
    if (bound === null || !isAssignableType(bound.type, input.type))
      faults.push({
        code: 'input_type_mismatch',
        message:
          bound === null
            ? `config.input_bindings.${name}: nothing is known as ${String(value)}; ${PARENT}NAME is an input of this workflow, or ${facts.join(', ')}`
            : `config.input_bindings.${name} must be of type ${input.type}`,
      });
    else scope.set(name, bound.bound);
  }
  // A workflow is about one task, and has nothing to hand on but its work.
  for (const name of Object.keys(outputs))
    faults.push({
      code: 'output_unknown',
      message: `config.output_bindings.${name}: a workflow has no outputs`,
    });
  return { scope, faults };
}

function resolveBinding(
  value: Value,
  parent: WorkflowInputBindings,
  facts: readonly string[],
): { readonly bound: InputBinding; readonly type: WorkflowInputType | null } | null {
  if (typeof value !== 'string' || !value.startsWith('@'))
    return { bound: { value }, type: inputTypeOf(value) };
  const name = value.startsWith(PARENT) ? value.slice(PARENT.length) : '';
  const bound = parent.get(name) ?? (facts.includes(name) ? { fact: name } : null);
  if (!bound) return null;
  if ('value' in bound) return { bound, type: inputTypeOf(bound.value) };
  return { bound, type: 'open' in bound ? bound.open : (FACT_TYPES[bound.fact] ?? 'string') };
}

/** What a condition at a node can ask, for one task. */
export const resolveInputValues = (
  scope: WorkflowInputBindings | undefined,
  facts: Readonly<Record<string, Value>>,
): Readonly<Record<string, Value>> => ({
  ...facts,
  ...Object.fromEntries(
    [...(scope ?? [])].flatMap(([name, bound]) => {
      const value = 'value' in bound ? bound.value : 'fact' in bound ? facts[bound.fact] : undefined;
      return value === undefined ? [] : [[name, value]];
    }),
  ),
});
