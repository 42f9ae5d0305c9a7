/** What a partly protected file is merged with. */
export interface ProtectedConfigMergeContext {
  /** Folder of the file; empty at the top. */
  readonly folder: string;
  /** Whether the patch deletes a file. */
  isDeleted(path: string): boolean;
}

/**
 * The new version of a file with what steers checks as the base has it. `base` null: there was none, so nothing of it counts.
 * @returns the text to use, `null` when the new one steers as the base does, or `'base'` when only the whole base can be
 * trusted, because nobody can take the new one apart.
 */
export type ProtectedConfigMerger = (
  base: string | null,
  head: string,
  context: ProtectedConfigMergeContext,
) => string | null | 'base';

export type ConfigObject = Record<string, unknown>;

export const isConfigObject = (value: unknown): value is ConfigObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

/** Whether two values are equal where the order of keys in a table means nothing, as in TOML. */
export const isEqualInAnyOrder = (a: unknown, b: unknown): boolean =>
  isConfigObject(a) && isConfigObject(b)
    ? Object.keys(a).length === Object.keys(b).length &&
      Object.keys(a).every((key) => Object.hasOwn(b, key) && isEqualInAnyOrder(a[key], b[key]))
    : Array.isArray(a) && Array.isArray(b)
      ? a.length === b.length && a.every((each, index) => isEqualInAnyOrder(each, b[index]))
      : isJsonEqual(a, b);

export const isJsonEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** `head` with these keys as `base` has them, at a path such as `tool.pytest`; a table that was not there is not made. */
export function restoreBaseSetting(head: ConfigObject, base: ConfigObject, path: string): ConfigObject {
  const dot = path.indexOf('.');
  if (dot >= 0) {
    const key = path.slice(0, dot);
    const [inner, from] = [head[key], base[key]];
    if (inner !== undefined && !isConfigObject(inner)) return restoreBaseSetting(head, base, key);
    const merged = restoreBaseSetting(inner ?? {}, isConfigObject(from) ? from : {}, path.slice(dot + 1));
    return inner === undefined && Object.keys(merged).length === 0 ? head : { ...head, [key]: merged };
  }
  if (base[path] !== undefined) return { ...head, [path]: base[path] };
  const { [path]: _, ...rest } = head;
  return rest;
}

/** Does the same as `restoreBaseSetting`, for many paths. */
export const restoreBaseSettings = (
  head: ConfigObject,
  base: ConfigObject,
  paths: readonly string[],
): ConfigObject => paths.reduce((merged, path) => restoreBaseSetting(merged, base, path), head);
