/** Sections of pyproject.toml, setup.cfg and Cargo.toml that steer checks. */
const STEERING =
  /^(tool[.:](ruff|pytest|mypy|pyright|basedpyright|pylint|flake8|coverage|black|isort|bandit|vulture|tox|nox|poe|taskipy|hatch\.envs|pdm\.scripts)\b.*|flake8.*|mypy.*|pylint.*|coverage.*|isort.*|pytest|lints\b.*|workspace\.lints\b.*)$/;

interface Section {
  /** Empty for what stands before the first header. */
  readonly name: string;
  readonly text: string;
}

const HEADER = /^[ \t]*\[\[?[ \t]*([^\]\n]+?)[ \t]*\]\]?[ \t]*(?:[#;].*)?$/;

function sections(text: string): Section[] {
  const found: { name: string; text: string }[] = [{ name: '', text: '' }];
  for (const line of text.split(/(?<=\n)/)) {
    const header = HEADER.exec(line.trimEnd())?.[1];
    if (header !== undefined) found.push({ name: header.replace(/["']/g, ''), text: line });
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
