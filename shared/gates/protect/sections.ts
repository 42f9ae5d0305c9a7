/** Sections of pyproject.toml, setup.cfg and Cargo.toml that steer checks. */
const STEERING =
  /^(tool[.:](ruff|pytest|mypy|pyright|basedpyright|pylint|flake8|coverage|black|isort|bandit|vulture|tox|nox|poe|taskipy|hatch\.envs|pdm\.scripts)\b.*|(flake8|mypy|pylint|coverage|isort).*|pytest|lints\b.*|workspace\.lints\b.*)$/;

interface Section {
  /** Empty for what stands before the first header. */
  readonly name: string;
  readonly text: string;
}

/** The name in a `[header]` or `[[header]]`, or null. By hand, because a hostile line makes a regular expression crawl. */
function headerOf(line: string): string | null {
  const text = line.trim();
  if (!text.startsWith('[')) return null;
  const from = text.startsWith('[[') ? 2 : 1;
  const to = text.indexOf(']');
  const after = text.slice(text.startsWith(']]', to) ? to + 2 : to + 1).trimStart();
  if (to < 0 || (after !== '' && !/^[#;]/.test(after))) return null;
  return text.slice(from, to).trim().replace(/["']/g, '');
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

/** Spellings in which a steering section hides inside another one, or in text that only looks like a section. */
const HIDING = /^[ \t]*(tool|lints|workspace)[ \t]*[.=]|^[ \t]*\[tool\]|"""|'''/;

/** True when the new text has a line of such a spelling that the base has not. */
const hides = (base: string, head: string): boolean => {
  const known = new Set(base.split('\n'));
  return head.split('\n').some((line) => HIDING.test(line) && !known.has(line));
};

/** As `steeredByBase` of package.json, for files of `[sections]`. */
export function sectionsByBase(base: string | null, head: string): string | null | 'base' {
  const before = steering(sections(base ?? ''));
  const all = sections(head);
  const after = steering(all);
  const text = (list: readonly Section[]): string => list.map((each) => each.text.trim()).join('\n\n');
  if (hides(base ?? '', head)) return 'base';
  if (text(before) === text(after)) return null;
  const work = all.filter((each) => !after.includes(each)).map((each) => each.text);
  return `${work.join('').trimEnd()}\n\n${text(before)}\n`;
}
