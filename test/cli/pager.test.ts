import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isUrl } from '../../cli/agents/catalog-source.ts';
import { showInPager } from '../../cli/output/pager.ts';
import { toPosixPath } from '../../cli/posix-path.ts';
import { createTemporaryFolder } from '../support/git-repository.ts';
import { assay } from './support.ts';

const reads = async (argv: readonly string[], options: object = {}, shows = true) => {
  let seen: string | null = null;
  const ran = await assay(argv, {
    terminal: 80,
    rows: 20,
    ...options,
    page: async (text) => {
      seen = text;
      return shows;
    },
  });
  return { ...ran, seen };
};

describe('what is longer than the terminal', () => {
  test('is shown page by page, and not printed as well', async () => {
    const { seen, stdout, code } = await reads(['rules', 'list']);
    expect([stdout, code]).toEqual(['', 0]);
    expect(seen).toContain('age_key');
  });

  test('help, too', async () => {
    expect((await reads(['submit', '--help'])).seen).toContain('Usage: assay submit');
  });

  test('is printed as it is where nothing can show it', async () => {
    expect((await reads(['rules', 'list'], {}, false)).stdout).toContain('age_key');
  });

  test.each<[string, readonly string[], object]>([
    ['standard output is no terminal', ['rules', 'list'], { terminal: undefined }],
    ['it is for a program', ['rules', 'list', '--json'], {}],
    ['the terminal is tall enough', ['rules', 'list'], { rows: 10_000 }],
    ['PAGER is empty', ['rules', 'list'], { env: { PAGER: '' } }],
    ['PAGER is cat', ['rules', 'list'], { env: { PAGER: 'cat' } }],
    ['the terminal cannot do more than print', ['rules', 'list'], { env: { TERM: 'dumb' } }],
    ['the command is not one that is only read', ['completion', 'bash'], {}],
  ])('is not where %s', async (_why, argv, options) => {
    const { seen, stdout } = await reads(argv, options);
    expect(seen).toBeNull();
    expect(stdout.length).toBeGreaterThan(100);
  });

  test('has no colours where NO_COLOR says so, and else those of a terminal', async () => {
    expect((await reads(['rules', 'list'], { env: { NO_COLOR: '1' } })).seen).not.toContain('\u001b[');
    expect((await reads(['rules', 'list'])).seen).toContain('\u001b[');
  });
});

describe('PAGER', () => {
  const path = process.env['PATH'];

  test('is a command line, which gets the text', async () => {
    const file = join(createTemporaryFolder(), 'shown');
    expect(await showInPager('a\nb\n', { PATH: path, PAGER: `cat > '${file}'` })).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe('a\nb\n');
  });

  test('may end before it has read all', async () => {
    expect(await showInPager('x'.repeat(1_000_000), { PATH: path, PAGER: 'true' })).toBe(true);
  });

  test.each([
    ['is not there', { PATH: path, PAGER: 'no-such-pager 2> /dev/null' }],
    ['is not set, and there is no less', { PATH: createTemporaryFolder() }],
  ])('that %s has shown nothing', async (_what, env) => {
    expect(await showInPager('a\n', env)).toBe(false);
  });
});

describe('paths of Windows', () => {
  test('are written as repositories write them', () => {
    expect(toPosixPath('tests\\deep\\a.test.ts', '\\')).toBe('tests/deep/a.test.ts');
    expect(toPosixPath('odd\\name.ts', '/')).toBe('odd\\name.ts');
  });

  test.each([
    ['C:\\agents', false],
    ['c://agents', false],
    ['https://example.com/agents.git', true],
    ['file:///srv/agents.git', true],
  ])('%s is an address: %s', (source, expected) => {
    expect(isUrl(source)).toBe(expected);
  });
});
