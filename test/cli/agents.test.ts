import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { MAX_CATALOG_ENTRIES } from '../../shared/control/roles/catalog.ts';
import { MAX_ROLE_FILE_BYTES } from '../../shared/control/roles/role.ts';
import { createTemporaryFolder, createTestRepository } from '../support/git-repository.ts';
import { assay } from './support.ts';

const ENGINEER = `name: data-engineer
description: Specialist in pipelines
model: sonnet
effort: high
max_tasks_per_session: 2
system_prompt: |
  You write clean, tested pipelines.
`;
const WRITER = '---\nname: writer\nmodel: haiku\n---\n\nYou write plainly.\n';

let here: string;
beforeEach(() => {
  here = createTemporaryFolder();
});
const put = (path: string, text: string): void => {
  mkdirSync(dirname(join(here, path)), { recursive: true });
  writeFileSync(join(here, path), text);
};
const read = (path: string): string => readFileSync(join(here, path), 'utf8');
const agents = (...argv: string[]) => assay(['agents', ...argv], { cwd: here });
const role = (name: string, file: string): string => read(`.assay/roles/${name}/${file}`);

describe('a catalog in a folder', () => {
  test('becomes roles, once; done again it changes nothing, and what has left it leaves', async () => {
    put('catalog/data.yaml', ENGINEER);
    put('catalog/writer.md', WRITER);
    put('catalog/README.md', '# not an agent\n');
    const first = await agents('sync', 'catalog', '--json');
    expect(JSON.parse(first.stdout)).toEqual({
      source: 'catalog',
      commit: null,
      roles: [
        { name: 'data-engineer', change: 'added' },
        { name: 'writer', change: 'added' },
      ],
    });
    expect(role('data-engineer', 'system_prompt.md')).toBe('You write clean, tested pipelines.\n');
    expect(role('data-engineer', 'config.yaml')).toContain('max_tasks_per_session: 2\n');
    const before = statSync(join(here, '.assay/agents.lock.json')).mtimeMs;
    const again = await agents('sync', '--json');
    expect(JSON.parse(again.stdout).roles.map(({ change }: { change: string }) => change)).toEqual([
      'unchanged',
      'unchanged',
    ]);
    expect(statSync(join(here, '.assay/agents.lock.json')).mtimeMs).toBe(before);
    rmSync(join(here, 'catalog/writer.md'));
    expect((await agents('sync')).stdout).toContain('removed    writer');
    expect(existsSync(join(here, '.assay/roles/writer/config.yaml'))).toBe(false);
    expect((await agents('validate')).stdout).toBe('Valid: data-engineer\n');
    const list = await agents('list');
    expect(list.stdout).toMatch(/^data-engineer +repository +sonnet +high +2 +Specialist in pipelines$/m);
    expect(list.stdout).toMatch(/^manager +built in +opus +max/m);
  });

  test('never takes the place of what is yours, unless you say so', async () => {
    put('catalog/data.yaml', ENGINEER);
    put('.assay/roles/data-engineer/system_prompt.md', 'Mine.\n');
    expect(await agents('sync', 'catalog')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('data-engineer'),
    });
    expect(role('data-engineer', 'system_prompt.md')).toBe('Mine.\n');
    expect((await agents('sync', 'catalog', '--force')).code).toBe(0);
    put('.assay/roles/data-engineer/system_prompt.md', 'Changed.\n');
    expect((await agents('sync')).code).toBe(4);
  });

  test.each(['../../victim', '..', '.', 'a/../../../victim', '/victim', 'writer/../..'])(
    'removes nothing outside the folder of roles for the name %s in the lock file',
    async (name) => {
      put('catalog/data.yaml', ENGINEER);
      const kept = ['victim/config.yaml', '.assay/config.yaml', '.assay/roles/config.yaml', 'config.yaml'];
      for (const path of kept) put(path, 'mine\n');
      expect((await agents('sync', 'catalog')).code).toBe(0);
      const lock = JSON.parse(read('.assay/agents.lock.json')) as { roles: Record<string, string> };
      put('.assay/agents.lock.json', JSON.stringify({ ...lock, roles: { ...lock.roles, [name]: 'x' } }));
      for (const argv of [['sync'], ['sync', '--force'], ['sync', 'catalog', '--force']])
        expect(await agents(...argv)).toMatchObject({
          code: 2,
          stderr: expect.stringContaining('agents.lock.json is not valid'),
        });
      for (const path of kept) expect(read(path)).toBe('mine\n');
    },
  );

  test('is not read from outside its source, whatever the lock file says', async () => {
    put('catalog/data.yaml', ENGINEER);
    expect((await agents('sync', 'catalog')).code).toBe(0);
    put(
      '.assay/agents.lock.json',
      read('.assay/agents.lock.json').replace('"folder": ""', '"folder": "../elsewhere"'),
    );
    expect((await agents('sync')).code).toBe(2);
  });

  test('is never written through a link', async () => {
    put('catalog/data.yaml', ENGINEER);
    const elsewhere = createTemporaryFolder();
    mkdirSync(join(here, '.assay'));
    symlinkSync(elsewhere, join(here, '.assay/roles'));
    expect(await agents('sync', 'catalog')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is a link'),
    });
    expect(existsSync(join(elsewhere, 'data-engineer'))).toBe(false);
  });
});

