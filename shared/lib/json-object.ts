/** A JSON object of which nothing more is known. */
export type JsonObject = Readonly<Record<string, unknown>>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the fields of an object; of anything else, none. */
export const toJsonObject = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});
