import type { Subject } from '../engine/subject.ts';

export type ScriptKind = 'lint' | 'type_check' | 'tests';

interface Tool {
  readonly kind: ScriptKind;
  /** File of the base that configures it, and what must be in it. */
  readonly file: string;
  readonly when?: RegExp;
  readonly command: string;
}

const tool = (kind: ScriptKind, file: string, command: string, when?: RegExp): Tool => ({
  kind,
  file,
  command,
  ...(when ? { when } : {}),
});

/** Tools that a project configures itself, by the files of the base commit; the first that is there counts. */
const TOOLS: readonly Tool[] = [
  tool('lint', 'ruff.toml', 'ruff check .'),
  tool('lint', '.ruff.toml', 'ruff check .'),
  tool('lint', 'pyproject.toml', 'ruff check .', /^\[tool\.ruff\b/m),
  tool('lint', '.golangci.yml', 'golangci-lint run'),
  tool('lint', 'clippy.toml', 'cargo clippy --quiet -- -D warnings'),
  tool('type_check', 'pyrightconfig.json', 'pyright'),
  tool('type_check', 'pyproject.toml', 'pyright', /^\[tool\.(based)?pyright\b/m),
  tool('type_check', 'mypy.ini', 'mypy .'),
  tool('type_check', 'pyproject.toml', 'mypy .', /^\[tool\.mypy\b/m),
  tool('type_check', 'go.mod', 'go vet ./...'),
  tool('type_check', 'Cargo.toml', 'cargo check --quiet'),
  tool('tests', 'pytest.ini', 'pytest -q'),
  tool('tests', 'pyproject.toml', 'pytest -q', /^\[tool\.pytest\b/m),
  tool('tests', 'go.mod', 'go test ./...'),
  tool('tests', 'Cargo.toml', 'cargo test --quiet'),
];

/** Names under which projects keep the scripts in their package.json. */
export const SCRIPTS: Readonly<Record<ScriptKind, readonly string[]>> = {
  lint: ['lint'],
  type_check: ['typecheck', 'type-check', 'type_check', 'types'],
  tests: ['test'],
};
/** What `npm init` writes. */
const NO_TEST = /no test specified/;

/** The command of the project's own tool, or null when it configures none. Its own script comes first. */
export async function projectTool(
  subject: Pick<Subject, 'baseFile'>,
  kind: ScriptKind,
): Promise<string | null> {
  const script = await projectScript(subject, kind);
  if (script !== null) return script;
  for (const each of TOOLS) {
    if (each.kind !== kind) continue;
    const text = await subject.baseFile(each.file);
    if (text !== null && (each.when?.test(text) ?? true)) return each.command;
  }
  return null;
}

/** The command of the project's own script in package.json, or null when it has none. */
export async function projectScript(
  subject: Pick<Subject, 'baseFile'>,
  kind: ScriptKind,
): Promise<string | null> {
  const script = scriptIn(await subject.baseFile('package.json'), SCRIPTS[kind]);
  return script === null ? null : `npm run --silent ${script}`;
}

/** The first of some scripts that a package.json has; what `npm init` writes is none. */
export function scriptIn(text: string | null, names: readonly string[]): string | null {
  if (text === null) return null;
  try {
    const { scripts } = JSON.parse(text) as { scripts?: Record<string, unknown> };
    return (
      names.find((name) => {
        const script = scripts?.[name];
        return typeof script === 'string' && !NO_TEST.test(script);
      }) ?? null
    );
  } catch {
    return null;
  }
}
