import type { ChangedCode } from '../../code/changed.ts';
import { compared, type Issue } from '../../code/issue.ts';
import { languageOf } from '../../code/language.ts';
import type { Seen } from '../../code/seen.ts';
import type { GateContext } from '../../engine/gate.ts';
import { FORMATS } from '../../reports/all.ts';
import type { Complaint } from '../../reports/report.ts';
import { hasSign, PROFILES } from '../../tool-run/choose.ts';
import { measure } from '../../tool-run/measure/measure.ts';
import { profilesOf } from '../../tool-run/settings.ts';
import type { DeadCodeTool } from '../../tool-run/tool.ts';
import { toolVersion } from '../../tool-run/tool-version.ts';

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
  for (const { language, deadCode: tool } of Object.values(PROFILES)) {
    const files = changed.filter(({ after }) => after !== null && languageOf(after.grammar) === language);
    if (tool === undefined || files.length === 0 || !(await isUsed(tool, subject))) continue;
    const setup = profilesOf(settings)[language]?.setup;
    const version = await toolVersion(subject.rooms, subject.base, tool, { setup });
    notes[tool.name] = version ?? 'not here';
    if (version === null) continue;
    const look = async (tree: string, paths: readonly string[]): Promise<readonly Complaint[] | null> => {
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

const of = (all: readonly Complaint[], path: string | undefined): Issue[] =>
  all.flatMap(({ file, rule, line, message }) =>
    file === path ? [{ rule, key: message, line: line ?? 1, message }] : [],
  );

async function readable({ format }: DeadCodeTool, text: string): Promise<readonly Complaint[] | null> {
  const read = await FORMATS[format]();
  try {
    return read(text, '').complaints;
  } catch {
    return null;
  }
}

const isUsed = async ({ signs }: DeadCodeTool, subject: GateContext['subject']): Promise<boolean> =>
  signs.length === 0 || (await hasSign(subject, signs));
