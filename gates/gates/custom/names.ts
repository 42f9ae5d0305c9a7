import { OF_THE_TASK } from '../../../shared/contract/evidence/names.ts';
import type { ConfigProblem } from '../../core/configuration-error.ts';
import { badModuleName, moduleFile } from './modules.ts';
import type { CustomGate } from './settings.ts';

interface Named {
  readonly name: string;
  /** Where it comes from, in words. */
  readonly what: string;
  /** Path of its name in the configuration; null for what does not stand there. */
  readonly path: readonly PropertyKey[] | null;
}

/** Two gates with one name, and places that name none. `lineOf` is the configuration's. */
export function nameProblems(options: {
  readonly builtIn: readonly string[];
  readonly custom: readonly CustomGate[];
  readonly modules: readonly string[];
  /** Places that name a gate. */
  readonly named: readonly { readonly name: string; readonly path: readonly PropertyKey[] }[];
  readonly lineOf: (path: readonly PropertyKey[]) => number;
}): ConfigProblem[] {
  const { builtIn, custom, modules, named, lineOf } = options;
  const all: Named[] = [
    ...builtIn.map((name) => ({ name, what: `the built-in gate "${name}"`, path: null })),
    // In the evidence beside the gates of the configuration, and switched elsewhere.
    ...OF_THE_TASK.map((name) => ({ name, what: `the built-in gate "${name}"`, path: null })),
    ...modules.map((name) => ({ name, what: moduleFile(name), path: null })),
    ...custom.map(({ name }, index) => {
      const path = ['quality_gates', 'custom_gates', index, 'name'];
      return { name, what: `custom_gates[${index}] "${name}"`, path };
    }),
  ];
  const problem = (path: Named['path'], message: string): ConfigProblem => ({
    key: path === null ? '' : keyOf(path),
    line: path === null ? 1 : lineOf(path),
    message,
  });
  const bad = modules.flatMap((name) => {
    const why = badModuleName(name);
    return why === null ? [] : [problem(null, `${moduleFile(name)}: its name ${why}`)];
  });
  const twice = all.flatMap(({ name, what, path }, index) => {
    const earlier = all.slice(0, index).find((other) => other.name === name);
    return earlier ? [problem(path, `${what} has the name of ${earlier.what}`)] : [];
  });
  const known = [...new Set(all.map(({ name }) => name))].filter((name) => !OF_THE_TASK.includes(name));
  const unknown = named.flatMap(({ name, path }) =>
    known.includes(name) ? [] : [problem(path, `is not a gate; known: ${known.join(', ')}`)],
  );
  return [...bad, ...twice, ...unknown];
}

const keyOf = (path: readonly PropertyKey[]): string =>
  path
    .map((part, at) => (typeof part === 'number' ? `[${part}]` : `${at ? '.' : ''}${String(part)}`))
    .join('');
