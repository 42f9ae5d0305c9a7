import { isAbsolute, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Finding } from '../../evidence/schema.ts';

/** One complaint of a tool. */
export interface Complaint extends Finding {
  /** What it stays the same by when lines move: compared with the complaints about the base. */
  readonly key: string;
}

/** What a tool reported about one tree. */
export interface Report {
  readonly complaints: readonly Complaint[];
  /** Tests that ran, skipped ones not counted; null for a tool that runs none. */
  readonly tests: number | null;
}

/** The real path of a checkout, alone or with the folder of it that relative paths start from. */
export type Ground = string | { readonly root: string; readonly folder: string };

/** Reads a report about a checkout. @throws whatever a text throws that is not such a report. */
export type Format = (text: string, ground: Ground) => Report;

/** Longest message in characters. */
const MAX_MESSAGE = 1_000;

/** A complaint with a path relative to the checkout; what lies outside of it has no file. */
export function complaint(
  ground: Ground,
  place: { readonly file?: unknown; readonly line?: unknown },
  rule: unknown,
  message: unknown,
  key?: string,
): Complaint {
  const file = typeof place.file === 'string' ? inside(ground, place.file) : null;
  const { line } = place;
  const named = typeof rule === 'string' && rule !== '' ? rule : 'unknown';
  const text = typeof message === 'string' ? message.trim().slice(0, MAX_MESSAGE) : '';
  return {
    file,
    line: typeof line === 'number' && Number.isInteger(line) && line > 0 ? line : null,
    rule: named,
    message: text,
    key: key ?? JSON.stringify([file, named, text]),
  };
}

export const findingsOnly = (complaints: readonly Complaint[]): Report => ({ complaints, tests: null });

function inside(ground: Ground, path: string): string | null {
  const { root, folder } = typeof ground === 'string' ? { root: ground, folder: '' } : ground;
  let plain = path;
  try {
    if (path.startsWith('file://')) plain = fileURLToPath(path);
  } catch {
    return null;
  }
  const from = isAbsolute(plain) ? relative(root, plain) : normalize(join(folder, plain));
  return from === '' || from === '.' || from === '..' || from.startsWith('../') ? null : from;
}

/** A JSON value as an object, or an empty one. */
export const object = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};

/** A JSON value as a list, or an empty one. */
export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** @throws when the value is no list: a report without its list is no report. */
export function mustList(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`the report has no ${what}`);
  return value;
}

/** The values of a text with one JSON value per line; other lines are of no report. */
export const jsonLines = (text: string): Readonly<Record<string, unknown>>[] =>
  text.split('\n').flatMap((line) => {
    if (!line.startsWith('{')) return [];
    try {
      return [object(JSON.parse(line))];
    } catch {
      return [];
    }
  });
