import type { StateDefinition } from './schema.ts';

type States = ReadonlyMap<string, StateDefinition>;

/** Every variable that the states of one flow assign (not those of flows inside them). */
export function assignedVariables(states: States): Set<string> {
  const names = new Set<string>();
  const add = (assign: Readonly<Record<string, unknown>> | undefined) => {
    for (const name of Object.keys(assign ?? {})) names.add(name);
  };
  for (const state of states.values()) {
    if ('Assign' in state) add(state.Assign);
    if ('Catch' in state) for (const catcher of state.Catch ?? []) add(catcher.Assign);
    if (state.Type === 'Choice') for (const choice of state.Choices) add(choice.Assign);
  }
  if (names.has('states')) throw new Error('Assign.states is reserved');
  return names;
}

/** Refuses a flow that starts with a state it does not have. */
export function checkStartState(startAt: string, states: States): void {
  if (!states.has(startAt)) throw new Error(`StartAt names the state "${startAt}", which does not exist`);
}

/** Refuses a state that leads nowhere, or whose wildcard errors hide the handlers after them. */
export function checkStateTransitions(state: StateDefinition, states: States): void {
  for (const [field, target] of targetsOf(state)) {
    if (!states.has(target)) throw new Error(`${field} names the state "${target}", which does not exist`);
  }
  if (state.Type === 'Choice' || state.Type === 'Succeed' || state.Type === 'Fail') return;
  if ((state.Next === undefined) === (state.End === undefined)) {
    throw new Error('needs exactly one of Next and End');
  }
  if ('Retry' in state) checkWildcard('Retry', state.Retry ?? []);
  if ('Catch' in state) checkWildcard('Catch', state.Catch ?? []);
}

function targetsOf(state: StateDefinition): Array<readonly [field: string, target: string]> {
  const targets: Array<readonly [string, string]> = [];
  if ('Next' in state && state.Next !== undefined) targets.push(['Next', state.Next]);
  if ('Catch' in state) {
    for (const [index, catcher] of (state.Catch ?? []).entries()) {
      targets.push([`Catch[${index}].Next`, catcher.Next]);
    }
  }
  if (state.Type !== 'Choice') return targets;
  for (const [index, choice] of state.Choices.entries()) {
    targets.push([`Choices[${index}].Next`, choice.Next]);
  }
  if (state.Default !== undefined) targets.push(['Default', state.Default]);
  return targets;
}

function checkWildcard(
  field: string,
  handlers: ReadonlyArray<{ readonly ErrorEquals: readonly string[] }>,
): void {
  const index = handlers.findIndex(({ ErrorEquals }) => ErrorEquals.includes('States.ALL'));
  const handler = handlers[index];
  if (handler && (handler.ErrorEquals.length > 1 || index < handlers.length - 1)) {
    throw new Error(`${field}[${index}].ErrorEquals: States.ALL must stand alone and in the last place`);
  }
}
