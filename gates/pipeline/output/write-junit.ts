import type { TestResult } from '../../core/test-result.ts';

/** The test cases of one gate. */
export interface GateTestResults {
  readonly gate: string;
  readonly tests: readonly TestResult[];
}

/** Most characters of one document; what does not fit is left out, and counted in it. */
const MAX_CHARACTERS = 8 * 1_048_576;

/** All test cases of a run as one JUnit XML document, a suite for each gate. The same cases give the same text. */
export function formatJunit(runs: readonly GateTestResults[], maxCharacters = MAX_CHARACTERS): string {
  let left = maxCharacters;
  const suites = runs.map(({ gate, tests }) => {
    const lines: string[] = [];
    for (const test of tests) {
      const line = lineOf(test);
      if (line.length > left) break;
      left -= line.length;
      lines.push(line);
    }
    const count = (outcome: TestResult['outcome']): number =>
      tests.filter((test) => test.outcome === outcome).length;
    const time = tests.reduce((sum, { duration_ms }) => sum + (duration_ms ?? 0), 0);
    const facts = `name="${escapeXmlAttribute(gate)}" tests="${tests.length}" failures="${count('failed')}" errors="0" skipped="${count('skipped')}" time="${seconds(time)}"`;
    const cut = tests.length - lines.length;
    const properties =
      cut === 0 ? '' : `<properties><property name="tests_not_listed" value="${cut}"/></properties>\n`;
    return `<testsuite ${facts}>\n${properties}${lines.join('')}</testsuite>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="assay">\n${suites.join('')}</testsuites>\n`;
}

const INNER: Readonly<Record<TestResult['outcome'], string>> = {
  passed: '',
  failed: '<failure/>',
  skipped: '<skipped/>',
};

function lineOf({ name, file, outcome, duration_ms }: TestResult): string {
  const place = file === null ? '' : ` file="${escapeXmlAttribute(file)}"`;
  const time = duration_ms === null ? '' : ` time="${seconds(duration_ms)}"`;
  return `<testcase name="${escapeXmlAttribute(name)}"${place}${time}>${INNER[outcome]}</testcase>\n`;
}

/** Fixed places: XML knows no exponents. */
const seconds = (ms: number): string => (ms / 1_000).toFixed(6);

const ENTITIES: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '"': '&quot;', '&': '&amp;' };

/** An attribute's value. Characters that XML cannot have are replaced; names come from the code that is looked at. */
export const escapeXmlAttribute = (text: string): string =>
  text
    .toWellFormed()
    .replace(/(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/gu, '\ufffd')
    .replace(/[<>"&]/g, (character) => ENTITIES[character] ?? '')
    .replace(/[\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
