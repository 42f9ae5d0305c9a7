import { type Document, isMap, isScalar, LineCounter, parseDocument } from 'yaml';
import type * as z from 'zod';
import { ConfigError, type ConfigProblem } from '../../core/configuration-file.ts';

/** Most problems that are told at once: a file that is no configuration has one on every line. */
const MAX_PROBLEMS = 20;

/** A YAML (or JSON) document whose values can be traced back to their lines. */
export interface YamlFile {
  readonly file: string;
  readonly value: unknown;
  /** 1-based line of the key at `path`, or of the nearest thing above it that is in the file. */
  lineOf(path: readonly PropertyKey[]): number;
}

/** Reads YAML. @throws ConfigError for bad syntax, a key that is there twice, or aliases that would grow without end. */
export function parseYamlFile(text: string, file: string): YamlFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0)
    throw new ConfigError(
      file,
      document.errors.slice(0, MAX_PROBLEMS).map((error) => ({
        key: '',
        line: lines.linePos(error.pos[0]).line,
        message: `is not valid YAML: ${error.message}`,
      })),
    );
  return { file, value: plain(document, file), lineOf: (path) => lineOf(path, document, lines) };
}

/** Checks a document against a schema. @throws ConfigError that names every offending key and its line. */
export function validateYamlFile<T extends z.ZodType>(
  schema: T,
  { file, value, lineOf }: YamlFile,
): z.output<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problem = (path: readonly PropertyKey[], message: string): ConfigProblem => ({
    key: dotted(path),
    line: lineOf(path),
    message,
  });
  throw new ConfigError(
    file,
    parsed.error.issues
      .flatMap((issue) =>
        issue.code === 'unrecognized_keys'
          ? issue.keys.map((key) => ({ path: [...issue.path, key], message: 'is not a known key' }))
          : [{ path: issue.path, message: issue.message }],
      )
      .slice(0, MAX_PROBLEMS)
      .map(({ path, message }) => problem(path, message)),
  );
}

/** `quality_gates.pipeline[1].name` */
const dotted = (path: readonly PropertyKey[]): string =>
  path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index ? '.' : ''}${String(part)}`))
    .join('');

/** The plain value. Aliases are limited, because a few lines of them can mean gigabytes. */
function plain(document: Document, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new ConfigError(file, [{ key: '', line: 1, message: `cannot be read: ${message}` }]);
  }
}

function lineOf(path: readonly PropertyKey[], document: Document, lines: LineCounter): number {
  for (let depth = path.length; depth > 0; depth--) {
    const parent = depth === 1 ? document.contents : document.getIn(path.slice(0, depth - 1), true);
    const last = path[depth - 1];
    const pair = isMap(parent)
      ? parent.items.find((item) => isScalar(item.key) && String(item.key.value) === String(last))
      : undefined;
    const node: unknown = pair?.key ?? document.getIn(path.slice(0, depth), true);
    const range = (node as { range?: readonly number[] } | undefined)?.range;
    if (range?.[0] !== undefined) return lines.linePos(range[0]).line;
  }
  return 1;
}
