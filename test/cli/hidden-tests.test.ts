import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { createTemporaryFolder } from '../support/git-repository.ts';
import { assay, aTask, type FakeApi, fakeApi } from './support.ts';

let api: FakeApi | undefined;
afterEach(() => api?.close());

const ONE = 'title: One\nrepository: https://example.com/x.git\n';
const file = (text: string): string => {
  const folder = createTemporaryFolder();
  writeFileSync(join(folder, 'tasks.yaml'), text);
  return folder;
};

async function send(argv: readonly string[], cwd: string) {
  api = await fakeApi(() => [201, aTask()]);
  return assay(argv, { cwd, env: { ASSAY_URL: api.url, ASSAY_TOKEN: 'secret' } });
}

describe('submit --hidden-tests', () => {
  /** A folder with a task and, in `kept`, hidden tests. */
  const kept = (files: Record<string, string | Buffer>, task = ONE): string => {
    const cwd = file(task);
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(join(cwd, 'kept', dirname(path)), { recursive: true });
      writeFileSync(join(cwd, 'kept', path), content);
    }
    return cwd;
  };
  const submitted = (cwd: string, what = 'kept') =>
    send(['submit', 'tasks.yaml', '--hidden-tests', what], cwd);

  test('sends the files of a folder, in a fixed order, bytes as bytes', async () => {
    const cwd = kept({
      'test/b.test.js': 'b',
      'data/a.bin': Buffer.from([0, 255]),
      'data/b.bin': 'a\0b',
      'run.sh': '#!/bin/sh\n',
    });
    chmodSync(join(cwd, 'kept', 'run.sh'), 0o755);
    expect(await submitted(cwd)).toMatchObject({ code: 0, stderr: '' });
    expect(api?.seen[0]?.body).toMatchObject({
      hidden_tests: {
        kind: 'files',
        files: [
          { path: 'data/a.bin', content: 'AP8=', encoding: 'base64' },
          { path: 'data/b.bin', content: 'YQBi', encoding: 'base64' },
          { path: 'run.sh', content: '#!/bin/sh\n', executable: true },
          { path: 'test/b.test.js', content: 'b' },
        ],
      },
    });
  });

  test.each([
    ['https://example.com/kept.git#v2:shop', { ref: 'v2', folder: 'shop' }],
    ['https://example.com/kept.git#v2', { ref: 'v2' }],
    ['https://example.com/kept.git', {}],
  ])('sends %s as a repository', async (what, more) => {
    expect((await submitted(file(ONE), what)).code).toBe(0);
    expect(api?.seen[0]?.body).toMatchObject({
      hidden_tests: {
        kind: 'git',
        repository: 'https://example.com/kept.git',
        ...more,
      },
    });
  });

  test.each<[string, () => string, string, string]>([
    ['a folder that is not there', () => file(ONE), 'kept', 'kept does not exist'],
    ['a file', () => file(ONE), 'tasks.yaml', 'tasks.yaml is not a folder'],
    ['an empty folder', () => kept({ '../kept.txt': '' }), 'kept', 'kept'],
    [
      'a .git in it',
      () => kept({ 'a.js': '', '.git/config': '' }),
      'kept',
      'kept/.git/config must not point into .git',
    ],
    ['too much', () => kept({ 'a.js': 'x'.repeat(600_000) }), 'kept', '600000 bytes together'],
    ['a ref that is an option', () => file(ONE), 'https://example.com/x.git#-x', 'plain branch'],
    [
      'a list of tasks',
      () => kept({ 'a.js': '' }, `- {title: One, repository: 'https://example.com/x.git'}\n`),
      'kept',
      'for a file with one task',
    ],
    [
      'a task that has some',
      () =>
        kept({ 'a.js': '' }, `${ONE}hidden_tests: {kind: git, repository: 'https://example.com/h.git'}\n`),
      'kept',
      'has hidden_tests already',
    ],
  ])('sends nothing with %s', async (_what, make, what, message) => {
    const cwd = make();
    const ran = await submitted(cwd, what);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(message);
    expect(api?.seen ?? []).toEqual([]);
  });

  test('sends nothing with a symbolic link, and names it', async () => {
    const cwd = kept({ 'a.js': '' });
    symlinkSync('/etc/passwd', join(cwd, 'kept', 'b.js'));
    const ran = await submitted(cwd);
    expect(ran.stderr).toContain('kept/b.js is not a file, such as a symbolic link');
    expect(api?.seen ?? []).toEqual([]);
  });
});

describe('submit with an exam', () => {
  const EXAM = {
    command: 'node --test',
    points: [{ requirement: 'It adds', test: 'exam: adds', on_base: 'fails' }],
    confidence: 1,
  };
  /** A folder with a task file, and an exam in `kept`. */
  const withExam = (task: string, exam: object = EXAM): string => {
    const cwd = file(task);
    mkdirSync(join(cwd, 'kept', 'exam', 'test'), { recursive: true });
    writeFileSync(join(cwd, 'kept', 'exam.json'), JSON.stringify(exam));
    writeFileSync(join(cwd, 'kept', 'exam', 'test', 'exam.test.js'), '// adds');
    return cwd;
  };
  const SENT = {
    exam: { points: EXAM.points, files: [{ path: 'test/exam.test.js', content: '// adds' }] },
  };

  test('reads the folder of --exam', async () => {
    const cwd = withExam(ONE);
    expect(await send(['submit', 'tasks.yaml', '--exam', 'kept'], cwd)).toMatchObject({ code: 0 });
    expect(api?.seen[0]?.body).toMatchObject(SENT);
  });

  test('reads the folder that a task names, relative to its file', async () => {
    const cwd = withExam(`${ONE}exam: ./kept\n`);
    expect(await send(['submit', join(cwd, 'tasks.yaml')], createTemporaryFolder())).toMatchObject({
      code: 0,
    });
    expect(api?.seen[0]?.body).toMatchObject(SENT);
  });

  test.each([
    [ONE, { ...EXAM, points: [] }, 'an exam without points has to ask questions'],
    [`${ONE}exam: ./kept\n`, EXAM, 'The task has exam already'],
    [`- {title: One, repository: 'https://example.com/x.git'}\n`, EXAM, 'for a file with one task'],
  ])('sends nothing for %j with %j', async (task, exam, message) => {
    const ran = await send(['submit', 'tasks.yaml', '--exam', 'kept'], withExam(task, exam));
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(message);
    expect(api?.seen ?? []).toEqual([]);
  });
});
