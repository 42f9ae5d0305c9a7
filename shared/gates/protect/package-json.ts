/** Keys of a package.json that steer checks. Dependencies, exports and the rest are the work itself. */
const STEERING = [
  'scripts',
  'jest',
  'vitest',
  'mocha',
  'ava',
  'tap',
  'c8',
  'nyc',
  'eslintConfig',
  'eslintIgnore',
  'prettier',
  'stylelint',
  'xo',
  'standard',
  'biome',
  'knip',
  'lint-staged',
  'husky',
  'pre-commit',
  'simple-git-hooks',
  'packageManager',
] as const;

type Json = Record<string, unknown>;

/**
 * The new package.json with the steering keys of the base. `base` null: there was none, so none of them counts.
 * @returns the text to use, `null` when the new one steers as the base does, or `'base'` when only the whole base can be
 * trusted, because the new one is no JSON object.
 */
export function steeredByBase(base: string | null, head: string): string | null | 'base' {
  const before = base === null ? {} : parse(base);
  const after = parse(head);
  if (!before || !after) return 'base';
  if (STEERING.every((key) => JSON.stringify(before[key]) === JSON.stringify(after[key]))) return null;
  const merged: Json = { ...after };
  for (const key of STEERING) {
    if (before[key] === undefined) delete merged[key];
    else merged[key] = before[key];
  }
  return `${JSON.stringify(merged, null, 2)}\n`;
}

function parse(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null;
  } catch {
    return null;
  }
}
