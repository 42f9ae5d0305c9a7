import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseSource } from '../gates/code/parsing/parse-source.ts';
import type { SyntaxNode } from '../gates/code/parsing/syntax-node.ts';
import { CONTAINER_ENTRY_POINTS } from '../infra/bundles.ts';

/** Names of files that are started, where they do anything when they are loaded. */
const PROGRAM_NAME = /(?:^|\/)main\.tsx?$|-(?:program|process|worker)\.ts$/;
/** Tests, which the runner imports. */
const TEST_NAME = /\.(?:test|real|aws)\.ts$/;
/** A line that may begin a statement. Other files are not parsed. */
const MAY_RUN = /^(?!describe|function)(?:await |if |for |while |switch |try |void |[\w.]+(?:[(?]|$| = ))/m;
const STATEMENT = /^(?:expression|if|for|for_in|while|do|switch|try)_statement$/;
/** Imports and re-exports that are left when types are removed; an `import type` is not. */
const IMPORT =
  /^(?:import|export)\b(?! type\b)[^;']*\bfrom\s+'(\.[^']+)'|^import\s+'(\.[^']+)'|\bimport\(\s*'(\.[^']+)'/gm;

const awaits = (node: SyntaxNode): boolean =>
  node.type === 'await_expression' ||
  (!/function|class|method/.test(node.type) && node.children.some(awaits));

async function isProgram(path: string, text: string): Promise<boolean> {
  if (TEST_NAME.test(path) || !MAY_RUN.test(text)) return false;
  const { root } = await parseSource(path.endsWith('x') ? 'tsx' : 'typescript', text);
  const statements = root.children.filter(
    ({ type, source, start, end }) =>
      STATEMENT.test(type) && !source.slice(start, end).startsWith('if (import.meta.main)'),
  );
  return PROGRAM_NAME.test(path) ? statements.length > 0 : statements.some(awaits);
}

/** Programs, which run when they are loaded, and the files that import one. */
async function findPrograms(texts: ReadonlyMap<string, string>) {
  const programs = new Set<string>();
  for (const [path, text] of texts) if (await isProgram(path, text)) programs.add(path);
  const imports = [...texts].flatMap(([path, text]) =>
    [...text.matchAll(IMPORT)].flatMap(([, named, whole, later]) => {
      const target = join(dirname(path), named ?? whole ?? later ?? '');
      return programs.has(target) ? [`${path} imports ${target}`] : [];
    }),
  );
  return { programs, imports };
}

describe('a program is imported by nothing', () => {
  it('is found by what it does when it is loaded', async () => {
    const { programs, imports } = await findPrograms(
      new Map([
        ['a/main.ts', "import { b } from './b.ts';\nb();\n"],
        [
          'a/b.ts',
          'export const b = async () => await 1;\nconst HARNESS = `\nif (a) {\n}\n`;\nb.name = HARNESS;\n',
        ],
        ['a/serve.ts', "import { b } from './b.ts';\nif (b) await b();\n"],
        ['a/run-process.ts', 'export function run(): void {}\nif (import.meta.main) run();\n'],
        ['a/take-program.ts', 'process.on("message", () => {});\n'],
        ['test/a.test.ts', "import '../a/b.ts';\nimport { x } from '../a/serve.ts';\nawait b(x);\n"],
        ['test/b.test.ts', "import type { X } from '../a/serve.ts';\nvi.mock('../a/serve.ts');\n"],
        [
          'test/c.ts',
          "export { run } from '../a/run-process.ts';\nexport const load = () => import('../a/take-program.ts');\n",
        ],
        ['test/e.ts', "import '../a/main.ts';\nexport const NAME = join(FOLDER, '../a/serve.ts');\n"],
        ['test/d.ts', "import {\n  a,\n  b,\n} from '../a/main.ts';\n"],
      ]),
    );
    expect([...programs]).toEqual(['a/main.ts', 'a/serve.ts', 'a/take-program.ts']);
    expect(imports).toEqual([
      'test/a.test.ts imports a/serve.ts',
      'test/c.ts imports a/take-program.ts',
      'test/e.ts imports a/main.ts',
      'test/d.ts imports a/main.ts',
    ]);
  });

  it('holds in this repository', async () => {
    const patterns = ['*.ts', '*.tsx', '*.js', '*.mjs'];
    const listed = execFileSync('git', ['ls-files', '--', ...patterns], { encoding: 'utf8' });
    const paths = listed.trim().split('\n').filter(existsSync);
    const { programs, imports } = await findPrograms(
      new Map(paths.map((path) => [path, readFileSync(path, 'utf8')])),
    );
    expect([...programs]).toEqual(
      expect.arrayContaining([
        ...Object.values(CONTAINER_ENTRY_POINTS),
        ...['cli/main.ts', 'gates/screenshots/browser-program.ts', 'gates/signals/regex-search-worker.ts'],
        ...['local/main.ts', 'local/ecs/container-host-process.ts', 'test/check.ts'],
      ]),
    );
    // It is how the program is started.
    expect(imports.filter((each) => each !== 'cli/assay.js imports cli/main.ts')).toEqual([]);
  });
});
