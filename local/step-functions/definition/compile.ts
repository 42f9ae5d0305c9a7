import { type CompiledExpressionTemplate, compileExpressionTemplate } from '../interpreter/template.ts';
import { assignedVariables, checkStartState, checkStateTransitions } from './flow-checks.ts';
import type {
  Catcher,
  CompiledStateMachine,
  State,
  StateFlow,
  StateOutputAndAssignments,
} from './machine.ts';
import { parseDefinition, withErrorLocation } from './parse-definition.ts';
import {
  type FlowDefinition,
  flowSchema,
  machineSchema,
  type Retrier,
  type StateDefinition,
  stateSchema,
} from './schema.ts';
import { parseTaskResource } from './task-resource.ts';

/**
 * Compiles the definition of a state machine. Throws an error that names the state and the key when the
 * definition holds anything that the interpreter does not run, so that no difference from AWS goes unseen.
 */
export function compileMachine(definition: unknown): CompiledStateMachine {
  const parsed = parseDefinition(machineSchema, definition);
  return { ...compileFlow(parsed, new Set()), timeoutSeconds: parsed.TimeoutSeconds };
}

/** `outer` holds the variables of the flows around this one: they can be read here, but not assigned. */
function compileFlow(flow: FlowDefinition, outer: ReadonlySet<string>): StateFlow {
  const definitions = new Map<string, StateDefinition>();
  for (const [name, raw] of Object.entries(flow.States)) {
    definitions.set(
      name,
      withErrorLocation(`state "${name}"`, () => parseDefinition(stateSchema, raw)),
    );
  }
  checkStartState(flow.StartAt, definitions);
  const own = assignedVariables(definitions);
  const taken = [...own].find((variable) => outer.has(variable));
  if (taken) throw new Error(`Assign.${taken} would assign a variable of an outer state`);
  const visible = new Set([...outer, ...own]);
  const states = new Map<string, State>();
  for (const [name, definition] of definitions) {
    withErrorLocation(`state "${name}"`, () => {
      checkStateTransitions(definition, definitions);
      states.set(name, compileState(name, definition, visible));
    });
  }
  return { startAt: flow.StartAt, states };
}

function compileState(name: string, state: StateDefinition, visible: ReadonlySet<string>): State {
  const inner = (part: string, raw: unknown) =>
    withErrorLocation(part, () => compileFlow(parseDefinition(flowSchema, raw), visible));
  switch (state.Type) {
    case 'Task':
      return {
        type: state.Type,
        ...handled(name, state),
        resource: parseTaskResource(state.Resource, state.Arguments),
        arguments: optional(state.Arguments, 'Arguments'),
        timeoutSeconds: optional(state.TimeoutSeconds, 'TimeoutSeconds'),
      };
    case 'Parallel':
      return {
        type: state.Type,
        ...handled(name, state),
        arguments: optional(state.Arguments, 'Arguments'),
        branches: state.Branches.map((branch, index) => inner(`Branches[${index}]`, branch)),
      };
    case 'Map': {
      const { ProcessorConfig: _, ...processor } = state.ItemProcessor;
      return {
        type: state.Type,
        ...handled(name, state),
        items: optional(state.Items, 'Items'),
        itemSelector: optional(state.ItemSelector, 'ItemSelector'),
        processor: inner('ItemProcessor', processor),
        maxConcurrency: optional(state.MaxConcurrency, 'MaxConcurrency'),
      };
    }
    case 'Choice':
      return {
        type: state.Type,
        name,
        choices: state.Choices.map((choice, index) => ({
          condition: compileExpressionTemplate(choice.Condition, `Choices[${index}].Condition`),
          next: choice.Next,
          effects: effects(choice, `Choices[${index}].`),
        })),
        defaultNext: state.Default,
        effects: effects(state),
      };
    case 'Wait':
      return {
        type: state.Type,
        ...moving(name, state),
        seconds: optional(state.Seconds, 'Seconds'),
        timestamp: optional(state.Timestamp, 'Timestamp'),
      };
    case 'Pass':
      return { type: state.Type, ...moving(name, state) };
    case 'Succeed':
      return { type: state.Type, name, effects: effects(state), next: null };
    case 'Fail': {
      const [error, cause] = [optional(state.Error, 'Error'), optional(state.Cause, 'Cause')];
      return { type: state.Type, name, error, cause };
    }
  }
}

interface WithEffects {
  readonly Output?: unknown;
  readonly Assign?: Readonly<Record<string, unknown>> | undefined;
}
interface WithTransition extends WithEffects {
  readonly Next?: string | undefined;
}
interface CatchDefinition extends WithEffects {
  readonly ErrorEquals: readonly string[];
  readonly Next: string;
}
interface WithHandlers extends WithTransition {
  readonly Retry?: readonly Retrier[] | undefined;
  readonly Catch?: readonly CatchDefinition[] | undefined;
}

function effects(state: WithEffects, prefix = ''): StateOutputAndAssignments {
  return {
    output: optional(state.Output, `${prefix}Output`),
    assign: Object.entries(state.Assign ?? {}).map(
      ([variable, value]) =>
        [variable, compileExpressionTemplate(value, `${prefix}Assign.${variable}`)] as const,
    ),
  };
}

function moving(name: string, state: WithTransition) {
  return { name, effects: effects(state), next: state.Next ?? null };
}

function handled(name: string, state: WithHandlers) {
  const catchers = (state.Catch ?? []).map(
    (catcher, index): Catcher => ({
      errorEquals: catcher.ErrorEquals,
      next: catcher.Next,
      effects: effects(catcher, `Catch[${index}].`),
    }),
  );
  return { ...moving(name, state), retry: state.Retry ?? [], catch: catchers };
}

function optional(value: unknown, field: string): CompiledExpressionTemplate | undefined {
  return value === undefined ? undefined : compileExpressionTemplate(value, field);
}
