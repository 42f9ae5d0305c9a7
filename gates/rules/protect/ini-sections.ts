import type { ProtectedConfigMerger } from './config-merger.ts';

/** Sections of setup.cfg that steer checks. */
const STEERING =
  /^(tool[.:]pytest|(flake8|pycodestyle|pydocstyle|pep8|mypy|pylint|coverage|isort|yapf|bandit|tox|mutmut|darglint|interrogate).*|pytest|aliases)$/s;

interface Section {
  /** Empty for what stands before the first header. */
  readonly name: string;
  readonly text: string;
}

/** The name in a `[header]`, or null. What stands behind the bracket is overlooked, as by Python's own reader. */
function headerOf(line: string): string | null {
  const text = line.trim();
  const to = text.indexOf(']');
  return text.startsWith('[') && to > 0 ? text.slice(1, to).trim() : null;
}

function sections(text: string): Section[] {
  const found: { name: string; text: string }[] = [{ name: '', text: '' }];
  for (const line of text.split(/(?<=\n)/)) {
    const header = headerOf(line);
    if (header !== null) found.push({ name: header, text: line });
    else {
      const last = found.at(-1);
      if (last) last.text += line;
    }
  }
  return found;
}

const steering = (all: readonly Section[]): Section[] => all.filter((each) => STEERING.test(each.name));

/** Does the same as `mergePackageJson`, for files of `[sections]`. */
export const mergeIniSections: ProtectedConfigMerger = (base, head) => {
  const before = steering(sections(base ?? ''));
  const all = sections(head);
  const after = steering(all);
  const text = (list: readonly Section[]): string => list.map((each) => each.text.trim()).join('\n\n');
  if (text(before) === text(after)) return null;
  const work = all.filter((each) => !after.includes(each)).map((each) => each.text);
  return `${work.join('').trimEnd()}\n\n${text(before)}\n`;
};
