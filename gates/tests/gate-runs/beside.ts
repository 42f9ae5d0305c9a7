import type { ChangedCode } from '../../code/changed.ts';
import { compared, type Issue } from '../../code/parsing/issue.ts';
import type { GateContext } from '../../core/gate.ts';
import { type Language, languageOf } from '../../core/language.ts';
import type { Seen } from '../../core/seen.ts';
import { languageOfPath } from '../../languages/languages.ts';
import type { BESIDE, Beside } from '../../languages/tool.ts';
import { FORMATS } from '../../reports/all.ts';
import type { Complaint } from '../../reports/report.ts';
import { measure } from '../measure/measure.ts';
import { hasSign, PROFILES } from '../running/choose.ts';
import { profilesOf } from '../running/settings.ts';
import { toolVersion } from '../running/tool-version.ts';

interface Asked {
  readonly gate: (typeof BESIDE)[number];
  /** Variables of the tools' lines; null for what nobody knows. */
  readonly variables: Readonly<Record<string, string | null>>;
}

/**
 * What the tools of the languages say about the changed files, and what they did not say about the base, beside what we saw
 * ourselves. A tool that is not here, or that broke, takes nothing away from that; `notes` says so.
 */
export async function withTools(
  { subject, timeoutMs }: GateContext,
  own: readonly Seen[],
  changed: readonly ChangedCode[],
  settings: Readonly<Record<string, unknown>>,
  { gate, variables }: Asked,
): Promise<{ readonly seen: readonly Seen[]; readonly notes: Readonly<Record<string, string>> }> {
  const seen: Seen[] = [];
  const notes: Record<string, string> = {};
  const left = subject.rooms.within(timeoutMs);
  const instead = new Map<Language, readonly string[]>();
  for (const { language, beside } of Object.values(PROFILES)) {
    const tool = beside?.[gate];
    const files = changed.filter(({ after }) => after !== null && languageOf(after.grammar) === language);
    if (tool === undefined || files.length === 0 || !(await isUsed(tool, subject, variables))) continue;
    const setup = profilesOf(settings)[language]?.setup;
    const version = await toolVersion(subject.rooms, subject.base, tool, { setup });
    notes[tool.name] = version ?? 'not here';
    if (version === null) continue;
    const look = async (tree: string, paths: readonly string[]): Promise<readonly Complaint[] | null> => {
      const { text, exitCode, root } = await measure(tree, {
        rooms: subject.rooms,
        line: `${exports(variables)}${tool.line}`,
        setup,
        files: paths,
        timeoutMs: left(),
      });
      return text === null || exitCode === null || !tool.looked.includes(exitCode)
        ? null
        : readable(tool, text, root);
    };
    const after = await look(
      subject.tree,
      files.flatMap(({ after: file }) => file?.path ?? []),
    );
    // Where all of the files are new, or nothing is said of the patch, there is nothing to ask the base.
    const then = after?.length === 0 ? [] : files.flatMap(({ before: file }) => file?.path ?? []);
    const before = then.length === 0 ? [] : await look(subject.base, then);
    if (before === null || after === null) {
      notes[tool.name] = `${version}, gave no report`;
      continue;
    }
    instead.set(language, tool.instead ?? []);
    for (const { path, before: was } of files)
      for (const each of compared(path, of(before, was?.path), of(after, path))) seen.push(each);
  }
  const isAnswered = ({ file, rule }: Seen): boolean => {
    const language = file === null ? null : languageOfPath(file);
    return language !== null && instead.get(language)?.includes(rule) === true;
  };
  return { seen: [...own.filter((each) => !isAnswered(each)), ...seen], notes };
}

const exports = (variables: Asked['variables']): string =>
  Object.entries(variables)
    .map(([name, value]) => `export ${name}='${value ?? ''}'; `)
    .join('');

const of = (all: readonly Complaint[], path: string | undefined): Issue[] =>
  all.flatMap(({ file, rule, line, message }) =>
    file === path ? [{ rule, key: message, line: line ?? 1, message }] : [],
  );

async function readable(
  { format, counts }: Beside,
  text: string,
  root: string,
): Promise<readonly Complaint[] | null> {
  const read = await FORMATS[format]();
  try {
    const { complaints } = read(text, root);
    if (!counts) return complaints;
    return complaints.flatMap((each) => {
      const meant = counts.find(
        ({ rule, says }) => rule.test(each.rule) && (says?.test(each.message) ?? true),
      );
      return meant ? [{ ...each, rule: meant.as }] : [];
    });
  } catch {
    return null;
  }
}

const isUsed = async (
  { signs, needs }: Beside,
  subject: GateContext['subject'],
  variables: Asked['variables'],
): Promise<boolean> =>
  (needs === undefined || typeof variables[needs] === 'string') &&
  (signs.length === 0 || (await hasSign(subject, signs)));
