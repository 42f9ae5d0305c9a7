import {
  createFindingsReport,
  createToolFinding,
  parseJsonLinesStrictly,
  type ReportCheckoutRoot,
  type ReportReader,
  type ToolFinding,
  toJsonList,
  toJsonRecord,
} from './tool-report.ts';

const compilerMessages =
  (levels: readonly unknown[]): ReportReader =>
  (text, root) => {
    const lines = parseJsonLinesStrictly(text);
    if (!lines.some(({ reason }) => reason === 'build-finished')) throw new Error('the build did not finish');
    return createFindingsReport(
      once(
        lines.flatMap((line): ToolFinding[] => {
          const message = toJsonRecord(line['message']);
          if (line['reason'] !== 'compiler-message' || !levels.includes(message['level'])) return [];
          const spans = toJsonList(message['spans']).map(toJsonRecord);
          const span = spans.find((each) => each['is_primary'] === true) ?? spans[0];
          // "aborting due to 2 previous errors" has no place.
          if (span === undefined) return [];
          const rule = toJsonRecord(message['code'])['code'] ?? message['level'];
          return [
            createToolFinding(
              root,
              { file: span['file_name'], line: span['line_start'] },
              rule,
              message['message'],
            ),
          ];
        }),
      ),
    );
  };

/** A library and its tests are compiled one after the other, and complained about twice. */
const once = (complaints: readonly ToolFinding[]): ToolFinding[] => [
  ...new Map(complaints.map((each) => [`${each.line} ${each.key}`, each])).values(),
];

/** `cargo clippy --message-format=json` */
export const readCargoMessages: ReportReader = compilerMessages(['error', 'warning']);

/** `cargo check --message-format=json`: what does not compile. */
export const readCargoErrors: ReportReader = compilerMessages(['error']);

/** A place as compilers print it: `path:line:column: message`, or without the column. */
const PLACE = /^(?:vet: )?([^\s:][^:\n]{0,1000}):(\d{1,9}):(?:\d{1,9}:)? (.{1,4000})$/;

/** `go build -json`: the compiler's lines inside of JSON. */
export const readGoBuild: ReportReader = (text, root) => {
  const output = parseJsonLinesStrictly(text).filter(({ Action }) => Action === 'build-output');
  return createFindingsReport(
    output.flatMap(({ Output }) => (typeof Output === 'string' ? placed(root, Output, 'compile') : [])),
  );
};

const placed = (root: ReportCheckoutRoot, line: string, rule: string): ToolFinding[] => {
  const match = PLACE.exec(line.trimEnd());
  return match ? [createToolFinding(root, { file: match[1], line: Number(match[2]) }, rule, match[3])] : [];
};

/** `go vet -json`: one object per package, of analyzers and what they found. Lines that begin with `#` name packages. */
export const readGoVet: ReportReader = (text, root) => {
  const complaints: ToolFinding[] = [];
  for (const value of objectsIn(text))
    for (const analyzers of Object.values(value))
      for (const [rule, entries] of Object.entries(toJsonRecord(analyzers)))
        for (const entry of toJsonList(entries)) {
          const { posn, message } = toJsonRecord(entry);
          const match = typeof posn === 'string' ? /^(.{1,4000}?):(\d+)(?::\d+)?$/.exec(posn) : null;
          complaints.push(
            createToolFinding(root, { file: match?.[1], line: Number(match?.[2]) }, `vet/${rule}`, message),
          );
        }
  return createFindingsReport(complaints);
};

/** Objects that stand one after another, each from a line `{` to a line `}`, as Go indents them. */
function objectsIn(text: string): Readonly<Record<string, unknown>>[] {
  const found: Readonly<Record<string, unknown>>[] = [];
  let open: string[] | null = null;
  for (const line of text.split('\n')) {
    if (line === '{}') continue;
    if (line === '{') open = [];
    open?.push(line);
    if (line === '}' && open) {
      found.push(toJsonRecord(JSON.parse(open.join('\n'))));
      open = null;
    }
  }
  if (open) throw new Error('the report ends in the middle');
  return found;
}

/** The place may be missing, and so is its line then. A name may hold parentheses too. */
const TSC = /^(?:(\S.{0,1000}?)\((\d{1,9}),\d{1,9}\): )?error (TS\d{1,6}): (.{1,4000})$/;
const TSC_PART = /^\S.{0,1000}\berror TS\d/;
/** There are no inputs. */
const NOTHING_TO_CHECK = 'TS18003';

/**
 * `tsc --pretty false`: the form of MSBuild, `path(line,column): error TS1234: message`.
 * @throws when its own configuration is at fault: it goes on with what is left of it, and that is not what the project wants.
 */
export const readTsc: ReportReader = (text, root) => {
  const complaints = text.split('\n').flatMap((line): ToolFinding[] => {
    const [whole, file, at, rule, message] = TSC.exec(line.trimEnd()) ?? [];
    if (whole !== undefined) return [createToolFinding(root, { file, line: Number(at) }, rule, message)];
    // Part of a line is lost: what it was about is not known.
    return TSC_PART.test(line) ? [createToolFinding(root, {}, 'unreadable', line)] : [];
  });
  const broken = complaints.find(
    ({ file, rule }) => rule === NOTHING_TO_CHECK || /(?:^|\/)[^/]*\.json$/.test(file ?? ''),
  );
  if (broken) throw new Error(`the configuration is at fault: ${broken.file ?? ''} ${broken.message}`);
  return createFindingsReport(complaints);
};
