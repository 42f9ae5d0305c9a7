import { XMLParser } from 'fast-xml-parser';
import { type Complaint, complaint, type Format, list, object } from './report.ts';

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
export const junit: Format = (text, root) => {
  const document = object(PARSER.parse(text, true));
  const top = document['testsuites'] === undefined ? document : object(document['testsuites']);
  if (document['testsuites'] === undefined && document['testsuite'] === undefined)
    throw new Error('the report has no test suites');
  const cases = casesOf(top, '');
  const complaints = cases.flatMap(({ node, suite }): Complaint[] => {
    const problem = list(node['failure'])[0] ?? list(node['error'])[0];
    if (problem === undefined) return [];
    const file = text_(node['file']) ?? (/\.\w+$/.test(suite) ? suite : undefined);
    const name = [text_(node['classname']), text_(node['name'])].filter((part) => part).join(' > ');
    // pytest counts its lines from 0.
    const line = Number(node['line'] ?? Number.NaN) + (suite === 'pytest' ? 1 : 0);
    return [
      complaint(
        root,
        { file, line: Number.isInteger(line) ? line : null },
        'test_failed',
        unescape_(`${name}: ${text_(object(problem)['message']) ?? text_(problem) ?? 'failed'}`),
        JSON.stringify([file ?? suite, name]),
      ),
    ];
  });
  return { complaints, tests: cases.filter(({ node }) => node['skipped'] === undefined).length };
};

/** The test cases of a suite and of the suites in it, with the name of the nearest suite. */
function casesOf(node: Node, suite: string): { readonly node: Node; readonly suite: string }[] {
  return [
    ...list(node['testcase']).map((entry) => ({ node: object(entry), suite })),
    ...list(node['testsuite']).flatMap((entry) => {
      const inner = object(entry);
      return casesOf(inner, text_(inner['file']) ?? text_(inner['name']) ?? suite);
    }),
  ];
}

const text_ = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
const unescape_ = (value: string): string =>
  value
    .replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => NAMED[name] ?? '')
    .replace(/&#(?:10|13|xA|xD);/gi, ' ');
