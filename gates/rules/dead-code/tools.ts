import type { ChangedCode } from '../../code/changed.ts';
import { compared, type Issue } from '../../code/issue.ts';
import { type Language, languageOf } from '../../code/language.ts';
import type { Seen } from '../../code/seen.ts';
import type { GateContext } from '../../engine/gate.ts';
import { list, object } from '../../reports/report.ts';
import { measure } from '../../tool-run/measure/measure.ts';
import { profilesOf } from '../../tool-run/settings.ts';
import { asks, type Program } from '../../tool-run/tool.ts';
import { toolVersion } from '../../tool-run/tool-version.ts';

interface Complaint extends Issue {
  readonly file: string;
}

interface DeadCodeTool extends Program {
  readonly language: Language;
  /** Line for `bash -c`; `"$@"` are the changed files, `$CONFIDENCE` is in percent, the report goes to `$REPORT`. */
  readonly line: string;
  /** Exit codes with which it has looked. */
  readonly looked: readonly number[];
  /** Text in package.json without which it is not used; it would find everything dead. */
  readonly needs?: RegExp;
  /** @throws when the text is no report. */
  readonly read: (text: string) => Complaint[];
}

const complaint = (file: string, line: number, rule: string, message: string): Complaint => ({
  file: file.replace(/^\.\//, ''),
  line: line > 0 ? line : 1,
  rule,
  key: message,
  message,
});

const unusedFile = (file: string): Complaint => complaint(file, 1, 'knip', 'nothing imports this file');

/** Tools that look further than we do, where they are here. */
export const DEAD_CODE_TOOLS: readonly DeadCodeTool[] = [
  {
    language: 'python',
    name: 'vulture',
    version: asks('vulture'),
    get: 'pip install vulture',
    line: 'vulture --min-confidence "$CONFIDENCE" "$@" > "$REPORT"',
    looked: [0, 1, 3],
    // It has no other format; each line is `file:line: message (90% confidence)`.
    read: (text) =>
      text.split('\n').flatMap((line) => {
        const [, file, at, message] =
          /^([^\n:]{1,4096}):(\d{1,9}): ([^\n]{1,1000}) \(\d{1,3}% confidence/.exec(line) ?? [];
        return file === undefined || message === undefined
          ? []
          : [complaint(file, Number(at), 'vulture', message)];
      }),
  },
  {
    language: 'javascript',
    name: 'knip',
    version: asks('knip'),
    get: 'npm install --save-dev knip, and profiles.javascript.setup: npm ci --ignore-scripts',
    line: 'knip --no-progress --reporter json > "$REPORT"',
    looked: [0, 1],
    needs: /"knip"/,
    read: (text) => {
      const report = object(JSON.parse(text));
      const unused = (file: string, what: string) => (item: unknown) =>
        complaint(
          file,
          Number(object(item)['line'] ?? 1),
          'knip',
          `${what} ${String(object(item)['name'])} is not used`,
        );
      return [
        // Up to version 5 a list of names beside the issues, since then an issue of the file.
        ...list(report['files']).flatMap((file) => (typeof file === 'string' ? [unusedFile(file)] : [])),
        ...list(report['issues'])
          .map(object)
          .flatMap((issue) => {
            const file = String(issue['file']);
            return [
              ...list(issue['files']).map(() => unusedFile(file)),
              ...list(issue['exports']).map(unused(file, 'the export')),
              ...list(issue['types']).map(unused(file, 'the type')),
            ];
          }),
      ];
    },
  },
];

/**
 * What the tools say about the changed files, and what they did not say about the base. A tool that is not here, or that broke,
 * takes nothing away from what we have seen ourselves; `notes` says so.
 */
export async function toolsSeen(
  { subject, timeoutMs }: GateContext,
  changed: readonly ChangedCode[],
  settings: Readonly<Record<string, unknown>>,
  confidence: number,
): Promise<{ readonly seen: readonly Seen[]; readonly notes: Readonly<Record<string, string>> }> {
  const seen: Seen[] = [];
  const notes: Record<string, string> = {};
  const left = subject.rooms.within(timeoutMs);
  for (const tool of DEAD_CODE_TOOLS) {
    const files = changed.filter(
      ({ after }) => after !== null && languageOf(after.grammar) === tool.language,
    );
    if (files.length === 0 || !(await isUsed(tool, subject))) continue;
    const setup = profilesOf(settings)[tool.language]?.setup;
    const version = await toolVersion(subject.rooms, subject.base, tool, { setup });
    notes[tool.name] = version ?? 'not here';
    if (version === null) continue;
    const look = async (tree: string, paths: readonly string[]): Promise<Complaint[] | null> => {
      const { text, exitCode } = await measure(tree, {
        rooms: subject.rooms,
        line: `export CONFIDENCE=${confidence}; ${tool.line}`,
        setup,
        files: paths,
        timeoutMs: left(),
      });
      return text === null || exitCode === null || !tool.looked.includes(exitCode)
        ? null
        : readable(tool, text);
    };
    const before = await look(
      subject.base,
      files.flatMap(({ before: file }) => file?.path ?? []),
    );
    const after = await look(
      subject.tree,
      files.flatMap(({ after: file }) => file?.path ?? []),
    );
    if (before === null || after === null) {
      notes[tool.name] = `${version}, gave no report`;
      continue;
    }
    for (const { path, before: was } of files)
      for (const each of compared(path, of(before, was?.path), of(after, path))) seen.push(each);
  }
  return { seen, notes };
}

const of = (all: readonly Complaint[], path: string | undefined): Complaint[] =>
  all.filter(({ file }) => file === path);

function readable(tool: DeadCodeTool, text: string): Complaint[] | null {
  try {
    return tool.read(text);
  } catch {
    return null;
  }
}

const isUsed = async ({ needs }: DeadCodeTool, subject: GateContext['subject']): Promise<boolean> =>
  needs === undefined || needs.test((await subject.baseFile('package.json')) ?? '');
