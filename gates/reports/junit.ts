import { XMLParser } from 'fast-xml-parser';
import { createTestResult, type TestResult } from '../core/test-result.ts';
import {
  createTestReport,
  type FailedTest,
  type ReportReader,
  type ReportRoot,
  removeCheckoutRoot,
  toCheckoutPath,
  toJsonList,
  toJsonRecord,
} from './tool-report.ts';

const PARSER = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  textNodeName: 'text',
  // A report has no use for entities of its own, and they can grow without end.
  processEntities: false,
  parseTagValue: false,
  parseAttributeValue: false,
  isArray: (name) => ['testsuite', 'testcase', 'failure', 'error'].includes(name),
});

type Node = Readonly<Record<string, unknown>>;

/** JUnit XML, as pytest, vitest, jest and `node --test` write it. */
export const readJunit: ReportReader = (text, ground) => {
  const document = toJsonRecord(PARSER.parse(text, true));
  const top = document['testsuites'] === undefined ? document : toJsonRecord(document['testsuites']);
  if (document['testsuites'] === undefined && document['testsuite'] === undefined)
    throw new Error('the report has no test suites');
  const cases: TestResult[] = [];
  const failures: FailedTest[] = [];
  for (const { node, suite } of casesOf(top, '')) {
    const problem = toJsonList(node['failure'])[0] ?? toJsonList(node['error'])[0];
    // What is to be done or expected to fail has both marks, and does not fail the run.
    const skipped = node['skipped'] !== undefined;
    const result = createTestResult(
      removeCheckoutRoot(nameOf(node, suite), ground),
      fileOf(node, suite, ground),
      skipped ? 'skipped' : problem === undefined ? 'passed' : 'failed',
      secondsOf(node['time']),
    );
    cases.push(result);
    if (result.outcome !== 'failed') continue;
    failures.push({
      test: result,
      // pytest counts its lines from 0.
      line: Number(node['line'] ?? Number.NaN) + (suite === 'pytest' ? 1 : 0),
      message: unescape_(text_(toJsonRecord(problem)['message']) ?? text_(problem) ?? 'failed'),
    });
  }
  return createTestReport(cases, failures);
};

const fileOf = (node: Node, suite: string, ground: ReportRoot): string | null => {
  const file = text_(node['file']) ?? (/\.\w+$/.test(suite) ? suite : undefined);
  return file === undefined ? null : toCheckoutPath(ground, unescape_(file));
};

/** Names of suites count where nothing else tells two cases apart. */
function nameOf(node: Node, suite: string): string {
  const parts = [text_(node['classname']), text_(node['name'])].filter((part) => part !== undefined);
  const known = text_(node['file']) !== undefined || /\.\w+$/.test(suite);
  const all = known || suite === '' || parts[0] === suite ? parts : [suite, ...parts];
  return unescape_(all.filter((part) => part !== '').join(' > '));
}

const secondsOf = (time: unknown): number | null =>
  typeof time === 'string' && time !== '' ? Number(time) * 1_000 : null;

/** The test cases of a suite and of the suites in it, with the name of the nearest suite. */
function casesOf(node: Node, suite: string): { readonly node: Node; readonly suite: string }[] {
  return [
    ...toJsonList(node['testcase']).map((entry) => ({ node: toJsonRecord(entry), suite })),
    ...toJsonList(node['testsuite']).flatMap((entry) => {
      const inner = toJsonRecord(entry);
      return casesOf(inner, text_(inner['file']) ?? text_(inner['name']) ?? suite);
    }),
  ];
}

const text_ = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
const unescape_ = (value: string): string =>
  value
    .replace(/&#(?:10|13|xA|xD|9|x9);/gi, ' ')
    .replace(/&#(x[\da-f]{1,6}|\d{1,7});/gi, (whole, code: string) => {
      const point =
        code.startsWith('x') || code.startsWith('X') ? Number.parseInt(code.slice(1), 16) : Number(code);
      return point > 0 && point < 0x110000 && (point < 0xd800 || point > 0xdfff)
        ? String.fromCodePoint(point)
        : whole;
    })
    .replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => NAMED[name] ?? '');
