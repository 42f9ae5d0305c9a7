import { type Document, isMap, isScalar, LineCounter, parseDocument } from 'yaml';
import type * as z from 'zod';
import { ConfigError, type ConfigProblem } from './error.ts';
import { Config, type QualityGatesConfig } from './schema.ts';

/** Name of the file in the base commit. */
export const CONFIG_FILE = 'assay.yaml';
/** Largest configuration file in bytes. */
export const MAX_CONFIG_BYTES = 256 * 1024;

export interface LoadedConfig {
  readonly gates: QualityGatesConfig;
  readonly nudge: { readonly threshold?: number | undefined; readonly min_completions?: number | undefined };
}

/**
 * Reads the text of an `assay.yaml`.
 * @throws ConfigError that names every offending key and its line.
 */
export function parseConfig(text: string, file: string = CONFIG_FILE): LoadedConfig {
  if (Buffer.byteLength(text) > MAX_CONFIG_BYTES)
    throw new ConfigError(file, [{ key: '', line: 1, message: `is over ${MAX_CONFIG_BYTES} bytes` }]);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0)
    throw new ConfigError(
      file,
      document.errors.map((error) => ({
        key: '',
        line: lines.linePos(error.pos[0]).line,
        message: `is not valid YAML: ${error.message}`,
      })),
    );
  const parsed = Config.safeParse(plain(document, file) ?? {});
  if (!parsed.success) {
    throw new ConfigError(
      file,
      parsed.error.issues.flatMap((issue) => problems(issue, document, lines)),
    );
  }
  const { quality_gates, verification_nudge } = parsed.data;
  const { enabled, timeout_s, allow_bypass, cache_enabled, base_ref, pipeline, ...settings } =
    quality_gates as QualityGatesConfig & Record<string, unknown>;
  return {
    gates: { enabled, timeout_s, allow_bypass, cache_enabled, base_ref, pipeline, settings },
    nudge: verification_nudge,
  };
}

/** The plain value. Aliases are limited, because a few lines of them can mean gigabytes. */
function plain(document: Document, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new ConfigError(file, [{ key: '', line: 1, message: `cannot be read: ${message}` }]);
  }
}

function problems(issue: z.core.$ZodIssue, document: Document, lines: LineCounter): ConfigProblem[] {
  const dotted = (path: readonly PropertyKey[]): string =>
    path
      .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index ? '.' : ''}${String(part)}`))
      .join('');
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      key: dotted([...issue.path, key]),
      line: lineOf([...issue.path, key], document, lines),
      message: 'is not a known key',
    }));
  return [{ key: dotted(issue.path), line: lineOf(issue.path, document, lines), message: issue.message }];
}

/** Line of the key at `path`, or of the nearest thing above it that is in the file. */
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
