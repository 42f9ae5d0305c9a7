import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as groups from '../groups.ts';

/** Returns the globs that a glob with `{a,b}` stands for. */
const alternatives = (glob: string): string[] => {
  const [, before = '', names, after = ''] = /^(.*?)\{([^{}]*)\}(.*)$/.exec(glob) ?? [];
  return names === undefined
    ? [glob]
    : names.split(',').flatMap((name) => alternatives(`${before}${name}${after}`));
};

test.each(Object.entries(groups))(
  'each glob of %s, and each of its alternatives, matches a test file',
  (_, group) => {
    const globs = Object.values(group).flat().flatMap(alternatives);
    expect(globs).not.toEqual([]);
    expect(globs.filter((glob) => globSync(glob).length === 0)).toEqual([]);
  },
);