describe('a catalog that is wrong', () => {
  test.each<[string, Record<string, string>, string]>([
    [
      'a field that is not known',
      { 'a.yaml': `${ENGINEER}tools: [bash]\n` },
      'a.yaml:8 tools is not a known field',
    ],
    [
      'a name that is none',
      { 'a.yaml': ENGINEER.replace('data-engineer', 'Data Engineer') },
      'a.yaml:1 name: ',
    ],
    ['no prompt', { 'a.yaml': 'name: a\n' }, 'a.yaml system_prompt: '],
    ['an effort that is none', { 'a.md': WRITER.replace('model: haiku', 'effort: huge') }, 'a.md:3 effort: '],
    ['no front matter', { 'a.md': 'You write.\n' }, 'a.md:1 has no front matter'],
    ['nothing below it', { 'a.md': '---\nname: a\n---\n' }, 'has no text below'],
    ['the same name twice', { 'a.md': WRITER, 'b.md': WRITER }, 'b.md is named writer, as a.md is'],
    [
      'a placeholder of nothing',
      { 'a.yaml': `${ENGINEER}task_prompt: "{{MODEL}}"\n` },
      'nothing stands for {{MODEL}}',
    ],
    ['a YAML bomb', { 'a.yaml': 'a: &a [x,x]\nb: &b [*a,*a]\nname: *b\n' }, 'a.yaml:2 has aliases'],
    ['a program as a tag', { 'a.yaml': 'name: !!js/function "x"\n' }, 'a.yaml:1 '],
    [
      'too much text',
      { 'a.yaml': `${ENGINEER}  ${'x'.repeat(MAX_ROLE_FILE_BYTES)}\n` },
      `has more than ${MAX_ROLE_FILE_BYTES} bytes`,
    ],
    [
      'too many agents',
      Object.fromEntries(
        Array.from({ length: MAX_CATALOG_ENTRIES + 1 }, (_, index) => [
          `a${index}.md`,
          WRITER.replace('writer', `w${index}`),
        ]),
      ),
      `${MAX_CATALOG_ENTRIES} is the most`,
    ],
  ])('is refused with its place for %s, and nothing is written', async (_what, files, said) => {
    for (const [name, text] of Object.entries(files)) put(`catalog/${name}`, text);
    for (const argv of [
      ['validate', 'catalog'],
      ['sync', 'catalog'],
    ]) {
      const ran = await agents(...argv);
      expect(ran.code).toBe(2);
      expect(ran.stderr).toContain(said);
    }
    expect(existsSync(join(here, '.assay'))).toBe(false);
  });

  test('has links out of it named, not followed', async () => {
    put('secret.yaml', ENGINEER);
    mkdirSync(join(here, 'catalog'));
    symlinkSync('../secret.yaml', join(here, 'catalog/a.yaml'));
    expect((await agents('sync', 'catalog')).stderr).toContain(
      'a.yaml is not a regular file; links are not followed',
    );
  });

  test.each([
    [['sync'], 'Nothing was synchronised here yet'],
    [['sync', 'nowhere'], 'nowhere is neither a folder'],
    [['sync', '.', '--folder', '../..'], 'is outside of the catalog'],
    [['sync', '.'], 'has no agents'],
  ])('that is not there: %j', async (argv, said) => {
    expect(await agents(...argv)).toMatchObject({ code: 2, stderr: expect.stringContaining(said) });
  });
});

describe('a catalog in git', () => {
  test('is pinned to its commit, read without being checked out, and moves only when told to', async () => {
    const repository = createTestRepository({ 'roles/writer.md': WRITER, 'roles/deeper/other.md': WRITER });
    const { url } = repository;
    const first = repository.git('rev-parse', 'HEAD');
    const synced = await agents('sync', url, '--folder', 'roles', '--json');
    expect(synced.stderr).toBe('');
    expect(JSON.parse(synced.stdout)).toMatchObject({
      commit: first,
      roles: [{ name: 'writer', change: 'added' }],
    });
    repository.commit({ 'roles/writer.md': WRITER.replace('plainly', 'briefly') });
    expect(JSON.parse((await agents('sync', '--json')).stdout)).toMatchObject({ commit: first });
    expect(role('writer', 'system_prompt.md')).toBe('You write plainly.\n');
    expect(JSON.parse((await agents('sync', '--update', '--json')).stdout).commit).toBe(
      repository.git('rev-parse', 'HEAD'),
    );
    expect(role('writer', 'system_prompt.md')).toBe('You write briefly.\n');
  });

  test('that cannot be had is an error that names it', async () => {
    const ran = await agents('sync', 'file:///nowhere/at/all.git');
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('file:///nowhere/at/all.git') });
  });
});
