/** Anything that came out of `JSON.parse`: nothing is known of it until it is asked for. */
export type JsonFields = Readonly<Record<string, unknown>>;

const NONE: JsonFields = {};

/** An object's fields; of anything else, none. */
export const toJsonFields = (value: unknown): JsonFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonFields) : NONE;

export const toJsonArray = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A text that says something, else null. */
export const toNonBlankText = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value : null;

/** A count that can be one: whole and not negative. */
export const toNonNegativeInteger = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;

/** An amount that can be one: finite and not negative. */
export const toNonNegativeNumber = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;

/** `JSON.parse` that answers undefined to what is none. */
export function tryParseJson(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}
