import { XMLParser } from 'fast-xml-parser';
import { createTestResult, type TestResult } from '../core/test-result.ts';
import {
  createTestReport,
  type FailedTest,
  type ReportCheckoutRoot,
  type ReportReader,
  removeCheckoutRoot,
  requireStatedCount,
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
  requireStatedCounts(top);
  const cases: TestResult[] = [];
  const failures: FailedTest[] = [];
  for (const { node, suite, isSuite } of casesOf(top, '')) {
    const problem = toJsonList(node['failure'])[0] ?? toJsonList(node['error'])[0];
    const result = createTestResult(
      removeCheckoutRoot(isSuite ? `${suite || 'the test run'} (suite)` : nameOf(node, suite), ground),
      fileOf(node, suite, ground),
      outcomeOf(node, problem !== undefined),
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

/** Words of GoogleTest, CTest and others for a case that did not run. */
const NOT_RUN = /^(?:notrun|disabled|suppressed|skipped|ignored)$/i;
const FAILED = /^(?:fail|failed|failure|error)$/i;

function outcomeOf(node: Node, hasProblem: boolean): TestResult['outcome'] {
  // A test that is to do, or expected to fail, has both marks and does not fail the run.
  if (node['skipped'] !== undefined) return 'skipped';
  if (hasProblem) return 'failed';
  const words = [node['status'], node['result']].filter((word) => typeof word === 'string');
  if (words.some((word) => FAILED.test(word))) return 'failed';
  return words.some((word) => NOT_RUN.test(word)) ? 'skipped' : 'passed';
}

/** Tests and problems that a node holds, those of inner suites included. */
interface HeldCounts {
  readonly tests: number;
  readonly problems: number;
}

/** @throws when a suite states more tests or problems than it holds: part of the report is lost. */
function requireStatedCounts(node: Node): HeldCounts {
  const own = [...toJsonList(node['testcase']).map(toJsonRecord), node];
  const inner = toJsonList(node['testsuite']).map((suite) => requireStatedCounts(toJsonRecord(suite)));
  const held: HeldCounts = {
    // An empty suite counts as one entry of the suite around it.
    tests:
      toJsonList(node['testcase']).length + inner.reduce((sum, { tests }) => sum + Math.max(1, tests), 0),
    problems:
      own.reduce(
        (sum, each) => sum + toJsonList(each['failure']).length + toJsonList(each['error']).length,
        0,
      ) + inner.reduce((sum, { problems }) => sum + problems, 0),
  };
  const name = text_(node['name']) ?? 'the report';
  // Catch2 counts assertions, not tests, and marks its suites by this host.
  if (node['hostname'] !== 'tbd') requireStatedCount(node['tests'], held.tests, `tests in ${name}`);
  const stated = [node['failures'], node['errors']].map((count) => Number(count ?? 0));
  requireStatedCount(
    stated.reduce((sum, count) => sum + (Number.isFinite(count) ? count : 0), 0),
    held.problems,
    `failures in ${name}`,
  );
  return held;
}

const fileOf = (node: Node, suite: string, ground: ReportCheckoutRoot): string | null => {
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

interface SuiteCase {
  readonly node: Node;
  readonly suite: string;
  /** Whether the node is a suite with a problem of its own, such as a failed hook. */
  readonly isSuite: boolean;
}

/** Lists the test cases of a suite and of the suites in it with the name of the nearest suite, and suites with their own problems. */
function casesOf(node: Node, suite: string): SuiteCase[] {
  const hasProblem = toJsonList(node['failure']).length + toJsonList(node['error']).length > 0;
  return [
    ...(hasProblem ? [{ node, suite, isSuite: true }] : []),
    ...toJsonList(node['testcase']).map((entry) => ({ node: toJsonRecord(entry), suite, isSuite: false })),
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
