import { posix } from 'node:path';
import type { Project } from '../../../code/project.ts';
import type { ChangedText } from '../../../engine/changed-texts.ts';
import { isTestPath } from '../../../languages/test-paths.ts';
import type { TestFile, TestSide } from '../protection.ts';
import type { ReadFile, ReadTests } from './model.ts';
import { readTests } from './read.ts';

const { join } = posix;

/** Names that bundlers and test runners give to folders of the project. */
const ALIAS = /^(?:\.|[@~#$]\/|[~#$])/;

/** Reads the tests of both sides. */
export async function readFiles(
  files: readonly TestFile[],
  texts: readonly ChangedText[],
  project: Project,
): Promise<ReadFile[]> {
  const isOwn = ownModules(project);
  const read = async (side: TestSide | null): Promise<ReadTests | null> =>
    side &&
    readTests(side.path, side.text, {
      isOwn,
      mayAssert: (specifier) => mayAssert(side.path, specifier, texts),
    });
  const all: ReadFile[] = [];
  for (const { path, before, after } of files) {
    const [then, now] = [await read(before), await read(after)];
    all.push({ path, before: then, after: now, isNew: before === null });
  }
  return all;
}

/** Whether an import leads into the project: relative, by an alias, or by the name of a folder or file that it has. */
function ownModules({ base, head }: Project): (specifier: string) => boolean {
  const names = new Set<string>();
  for (const { files } of [base, head])
    for (const path of files.code.keys())
      if (path.endsWith('.py')) for (const part of path.replace(/\.py$/, '').split('/')) names.add(part);
  return (specifier) => ALIAS.test(specifier) || names.has(specifier.split('.')[0] ?? '');
}

const ASSERTS =
  /\b(?:assert\w*|expect\w*|should|raise|throw|fail|verify\w*)\b|\.(?:equal|is|ok|throws)\s{0,5}\(/;
const HELPER =
  /(?:^|[/._-])(?:helpers?|support|utils?|shared|common|fixtures?|harness|testing|testlib|tests?|assertions?|conftest)(?:$|[/._-])/i;

/** Whether an import leads to a helper of the tests; one that the patch touches must have an assertion in it. */
function mayAssert(path: string, specifier: string, texts: readonly ChangedText[]): boolean {
  const target = resolved(path, specifier);
  if (target === null || !(isTestPath(`${target}.x`) || isTestPath(`${target}/`) || HELPER.test(target)))
    return false;
  const helper = texts.find(
    (text) =>
      text.after !== null && (text.path.startsWith(`${target}.`) || text.path.startsWith(`${target}/index.`)),
  );
  return helper === undefined || ASSERTS.test(helper.after ?? '');
}

/** The path that an import leads to, without its extension; null for a package. */
function resolved(path: string, specifier: string): string | null {
  const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  if (!path.endsWith('.py'))
    return specifier.startsWith('.') ? join(folder, specifier).replace(/\.\w+$/, '') : null;
  const dots = /^\.*/.exec(specifier)?.[0].length ?? 0;
  const rest = specifier.slice(dots).replaceAll('.', '/');
  return dots === 0 ? rest : join(folder, ...Array<string>(dots - 1).fill('..'), rest);
}
