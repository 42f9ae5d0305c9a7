import * as z from 'zod';

/** True for values that ask for nothing: they are left out. */
const isInert = (value: unknown): boolean =>
  value === null || value === undefined || value === false || (Array.isArray(value) && value.length === 0);

/** Text of a field's name without case, separators and compatibility characters. */
const foldName = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '');

/** The fields that one protocol may send. Everything that no schema of it names is left out of what is sent. */
export class AllowedFields {
  readonly #namesByFold = new Map<string, Set<string>>();

  /** An object of which only these fields are sent. */
  object<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape> {
    for (const name of Object.keys(shape)) {
      const folded = foldName(name);
      const spellings = this.#namesByFold.get(folded) ?? new Set();
      this.#namesByFold.set(folded, spellings.add(name));
    }
    return z.object(shape);
  }

  /** The known name that `name` is another spelling of; null when it is none. */
  knownSpelling(name: string): string | null {
    const spellings = this.#namesByFold.get(foldName(name));
    return spellings === undefined || spellings.has(name) ? null : ([...spellings][0] ?? null);
  }
}

/** JSON that is part of the prompt and means nothing to the provider: schemas, arguments of calls, results. */
export const opaque = z.unknown().optional();
export const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]).optional();
export const scalars = z.record(z.string(), scalar).nullish();
export const text = z.string().nullish();
/** A number of tokens or answers. */
export const positiveInteger = z.number().int().positive().nullish();

/** A field that is refused unless its value asks for nothing. `hint` says why, and what to set instead. */
export const refused = (hint: string) =>
  z
    .unknown()
    .refine(isInert, { error: hint })
    .transform(() => undefined)
    .optional();

/** A string of a closed set. @param hint follows the value in the message */
export const oneOf = (values: RegExp, hint: string) =>
  z.string().refine((value) => values.test(value), {
    error: ({ input }) => `${String(input).slice(0, 100)} ${hint}`,
  });

const URL_SCHEME = /^\s*(?!data:)[a-z][a-z0-9+.-]*:/i;
const INLINE_HINT = 'refers to content elsewhere; send the content itself, as base64';
/** Base64, or a data URL. */
export const inlineData = z
  .string()
  .refine((value) => !URL_SCHEME.test(value), { error: INLINE_HINT })
  .nullish();
/** A data URL. */
export const dataUrl = z
  .string()
  .refine((value) => /^data:/i.test(value), { error: `${INLINE_HINT} in a data: URL` })
  .nullish();

export const STORED_CONTENT_HINT =
  'refers to content that the provider keeps, so its cost cannot be bounded; send the content itself';
export const PROVIDER_TOOL_HINT =
  'runs at the provider and costs extra; this gateway allows only tools that the client runs itself: switch it off';
