import { REPORT_READERS, type ReportFormat } from './report-readers.ts';
import { type ReportCheckoutRoot, type ToolReport, toJsonList, toJsonRecord } from './tool-report.ts';

/** Which of our formats a text is in, by what it begins with; null: none of them. */
async function detectReportFormat(text: string): Promise<ReportFormat | null> {
  const start = text.slice(0, 4_096).trimStart();
  if (/^(?:<\?xml[^>]{0,500}\?>\s{0,100})?(?:<!--[^>]{0,1000}-->\s{0,100})?<testsuites?\b/.test(start))
    return 'junit';
  if (start.startsWith('{') && /^\{"Time":|"Action":/.test(start.split('\n', 1)[0] ?? '')) return 'go_test';
  if (/^\{ ?"type": ?"suite"/.test(start)) return 'cargo_test';
  if (start.startsWith('{')) {
    try {
      const value = toJsonRecord(JSON.parse(text));
      const { isCtrf } = await import('./ctrf.ts');
      if (isCtrf(value)) return 'ctrf';
      if (Array.isArray(value['testResults'])) return 'jest';
      if (toJsonList(value['runs']).length > 0) return 'sarif';
    } catch {
      return null;
    }
  }
  const { hasTap } = await import('./tap.ts');
  return hasTap(text) ? 'tap' : null;
}

/** Reads a report in whichever of our formats it is. @throws when it is in none, or not whole. */
export async function readAnyReport(text: string, ground: ReportCheckoutRoot): Promise<ToolReport> {
  const name = await detectReportFormat(text);
  if (name === null)
    throw new Error('the report is neither JUnit XML, CTRF, TAP, nor another format that we know');
  return (await REPORT_READERS[name]())(text, ground);
}

/** Test results in the output of a command. */
export interface CommandOutputReport {
  /** Null: the output holds none that can be read. */
  readonly report: ToolReport | null;
  /** Why results that the output begins to name cannot be read; null: it names none, or they were read. */
  readonly problem: string | null;
}

const NONE: CommandOutputReport = { report: null, problem: null };

/**
 * Finds test results that a command printed among other output: TAP, JUnit XML, or what cargo and unittest print for people. Output of
 * which a part was cut has none.
 */
export async function findReportInOutput(
  output: string,
  cutBytes: number,
  ground: ReportCheckoutRoot,
): Promise<CommandOutputReport> {
  if (cutBytes > 0) return NONE;
  try {
    const report = await readOutput(output, ground);
    return { report, problem: null };
  } catch (error) {
    return { report: null, problem: error instanceof Error ? error.message : String(error) };
  }
}

async function readOutput(output: string, ground: ReportCheckoutRoot): Promise<ToolReport | null> {
  const { hasTap, readTap } = await import('./tap.ts');
  if (hasTap(output)) return readTap(output, ground);
  const from = output.search(/<testsuites?\b/);
  if (from >= 0)
    return (await REPORT_READERS.junit())(output.slice(from, output.lastIndexOf('>') + 1), ground);
  const { hasCargoTestText, readCargoTestText } = await import('./cargo-test-text.ts');
  if (hasCargoTestText(output)) return readCargoTestText(output, ground);
  const { hasUnittestOutput, readUnittestOutput } = await import('./unittest.ts');
  return hasUnittestOutput(output) ? readUnittestOutput(output, ground) : null;
}
