import { isOwnCode, type Language } from '../../core/language.ts';
import type { Subject } from '../../core/subject.ts';
import { asks, type Program } from '../../languages/tool.ts';

export interface Formatter extends Program {
  readonly language: Language;
  /** Names of the files that it knows. */
  readonly files: RegExp;
  /** Writes the files that are `"$@"`. */
  readonly line: string;
  /** Files of the base that show that the project uses it; none: it is the language's own. */
  readonly signs: readonly string[];
}

const WEB = /\.([cm]?[jt]sx?|jsonc?|css)$/;

/** In the order in which they are looked for; the first that fits a file formats it. */
export const FORMATTERS: readonly Formatter[] = [
  {
    language: 'python',
    name: 'ruff',
    version: asks('ruff'),
    get: 'pip install ruff',
    files: /\.pyi?$/,
    line: 'ruff format --no-cache --quiet -- "$@"',
    signs: [],
  },
  {
    language: 'javascript',
    name: 'biome',
    version: asks('biome'),
    get: 'npm install --save-dev @biomejs/biome',
    files: WEB,
    line: 'biome format --write --files-ignore-unknown=true --no-errors-on-unmatched -- "$@"',
    signs: ['biome.json', 'biome.jsonc'],
  },
  {
    language: 'javascript',
    name: 'prettier',
    version: asks('prettier'),
    get: 'npm install --save-dev prettier',
    files: /\.[cm]?[jt]sx?$/,
    line: 'prettier --write --ignore-unknown --log-level warn -- "$@"',
    signs: [],
  },
  {
    language: 'go',
    name: 'gofmt',
    version: 'command -v gofmt >/dev/null || exit 127; go version || true',
    get: 'install Go from go.dev/dl',
    files: /\.go$/,
    line: 'gofmt -w "$@"',
    signs: [],
  },
  {
    language: 'rust',
    name: 'rustfmt',
    version: asks('rustfmt'),
    get: 'rustup component add rustfmt',
    files: /\.rs$/,
    line: 'edition=$(sed -n \'s/^edition *= *"\\([0-9]*\\)".*/\\1/p\' Cargo.toml 2>/dev/null | head -n 1); [ -n "$edition" ] || edition=2021; rustfmt --edition "$edition" "$@"',
    signs: [],
  },
];

/** The formatter of each changed file, as the base commit has it. */
export async function formattersFor(
  subject: Pick<Subject, 'baseFile'>,
  changed: readonly string[],
): Promise<{ readonly formatter: Formatter; readonly files: readonly string[] }[]> {
  let rest = changed.filter((path) => isOwnCode(path) || WEB.test(path));
  const chosen = [];
  for (const formatter of FORMATTERS) {
    const files = rest.filter((path) => formatter.files.test(path));
    if (files.length === 0 || !(await used(subject, formatter.signs))) continue;
    chosen.push({ formatter, files });
    rest = rest.filter((path) => !files.includes(path));
  }
  return chosen;
}

async function used(subject: Pick<Subject, 'baseFile'>, signs: readonly string[]): Promise<boolean> {
  for (const sign of signs) if ((await subject.baseFile(sign)) !== null) return true;
  return signs.length === 0;
}
