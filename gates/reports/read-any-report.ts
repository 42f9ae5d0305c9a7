import { REPORT_READERS, type ReportFormat } from './report-readers.ts';
import { type ReportRoot, type ToolReport, toJsonList, toJsonRecord } from './tool-report.ts';

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
export async function readAnyReport(text: string, ground: ReportRoot): Promise<ToolReport> {
  const name = await detectReportFormat(text);
  if (name === null)
    throw new Error('the report is neither JUnit XML, CTRF, TAP, nor another format that we know');
  return (await REPORT_READERS[name]())(text, ground);
}

/**
 * Test results that a command printed among other things: TAP, JUnit XML, or what cargo and unittest print for people. Null when
 * there are none, or when not all of the output is there.
 */
export async function findReportInOutput(
  output: string,
  cutBytes: number,
  ground: ReportRoot,
): Promise<ToolReport | null> {
  if (cutBytes > 0) return null;
  try {
    const { hasTap, readTap } = await import('./tap.ts');
    if (hasTap(output)) return readTap(output, ground);
    const from = output.search(/<testsuites?\b/);
    if (from >= 0)
      return (await REPORT_READERS.junit())(output.slice(from, output.lastIndexOf('>') + 1), ground);
    const { hasCargoTestText, readCargoTestText } = await import('./cargo-test-text.ts');
    if (hasCargoTestText(output)) return readCargoTestText(output, ground);
    const { hasUnittestOutput, readUnittestOutput } = await import('./unittest.ts');
    return hasUnittestOutput(output) ? readUnittestOutput(output, ground) : null;
  } catch {
    // No report that we know: the exit code must do.
    return null;
  }
}
