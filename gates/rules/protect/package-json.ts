import {
  type ConfigObject,
  isConfigObject,
  isJsonEqual,
  type ProtectedConfigMerger,
  restoreBaseSettings,
} from './config-merger.ts';

/** Keys of a package.json that steer checks. Dependencies, exports and the rest are the work itself. */
export const PACKAGE_SETTINGS = [
  'scripts',
  'config',
  'wireit',
  'jest',
  'vitest',
  'mocha',
  'ava',
  'tap',
  'c8',
  'nyc',
  'stryker',
  'babel',
  'ts-node',
  'eslintConfig',
  'eslintIgnore',
  'prettier',
  'stylelint',
  'commitlint',
  'xo',
  'standard',
  'semistandard',
  'ts-standard',
  'jshintConfig',
  'biome',
  'knip',
  'size-limit',
  'lint-staged',
  'husky',
  'pre-commit',
  'simple-git-hooks',
  'nx',
  'turbo',
  'volta',
  'packageManager',
  'devEngines',
  'gypfile',
  'trustedDependencies',
  'allowScripts',
] as const;

/** The same of a deno.json. */
const DENO = [
  'tasks',
  'lint',
  'fmt',
  'test',
  'bench',
  'compilerOptions',
  'exclude',
  'include',
  'permissions',
  'unstable',
] as const;

const jsonByBase =
  (keys: readonly string[]): ProtectedConfigMerger =>
  (base, head) => {
    const before = base === null ? {} : parse(base);
    const after = parse(head);
    if (!before || !after) return 'base';
    const merged = restoreBaseSettings(after, before, keys);
    return keys.every((key) => isJsonEqual(before[key], after[key]))
      ? null
      : `${JSON.stringify(merged, null, 2)}\n`;
  };

export const mergePackageJson = jsonByBase(PACKAGE_SETTINGS);
export const mergeDenoJson = jsonByBase(DENO);

/** The steering parts of a package.json but its scripts, as text; empty when it is no object. */
export function extractToolSettings(text: string): string {
  const { scripts: _, ...parsed } = parse(text) ?? {};
  return JSON.stringify(
    Object.fromEntries(PACKAGE_SETTINGS.flatMap((key) => (key in parsed ? [[key, parsed[key]]] : []))),
  );
}

function parse(text: string): ConfigObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isConfigObject(value) ? value : null;
  } catch {
    return null;
  }
}
