import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CliError } from '../../cli/exit.ts';
import type { CommandIo } from '../../cli/io.ts';
import { readTaskFile } from '../../cli/task-file.ts';

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'assay-file-'));
});
afterAll(() => rmSync(cwd, { recursive: true }));

const sink = { write: () => undefined, isTTY: false, columns: undefined };
const io = (stdin = ''): CommandIo => ({
  env: {},
  cwd,
  stdout: sink,
  stderr: sink,
  readStdin: async () => stdin,
});

const read = (text: string) => {
  writeFileSync(join(cwd, 'tasks.yaml'), text);
  return readTaskFile('tasks.yaml', io());
};
const refusalsOf = async (text: string): Promise<string[]> => {
  const error = await read(text).then(
    () => {
      throw new Error('was accepted');
    },
    (reason: CliError) => reason,
  );
  expect(error.exitCode).toBe(2);
  return error.details.map(({ where, message }) => `${where} ${message}`);
};

const REPOSITORY = 'repository: https://example.com/x.git';

describe('what a file may hold', () => {
  test('one task', async () => {
    const file = await read(`title: One\n${REPOSITORY}\n`);
    expect(file).toEqual({
      tasks: [{ title: 'One', repository: 'https://example.com/x.git' }],
      batch: false,
    });
  });

  test('a list of tasks', async () => {
    const file = await read(`- {title: One, ${REPOSITORY}}\n- {title: Two, ${REPOSITORY}}\n`);
    expect(file.batch).toBe(true);
    expect(file.tasks.map((task) => task.title)).toEqual(['One', 'Two']);
  });

  test('a list under `tasks`, in JSON', async () => {
    const file = await read(
      JSON.stringify({ tasks: [{ title: 'One', repository: 'https://example.com/x.git' }] }),
    );
    expect(file.batch).toBe(true);
    expect(file.tasks).toHaveLength(1);
  });

  test('standard input', async () => {
    const file = await readTaskFile('-', io(`title: One\n${REPOSITORY}\n`));
    expect(file.tasks).toHaveLength(1);
  });
});

describe('what is refused, with file, line and field', () => {
  test.each<[string, string, string[]]>([
    ['a missing field', 'title: One\n', ['tasks.yaml:1: repository is missing']],
    ['an empty field', `# why\ntitle: ''\n${REPOSITORY}\n`, ['tasks.yaml:2: title must not be empty']],
    [
      'an unknown field',
      `title: One\n${REPOSITORY}\nscope: small\nprioirty: 1\n`,
      ['tasks.yaml:4: prioirty is not a known field'],
    ],
    [
      'a field deep in a list',
      `tasks:\n  - title: One\n    ${REPOSITORY}\n    completion_signals:\n      - type: path_exists\n        path: ../out\n`,
      ['tasks.yaml:6: tasks[0].completion_signals[0].path must not leave the checkout with ".."'],
    ],
    [
      'a field in a plain list',
      `- title: One\n  ${REPOSITORY}\n- title: ''\n  ${REPOSITORY}\n`,
      ['tasks.yaml:3: [1].title must not be empty'],
    ],
    [
      'several at once',
      `title: ''\n${REPOSITORY}\nfiles: [a, a]\n`,
      ['tasks.yaml:1: title must not be empty', 'tasks.yaml:3: files[1] is listed twice'],
    ],
    [
      'a pattern where files and folders are named',
      `title: One\n${REPOSITORY}\nfiles: [src/a.ts, 'docs/**']\n`,
      ['tasks.yaml:3: files[1] is a file or a folder, and no pattern: name the folder itself'],
    ],
    ['an empty list', 'tasks: []\n', ['tasks.yaml:1: tasks Too small: expected array to have >=1 items']],
    [
      'two documents',
      `title: One\n${REPOSITORY}\n---\ntitle: Two\n`,
      ['tasks.yaml has several documents; put the tasks in one list'],
    ],
    ['an empty file', '', ['tasks.yaml is empty']],
    ['plain text', 'do it\n', ['tasks.yaml:1 Invalid input: expected object, received string']],
  ])('%s', async (_, text, expected) => {
    expect(await refusalsOf(text)).toEqual(expected);
  });

  test('broken YAML, at the line where it breaks', async () => {
    const [first] = await refusalsOf('title: One\nrole: x\n"broken\n');
    expect(first).toMatch(/^tasks\.yaml:3 /);
  });

  test('a key that is given twice', async () => {
    const [first] = await refusalsOf(`title: One\ntitle: Two\n${REPOSITORY}\n`);
    expect(first).toBe('tasks.yaml:2 Map keys must be unique');
  });

  test('a file that is not there', async () => {
    await expect(readTaskFile('nowhere.yaml', io())).rejects.toThrow('nowhere.yaml does not exist.');
  });

  test('a folder', async () => {
    await expect(readTaskFile('.', io())).rejects.toThrow('. is a folder.');
  });
});
