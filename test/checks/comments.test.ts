import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkComments, parseAddedLines } from './comment-language.ts';

const SCRIPT = join(import.meta.dirname, 'lint-comments.ts');
const faultsOf = (text: string): number[] =>
  checkComments('a.ts', text, new Set(text.split('\n').map((_, index) => index + 1))).map(({ line }) => line);

describe('the language of comments', () => {
  it.each([
    '/** What a task is. */',
    '/** Whether the lease ended. */',
    '/**\n * Of two tasks the older one.\n */',
    '// Null: no model was asked.',
    'const a = 1; // Who asked.',
    '/** As in Automake. */',
    '/** Returns the lease that nobody holds. */',
    '// The agent is told its budget.',
  ])('refuses %j', (text) => expect(faultsOf(text)).toHaveLength(1));

  it.each([
    '/** Returns the refusal, or null if the proposal may be applied. */',
    '/**\n * Budget of one attempt,\n * of whatever tier.\n */',
    '// The dispatcher retries the launch,\n// whether or not it was fatal.',
    "const url = 'https://example.com/of/nobody';",
    '// If the lease ends, the reconciler retries.',
    '/** @throws if the file is missing */',
  ])('accepts %j', (text) => expect(faultsOf(text)).toEqual([]));

  it('reads added lines by file, and not a line that looks like a header', () => {
    const diff = [
      'diff --git a.ts a.ts',
      '--- a.ts',
      '+++ a.ts',
      '@@ -1,0 +2,2 @@',
      '+++ x',
      '+y',
      'diff --git b.ts b.ts',
      '--- b.ts',
      '+++ /dev/null',
      '@@ -1 +0,0 @@',
    ].join('\n');
    expect(parseAddedLines(diff)).toEqual(new Map([['a.ts', new Set([2, 3])]]));
  });
});

describe('npm run lint:comments', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-comments-'));
  const git = (...args: string[]): void => {
    const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
    execFileSync('git', [...identity, ...args], { cwd: folder, stdio: 'ignore' });
  };
  const commit = (text: string): void => {
    writeFileSync(join(folder, 'a.ts'), text);
    git('add', '.');
    git('commit', '-qm', 'a');
  };
  const lint = (...args: string[]) => {
    const { status, stdout } = spawnSync(process.execPath, [SCRIPT, ...args], {
      cwd: folder,
      encoding: 'utf8',
    });
    return { status, stdout };
  };
  const OLD = '/** What was here before. */\nexport const a = 1;\n';

  it('skips a checkout without a parent commit, and checks new lines only', () => {
    git('init', '-q');
    commit(OLD);
    expect(lint()).toMatchObject({ status: 77, stdout: expect.stringMatching(/^SKIPPED /) });

    commit(`${OLD}/** Returns one. */\nexport const b = () => 1;\n`);
    expect(lint()).toMatchObject({ status: 0, stdout: expect.stringContaining('0 findings') });

    commit(`${OLD}/** Whether it is one. */\nexport const b = () => 1;\n`);
    expect(lint()).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(/^a\.ts:3: comment begins with "Whether"/),
    });
    expect(lint('--base', 'HEAD')).toMatchObject({ status: 0 });
  });
});
