import { type Document, LineCounter, parseDocument, visit } from 'yaml';
import type * as z from 'zod';

/** What is wrong with a file, and where: `line` is 1-based, null for the file as a whole. */
export interface FileProblem {
  readonly file: string;
  readonly line: number | null;
  readonly message: string;
}

export const describeFileProblem = ({ file, line, message }: FileProblem): string =>
  `${file}${line === null ? '' : `:${line}`}: ${message}`;

/** Where something of a file stands; null where it has no line of its own. */
export type LineLookup = (path: readonly PropertyKey[]) => number | null;

const createLineLookup =
  (document: Document.Parsed, lines: LineCounter): LineLookup =>
  (path) => {
    for (let length = path.length; length > 0; length--) {
      const node = document.getIn(path.slice(0, length), true) as { range?: readonly number[] } | undefined;
      if (node?.range?.[0] !== undefined) return lines.linePos(node.range[0]).line;
    }
    return null;
  };

function firstAlias(document: Document.Parsed, lines: LineCounter): number | null {
  let line: number | null = null;
  visit(document, {
    Alias: (_key, { range }) => {
      line = range ? lines.linePos(range[0]).line : null;
      return visit.BREAK;
    },
  });
  return line;
}

/** Thousands of brackets within each other are no honest file, and take the reader's stack. */
function parseDocumentOrNull(text: string, lines: LineCounter, merge: boolean): Document.Parsed | null {
  try {
    return parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      version: '1.2',
      schema: 'core',
      merge,
    });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/**
 * Parses untrusted YAML and checks it against `schema`. Aliases are refused unless `maxAliases` allows some: a few of them expand
 * without an end. So are tags that a parser may act upon, and keys given twice.
 */
export function parseYaml<Schema extends z.ZodType>(
  text: string,
  file: string,
  schema: Schema,
  { maxAliases = 0 }: { readonly maxAliases?: number } = {},
):
  | { readonly value: z.output<Schema>; readonly lineOf: LineLookup }
  | { readonly problems: readonly FileProblem[] } {
  const lines = new LineCounter();
  const whole = (message: string) => ({ problems: [{ file, line: null, message }] });
  const document = parseDocumentOrNull(text, lines, maxAliases > 0);
  if (document === null) return whole('is nested too deeply');
  const faults = [...document.errors, ...document.warnings].map((error) => ({
    file,
    line: lines.linePos(error.pos[0]).line,
    message: error.message.split('\n')[0] ?? 'is not YAML',
  }));
  if (faults.length > 0) return { problems: faults };
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: maxAliases }) ?? {};
  } catch {
    return {
      problems: [
        {
          file,
          line: firstAlias(document, lines),
          message: maxAliases > 0 ? 'has aliases that expand too far' : 'has aliases, which are not read',
        },
      ],
    };
  }
  const lineOf = createLineLookup(document, lines);
  const result = schema.safeParse(value);
  if (result.success) return { value: result.data, lineOf };
  return {
    problems: result.error.issues.flatMap((issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => ({
            file,
            line: lineOf([...issue.path, key]),
            message: `${[...issue.path, key].join('.')} is not a known field`,
          }))
        : [
            {
              file,
              line: lineOf(issue.path),
              message: `${issue.path.join('.') || 'the file'}: ${issue.message}`,
            },
          ],
    ),
  };
}
