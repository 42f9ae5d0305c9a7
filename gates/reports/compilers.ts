import {
  type Complaint,
  complaint,
  type Format,
  findingsOnly,
  type Ground,
  jsonLines,
  list,
  object,
} from './report.ts';

const compilerMessages =
  (levels: readonly unknown[]): Format =>
  (text, root) => {
    const lines = jsonLines(text);
    if (!lines.some(({ reason }) => reason === 'build-finished')) throw new Error('the build did not finish');
    return findingsOnly(
      once(
        lines.flatMap((line): Complaint[] => {
          const message = object(line['message']);
          if (line['reason'] !== 'compiler-message' || !levels.includes(message['level'])) return [];
          const spans = list(message['spans']).map(object);
          const span = spans.find((each) => each['is_primary'] === true) ?? spans[0];
          // "aborting due to 2 previous errors" has no place.
          if (span === undefined) return [];
          const rule = object(message['code'])['code'] ?? message['level'];
          return [
            complaint(root, { file: span['file_name'], line: span['line_start'] }, rule, message['message']),
          ];
        }),
      ),
    );
  };

/** A library and its tests are compiled one after the other, and complained about twice. */
const once = (complaints: readonly Complaint[]): Complaint[] => [
  ...new Map(complaints.map((each) => [`${each.line} ${each.key}`, each])).values(),
];

/** `cargo clippy --message-format=json` */
export const cargo: Format = compilerMessages(['error', 'warning']);

/** `cargo check --message-format=json`: what does not compile. */
export const cargoErrors: Format = compilerMessages(['error']);

/** A place as compilers print it: `path:line:column: message`, or without the column. */
const PLACE = /^(?:vet: )?([^\s:][^:\n]{0,1000}):(\d{1,9}):(?:\d{1,9}:)? (.{1,4000})$/;

/** `go build -json`: the compiler's lines inside of JSON. */
export const goBuild: Format = (text, root) => {
  const output = jsonLines(text).filter(({ Action }) => Action === 'build-output');
  return findingsOnly(
    output.flatMap(({ Output }) => (typeof Output === 'string' ? placed(root, Output, 'compile') : [])),
  );
};

const placed = (root: Ground, line: string, rule: string): Complaint[] => {
  const match = PLACE.exec(line.trimEnd());
  return match ? [complaint(root, { file: match[1], line: Number(match[2]) }, rule, match[3])] : [];
};

/** `go vet -json`: one object per package, of analyzers and what they found. Lines that begin with `#` name packages. */
export const goVet: Format = (text, root) => {
  const complaints: Complaint[] = [];
  for (const value of objectsIn(text))
    for (const analyzers of Object.values(value))
      for (const [rule, entries] of Object.entries(object(analyzers)))
        for (const entry of list(entries)) {
          const { posn, message } = object(entry);
          const match = typeof posn === 'string' ? /^(.{1,4000}?):(\d+)(?::\d+)?$/.exec(posn) : null;
          complaints.push(
            complaint(root, { file: match?.[1], line: Number(match?.[2]) }, `vet/${rule}`, message),
          );
        }
  return findingsOnly(complaints);
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
      found.push(object(JSON.parse(open.join('\n'))));
      open = null;
    }
  }
  if (open) throw new Error('the report ends in the middle');
  return found;
}

/** The place may be missing, and so is its line then. A name may hold parentheses too. */
const TSC = /^(?:(\S.{0,1000}?)\((\d{1,9}),\d{1,9}\): )?error (TS\d{1,6}): (.{1,4000})$/;
/** There are no inputs. */
const NOTHING_TO_CHECK = 'TS18003';

/**
 * `tsc --pretty false`: the form of MSBuild, `path(line,column): error TS1234: message`.
 * @throws when its own configuration is at fault: it goes on with what is left of it, and that is not what the project wants.
 */
export const tsc: Format = (text, root) => {
  const complaints = text.split('\n').flatMap((line): Complaint[] => {
    const [whole, file, at, rule, message] = TSC.exec(line.trimEnd()) ?? [];
    return whole === undefined ? [] : [complaint(root, { file, line: Number(at) }, rule, message)];
  });
  const broken = complaints.find(
    ({ file, rule }) => rule === NOTHING_TO_CHECK || /(?:^|\/)[^/]*\.json$/.test(file ?? ''),
  );
  if (broken) throw new Error(`the configuration is at fault: ${broken.file ?? ''} ${broken.message}`);
  return findingsOnly(complaints);
};
