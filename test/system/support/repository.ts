import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A bare repository on disk, with a working copy that the test writes into. */
export class Repository {
  readonly folder = mkdtempSync(join(tmpdir(), 'assay-repo-'));
  readonly bare = join(this.folder, 'origin.git');
  readonly url = pathToFileURL(this.bare).href;
  readonly #work = join(this.folder, 'work');

  constructor(files: Record<string, string>) {
    mkdirSync(this.#work);
    this.git('init', '-q', '--bare', '-b', 'main', this.bare);
    this.git('-C', this.#work, 'init', '-q', '-b', 'main');
    this.git('-C', this.#work, 'remote', 'add', 'origin', this.bare);
    this.commit('main', files);
  }

  git(...args: string[]): string {
    return execFileSync(
      'git',
      ['-c', 'user.name=Test', '-c', 'user.email=test@example.test', '-c', 'commit.gpgsign=false', ...args],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
    ).trim();
  }

  /** Commits files on a branch and pushes it. */
  commit(branch: string, files: Record<string, string>): string {
    this.git('-C', this.#work, 'checkout', '-q', '-B', branch);
    for (const [path, text] of Object.entries(files)) {
      const target = join(this.#work, path);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, text);
      if (text.startsWith('#!')) chmodSync(target, 0o755);
    }
    this.git('-C', this.#work, 'add', '-A');
    this.git('-C', this.#work, 'commit', '-q', '-m', `on ${branch}`);
    this.git('-C', this.#work, 'push', '-q', 'origin', branch);
    return this.git('-C', this.#work, 'rev-parse', 'HEAD');
  }

  branches(): string[] {
    return this.git('-C', this.bare, 'for-each-ref', '--format=%(refname:short)', 'refs/heads')
      .split('\n')
      .filter((name) => name !== '');
  }

  /** Content of a file on a branch. */
  show(branch: string, path: string): string {
    return this.git('-C', this.bare, 'show', `${branch}:${path}`);
  }

  commitsAbove(base: string, branch: string): number {
    return Number(this.git('-C', this.bare, 'rev-list', '--count', `${base}..${branch}`));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A project with one function that is wrong, a test that does not notice it, and gates that run it. */
export const PROJECT = {
  'package.json': JSON.stringify({ name: 'sums', type: 'module', scripts: { test: 'node --test' } }),
  'src/sum.js': 'export const sum = (a, b) => a - b;\n',
  'test/sum.test.js':
    "import assert from 'node:assert';\nimport { test } from 'node:test';\nimport { sum } from '../src/sum.js';\n\ntest('adds', () => assert.equal(sum(2, 0), 2));\n",
  'assay.yaml': 'version: 1\nquality_gates:\n  lint: false\n  tests: true\n  test_command: node --test\n',
};
export const RIGHT = 'export const sum = (a, b) => a + b;\n';
export const WRONG = 'export const sum = (a, b) => a * b * 2;\n';

/** An agent as one line of JavaScript; `model` and `fs` are in its scope. */
export const agent = (code: string): { kind: 'command'; argv: string[] } => ({
  kind: 'command',
  argv: [
    process.execPath,
    '-e',
    `const fs = require('node:fs'); const model = process.argv[1]; (async () => { ${code} })();`,
    '{model}',
  ],
});
export const writes = (path: string, text: string): string =>
  `fs.mkdirSync(require('node:path').dirname(${JSON.stringify(path)}), { recursive: true }); fs.writeFileSync(${JSON.stringify(path)}, ${JSON.stringify(text)});`;
export const uses = (input: number, output: number): string =>
  `fs.writeFileSync(process.env.ASSAY_USAGE_FILE, JSON.stringify({ usage: { input_tokens: ${input}, output_tokens: ${output} } }));`;
