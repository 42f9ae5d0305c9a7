import { UNCONFIGURED_GATE_NAMES } from '../../../shared/contract/evidence/gate-names.ts';
import type { ConfigProblem } from '../../core/configuration-file.ts';
import type { CustomGateSetting } from './custom-gate-setting.ts';
import { findGateModuleNameProblem, gateModulePath } from './gate-modules.ts';

interface NamedGate {
  readonly name: string;
  /** Where it comes from, in words. */
  readonly what: string;
  /** Path of its name in the configuration; null for what does not stand there. */
  readonly path: readonly PropertyKey[] | null;
}

/** Two gates with one name, and places that name none. `lineOf` is the configuration's. */
export function findGateNameProblems(options: {
  readonly builtIn: readonly string[];
  readonly custom: readonly CustomGateSetting[];
  readonly modules: readonly string[];
  /** Places that name a gate. */
  readonly named: readonly { readonly name: string; readonly path: readonly PropertyKey[] }[];
  readonly lineOf: (path: readonly PropertyKey[]) => number;
}): ConfigProblem[] {
  const { builtIn, custom, modules, named, lineOf } = options;
  const all: NamedGate[] = [
    ...builtIn.map((name) => ({ name, what: `the built-in gate "${name}"`, path: null })),
    // In the evidence beside the gates of the configuration, and switched elsewhere.
    ...UNCONFIGURED_GATE_NAMES.map((name) => ({ name, what: `the built-in gate "${name}"`, path: null })),
    ...modules.map((name) => ({ name, what: gateModulePath(name), path: null })),
    ...custom.map(({ name }, index) => {
      const path = ['quality_gates', 'custom_gates', index, 'name'];
      return { name, what: `custom_gates[${index}] "${name}"`, path };
    }),
  ];
  const problem = (path: NamedGate['path'], message: string): ConfigProblem => ({
    key: path === null ? '' : keyOf(path),
    line: path === null ? 1 : lineOf(path),
    message,
  });
  const bad = modules.flatMap((name) => {
    const why = findGateModuleNameProblem(name);
    return why === null ? [] : [problem(null, `${gateModulePath(name)}: its name ${why}`)];
  });
  const twice = all.flatMap(({ name, what, path }, index) => {
    const earlier = all.slice(0, index).find((other) => other.name === name);
    return earlier ? [problem(path, `${what} has the name of ${earlier.what}`)] : [];
  });
  const known = [...new Set(all.map(({ name }) => name))].filter(
    (name) => !UNCONFIGURED_GATE_NAMES.includes(name),
  );
  const unknown = named.flatMap(({ name, path }) =>
    known.includes(name) ? [] : [problem(path, `is not a gate; known: ${known.join(', ')}`)],
  );
  return [...bad, ...twice, ...unknown];
}

const keyOf = (path: readonly PropertyKey[]): string =>
  path
    .map((part, at) => (typeof part === 'number' ? `[${part}]` : `${at ? '.' : ''}${String(part)}`))
    .join('');
