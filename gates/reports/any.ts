import { FORMATS, type FormatName } from './all.ts';
import { type Ground, list, object, type Report } from './report.ts';

/** Which of our formats a text is in, by what it begins with; null: none of them. */
async function formatOf(text: string): Promise<FormatName | null> {
  const start = text.slice(0, 4_096).trimStart();
  if (/^(?:<\?xml[^>]{0,500}\?>\s{0,100})?(?:<!--[^>]{0,1000}-->\s{0,100})?<testsuites?\b/.test(start))
    return 'junit';
  if (start.startsWith('{') && /^\{"Time":|"Action":/.test(start.split('\n', 1)[0] ?? '')) return 'go_test';
  if (/^\{ ?"type": ?"suite"/.test(start)) return 'cargo_test';
  if (start.startsWith('{')) {
    try {
      const value = object(JSON.parse(text));
      const { isCtrf } = await import('./ctrf.ts');
      if (isCtrf(value)) return 'ctrf';
      if (Array.isArray(value['testResults'])) return 'jest';
      if (list(value['runs']).length > 0) return 'sarif';
    } catch {
      return null;
    }
  }
  const { hasTap } = await import('./tap.ts');
  return hasTap(text) ? 'tap' : null;
}

/** Reads a report in whichever of our formats it is. @throws when it is in none, or not whole. */
export async function readAny(text: string, ground: Ground): Promise<Report> {
  const name = await formatOf(text);
  if (name === null)
    throw new Error('the report is neither JUnit XML, CTRF, TAP, nor another format that we know');
  return (await FORMATS[name]())(text, ground);
}

/**
 * Test results that a command printed among other things: TAP, JUnit XML, or what cargo and unittest print for people. Null when
 * there are none, or when not all of the output is there.
 */
export async function inOutput(output: string, cutBytes: number, ground: Ground): Promise<Report | null> {
  if (cutBytes > 0) return null;
  try {
    const { hasTap, tap } = await import('./tap.ts');
    if (hasTap(output)) return tap(output, ground);
    const from = output.search(/<testsuites?\b/);
    if (from >= 0) return (await FORMATS.junit())(output.slice(from, output.lastIndexOf('>') + 1), ground);
    const { hasCargoText, cargoText } = await import('./cargo-text.ts');
    if (hasCargoText(output)) return cargoText(output, ground);
    const { hasUnittest, unittest } = await import('./unittest.ts');
    return hasUnittest(output) ? unittest(output, ground) : null;
  } catch {
    // No report that we know: the exit code must do.
    return null;
  }
}
