import { isProjectCodePath, type Language } from '../../core/language.ts';
import type { PatchToCheck } from '../../core/patch-to-check.ts';
import { buildVersionCommand, type ToolProgram } from '../../languages/language-tool.ts';

export interface Formatter extends ToolProgram {
  readonly language: Language;
  /** Names of the files that it knows. */
  readonly filePattern: RegExp;
  /** Writes the files that are `"$@"`. */
  readonly command: string;
  /** Files of the base that show that the project uses it; none: it is the language's own. */
  readonly configFiles: readonly string[];
}

const WEB = /\.([cm]?[jt]sx?|jsonc?|css)$/;

/** In the order in which they are looked for; the first that fits a file formats it. */
export const FORMATTERS: readonly Formatter[] = [
  {
    language: 'python',
    name: 'ruff',
    versionLine: buildVersionCommand('ruff'),
    installHint: 'pip install ruff',
    filePattern: /\.pyi?$/,
    command: 'ruff format --no-cache --quiet -- "$@"',
    configFiles: [],
  },
  {
    language: 'javascript',
    name: 'biome',
    versionLine: buildVersionCommand('biome'),
    installHint: 'npm install --save-dev @biomejs/biome',
    filePattern: WEB,
    command: 'biome format --write --files-ignore-unknown=true --no-errors-on-unmatched -- "$@"',
    configFiles: ['biome.json', 'biome.jsonc'],
  },
  {
    language: 'javascript',
    name: 'prettier',
    versionLine: buildVersionCommand('prettier'),
    installHint: 'npm install --save-dev prettier',
    filePattern: /\.[cm]?[jt]sx?$/,
    command: 'prettier --write --ignore-unknown --log-level warn -- "$@"',
    configFiles: [],
  },
  {
    language: 'go',
    name: 'gofmt',
    versionLine: 'command -v gofmt >/dev/null || exit 127; go version || true',
    installHint: 'install Go from go.dev/dl',
    filePattern: /\.go$/,
    command: 'gofmt -w "$@"',
    configFiles: [],
  },
  {
    language: 'rust',
    name: 'rustfmt',
    versionLine: buildVersionCommand('rustfmt'),
    installHint: 'rustup component add rustfmt',
    filePattern: /\.rs$/,
    command:
      'edition=$(sed -n \'s/^edition *= *"\\([0-9]*\\)".*/\\1/p\' Cargo.toml 2>/dev/null | head -n 1); [ -n "$edition" ] || edition=2021; rustfmt --edition "$edition" "$@"',
    configFiles: [],
  },
];

/** The formatter of each changed file, as the base commit has it. */
export async function selectFormatters(
  subject: Pick<PatchToCheck, 'baseFile'>,
  changed: readonly string[],
): Promise<{ readonly formatter: Formatter; readonly files: readonly string[] }[]> {
  let rest = changed.filter((path) => isProjectCodePath(path) || WEB.test(path));
  const chosen = [];
  for (const formatter of FORMATTERS) {
    const files = rest.filter((path) => formatter.filePattern.test(path));
    if (files.length === 0 || !(await used(subject, formatter.configFiles))) continue;
    chosen.push({ formatter, files });
    rest = rest.filter((path) => !files.includes(path));
  }
  return chosen;
}

async function used(subject: Pick<PatchToCheck, 'baseFile'>, signs: readonly string[]): Promise<boolean> {
  for (const sign of signs) if ((await subject.baseFile(sign)) !== null) return true;
  return signs.length === 0;
}
