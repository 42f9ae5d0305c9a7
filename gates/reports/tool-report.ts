import { isAbsolute, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CheckFinding } from '../../shared/contract/evidence/schema.ts';
import { computeTestId, type TestResult } from '../core/test-result.ts';

/** One complaint of a tool. */
export interface ToolFinding extends CheckFinding {
  /** What it stays the same by when lines move: compared with the complaints about the base. */
  readonly key: string;
}

/** What a tool reported about one tree. */
export interface ToolReport {
  readonly findings: readonly ToolFinding[];
  /** Every test case that it names; null for a tool that runs none. */
  readonly cases: readonly TestResult[] | null;
}

/** Most test cases of one report. */
const MAX_CASES = 100_000;

/** The real path of a checkout, alone or with the folder of it that relative paths start from. */
export type ReportCheckoutRoot =
  | string
  | {
      readonly root: string;
      readonly folder: string;
      /** Finds the file of the checkout that a path means which starts from another folder. */
      readonly resolvePath?: (path: string) => string;
    };

/** Reads a report about a checkout. @throws whatever a text throws that is not such a report. */
export type ReportReader = (text: string, ground: ReportCheckoutRoot) => ToolReport;

/** Longest message in characters. */
const MAX_MESSAGE = 1_000;

/** What a finding stays the same by when lines move. */
export const computeFindingKey = (file: string | null, rule: string, message: string): string =>
  JSON.stringify([file, rule, message]);

/** A complaint with a path relative to the checkout; what lies outside of it has no file. */
export function createToolFinding(
  ground: ReportCheckoutRoot,
  place: { readonly file?: unknown; readonly line?: unknown },
  rule: unknown,
  message: unknown,
  key?: string,
): ToolFinding {
  const file = typeof place.file === 'string' ? toCheckoutPath(ground, place.file) : null;
  const { line } = place;
  const named = typeof rule === 'string' && rule !== '' ? rule : 'unknown';
  const text = typeof message === 'string' ? message.trim().slice(0, MAX_MESSAGE) : '';
  return {
    file,
    line: typeof line === 'number' && Number.isInteger(line) && line > 0 ? line : null,
    rule: named,
    message: text,
    key: key ?? computeFindingKey(file, named, text),
  };
}

export const createFindingsReport = (complaints: readonly ToolFinding[]): ToolReport => ({
  findings: complaints,
  cases: null,
});

/** What a runner says of one failed case besides its name. */
export interface FailedTest {
  readonly test: TestResult;
  readonly line?: number | null;
  readonly message: string;
  /** Default: `test_failed`. */
  readonly rule?: string;
}

/** A failed case with what a JSON document says of it; what is no line and no text is left out. */
export const createFailedTest = (result: TestResult, line: unknown, message: unknown): FailedTest => ({
  test: result,
  line: typeof line === 'number' ? line : null,
  message: typeof message === 'string' ? message : '',
});

/** The report of a test runner. @throws when it names too many cases. */
export function createTestReport(cases: readonly TestResult[], failures: readonly FailedTest[]): ToolReport {
  if (cases.length > MAX_CASES) throw new Error(`the report has over ${MAX_CASES} test cases`);
  return {
    cases,
    findings: failures.map(({ test, line = null, message, rule = 'test_failed' }) => ({
      file: test.file,
      line: line !== null && Number.isInteger(line) && line > 0 ? line : null,
      rule,
      test: test.name,
      message: `${test.name}: ${message.trim() || 'failed'}`.slice(0, MAX_MESSAGE),
      key: computeTestId(test),
    })),
  };
}

/** A name without the folder of the checkout, which is another one each time. */
export function removeCheckoutRoot(name: string, ground: ReportCheckoutRoot): string {
  const root = typeof ground === 'string' ? ground : ground.root;
  return root === '' ? name : name.replaceAll(`${root}/`, '');
}

/** How many tests of a report ran, skipped ones not counted. */
export const countTestsRun = (cases: readonly TestResult[]): number =>
  cases.filter(({ outcome }) => outcome !== 'skipped').length;

/** A path relative to the checkout; null for what lies outside of it. */
export function toCheckoutPath(ground: ReportCheckoutRoot, path: string): string | null {
  const {
    root,
    folder,
    resolvePath = (from: string) => from,
  } = typeof ground === 'string' ? { root: ground, folder: '' } : ground;
  let plain = path;
  try {
    if (path.startsWith('file://')) plain = fileURLToPath(path);
  } catch {
    return null;
  }
  const from = isAbsolute(plain) ? relative(root, plain) : normalize(join(folder, plain));
  if (from === '' || from === '.' || from === '..' || from.startsWith('../')) return null;
  return isAbsolute(plain) ? from : resolvePath(from);
}

/** A JSON value as an object, or an empty one. */
export const toJsonRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};

/** A JSON value as a list, or an empty one. */
export const toJsonList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** @throws when the value is no list: a report without its list is no report. */
export function requireJsonList(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`the report has no ${what}`);
  return value;
}

/**
 * Checks a count that a report states against the entries that it holds. Fewer entries than stated mean that part of it is lost; runners
 * that state fewer count other things.
 * @throws when the report holds fewer entries than it states.
 */
export function requireStatedCount(stated: unknown, held: number, what: string): void {
  const count = typeof stated === 'string' && stated !== '' ? Number(stated) : stated;
  if (typeof count === 'number' && count > held)
    throw new Error(`the report states ${count} ${what} and holds ${held}`);
}

/** Parses one JSON value per line; other lines belong to no report. Skips lines that begin like an object and are none. */
export const parseJsonLines = (text: string): Readonly<Record<string, unknown>>[] =>
  text.split('\n').flatMap((line) => {
    if (!line.startsWith('{')) return [];
    try {
      return [toJsonRecord(JSON.parse(line))];
    } catch {
      return [];
    }
  });

/** Parses one JSON value per line. @throws when a line begins like an object and is none: the report is torn. */
export const parseJsonLinesStrictly = (text: string): Readonly<Record<string, unknown>>[] =>
  text.split('\n').flatMap((line) => {
    if (!line.startsWith('{')) return [];
    try {
      return [toJsonRecord(JSON.parse(line))];
    } catch {
      throw new Error(`the report is torn at: ${line.slice(0, 100)}`);
    }
  });
