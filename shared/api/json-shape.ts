import { type FieldError, jsonPointer, Refusal } from '../contract/refusal.ts';

/** Deepest nesting of a body; the deepest of ours, evidence with its findings, has 6 levels. */
export const MAX_JSON_DEPTH = 16;
/** Most values in a body, counted with those inside of others. */
export const MAX_JSON_VALUES = 100_000;
/** Most keys of one object: none of ours has more than 40, and what gates say of themselves is short. */
export const MAX_JSON_KEYS = 500;

const refuse = (path: readonly PropertyKey[], message: string): never => {
  const error: FieldError = { pointer: jsonPointer(path), message };
  throw new Refusal('invalid', `${error.pointer || '/'} ${message}`, [error]);
};

/** Why a text cannot go where texts go: into files, arguments of programs, messages of commits, prompts. Null when it can. */
function unfitText(text: string): string | null {
  if (!text.isWellFormed()) return 'must be well-formed Unicode text: half of a surrogate pair stands alone';
  return text.includes('\0')
    ? 'must not contain a NUL: no argument, path or commit message can hold one'
    : null;
}

interface JsonNode {
  readonly value: unknown;
  readonly path: readonly PropertyKey[];
}

/**
 * Refuses a body that no schema should be asked about: one that is nested without end, has values without end, keys that JavaScript
 * takes for something else, or text that no file, table or program can hold. Iterative, so that no body can end the stack.
 * @throws Refusal `invalid`, naming the place.
 */
export function checkJsonLimits(body: unknown): void {
  let values = 0;
  const places: JsonNode[] = [{ value: body, path: [] }];
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    const { value, path } = place;
    if (++values > MAX_JSON_VALUES) refuse([], `has more than ${MAX_JSON_VALUES} values`);
    const unfit = typeof value === 'string' ? unfitText(value) : null;
    if (unfit !== null) refuse(path, unfit);
    if (typeof value !== 'object' || value === null) continue;
    if (path.length >= MAX_JSON_DEPTH) refuse(path, `is nested more than ${MAX_JSON_DEPTH} levels deep`);
    if (Array.isArray(value)) {
      if (value.length > MAX_JSON_VALUES) refuse(path, `has more than ${MAX_JSON_VALUES} values`);
      for (const [index, each] of value.entries()) places.push({ value: each, path: [...path, index] });
      continue;
    }
    const keys = Object.keys(value);
    if (keys.length > MAX_JSON_KEYS) refuse(path, `has more than ${MAX_JSON_KEYS} fields`);
    for (const key of keys) {
      if (key === '__proto__' || unfitText(key) !== null) refuse([...path, key], 'is not a name for a field');
      places.push({ value: (value as Record<string, unknown>)[key], path: [...path, key] });
    }
  }
}
