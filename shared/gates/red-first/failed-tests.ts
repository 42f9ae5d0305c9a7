import { junit } from '../formats/junit.ts';

/** Results of single tests, from a report in the output of a test command. */
export interface FailedTests {
  /** Whether a test of this name failed. */
  failed(name: string): boolean;
}

const TAP = /^[ \t]{0,40}not ok \d{1,9}(?: - |[ \t])([^\n]{0,1000})/gm;

/** Reads TAP or JUnit XML; null when the output has neither, or not all of it is there. */
export function failedTests(output: string, cutBytes: number): FailedTests | null {
  if (cutBytes > 0) return null;
  if (/^TAP version 1[34]$/m.test(output)) {
    const names = new Set([...output.matchAll(TAP)].map((match) => nameIn(match[1] ?? '')));
    return { failed: (name) => names.has(name) };
  }
  const from = output.search(/<testsuites?\b/);
  const to = output.lastIndexOf('>');
  if (from < 0) return null;
  try {
    const { complaints } = junit(output.slice(from, to + 1), '');
    return { failed: (name) => complaints.some(({ message }) => message.includes(name)) };
  } catch {
    // No report that we know: the exit code must do.
    return null;
  }
}

/** A description of TAP without its directive, and with `#` as it was written. */
const nameIn = (description: string): string =>
  description
    .replace(/(?<!\\)#.*$/, '')
    .replace(/\\(.)/g, '$1')
    .trim();
