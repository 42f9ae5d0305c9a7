import { isRecord } from '../properties.ts';

/** Says whether an event matches a pattern. */
export type Filter = (event: unknown) => boolean;

type Test = (value: unknown) => boolean;

/**
 * Compiles an event pattern, as in filter criteria and rules of EventBridge: lists of exact values, `prefix`, `suffix`,
 * `equals-ignore-case`, `exists`, `anything-but` and `numeric`. Throws, naming it, for any other comparison.
 */
export function compileFilter(pattern: unknown): Filter {
  if (!isRecord(pattern)) throw new Error(`an event pattern is an object, not ${JSON.stringify(pattern)}`);
  const parts = Object.entries(pattern).map(([name, expected]) => {
    if (name.startsWith('$')) throw new Error(`the event pattern ${name} is not known`);
    const matches = Array.isArray(expected) ? anyOf(expected) : compileFilter(expected);
    return (event: unknown) => matches(isRecord(event) ? event[name] : undefined);
  });
  return (event) => parts.every((matches) => matches(event));
}

function anyOf(alternatives: readonly unknown[]): Test {
  const tests = alternatives.map(compileTest);
  return (value) => {
    // A list in the event matches when one of its members does.
    const values = Array.isArray(value) && value.length > 0 ? value : [value];
    return tests.some((test) => values.some(test));
  };
}

function compileTest(expected: unknown): Test {
  if (!isRecord(expected)) return (value) => value === expected;
  const [[name, argument] = ['nothing', undefined], ...others] = Object.entries(expected);
  if (others.length > 0) throw new Error(`one comparison at a time, not ${JSON.stringify(expected)}`);
  switch (name) {
    case 'exists':
      return (value) => (value !== undefined) === argument;
    case 'anything-but': {
      const excluded = anyOf(Array.isArray(argument) ? argument : [argument]);
      return (value) => value !== undefined && !excluded(value);
    }
    case 'prefix':
    case 'suffix':
    case 'equals-ignore-case': {
      if (typeof argument !== 'string') throw new Error(`${name} takes a string`);
      return compareText(name, argument);
    }
    case 'numeric':
      return numeric(argument);
    default:
      throw new Error(`the comparison ${name} is not known`);
  }
}

function compareText(name: 'prefix' | 'suffix' | 'equals-ignore-case', argument: string): Test {
  if (name === 'prefix') return (value) => typeof value === 'string' && value.startsWith(argument);
  if (name === 'suffix') return (value) => typeof value === 'string' && value.endsWith(argument);
  return (value) => typeof value === 'string' && value.toLowerCase() === argument.toLowerCase();
}

const RELATIONS: Readonly<Record<string, (value: number, limit: number) => boolean>> = {
  '=': (value, limit) => value === limit,
  '<': (value, limit) => value < limit,
  '<=': (value, limit) => value <= limit,
  '>': (value, limit) => value > limit,
  '>=': (value, limit) => value >= limit,
};

function numeric(argument: unknown): Test {
  const parts = Array.isArray(argument) ? argument : [];
  const tests: ((value: number) => boolean)[] = [];
  for (let index = 0; index < parts.length; index += 2) {
    const relation = RELATIONS[String(parts[index])];
    const limit: unknown = parts[index + 1];
    if (relation === undefined || typeof limit !== 'number') {
      throw new Error(`numeric does not take ${JSON.stringify(argument)}`);
    }
    tests.push((value) => relation(value, limit));
  }
  if (tests.length === 0) throw new Error('numeric needs a relation and a number');
  return (value) => typeof value === 'number' && tests.every((test) => test(value));
}
