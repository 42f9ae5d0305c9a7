import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  createTemporaryFolder,
  createTestRepository,
  type TestRepository,
} from '../support/git-repository.ts';
import { assay } from './support.ts';

const HEAD =
  "const { test } = require('node:test');\nconst assert = require('node:assert');\nconst { price } = require('../price.js');\n";
/** Text of the exam that no output may show. */
const PLANTED = 'planted-4711';
const DOUBLED = 'doubles the price';

const point = (requirement: string, test: string, on_base: string) => ({ requirement, test, on_base });
const POINTS = [point(DOUBLED, 'doubles', 'fails'), point('nothing costs nothing', 'keeps', 'passes')];
const TESTS = `${HEAD}// ${PLANTED}
test('doubles', () => assert.equal(price(7), 14, '${PLANTED}'));
test('keeps', () => assert.equal(price(0), 0));
`;

let repository: TestRepository;
/** Options of every command: task and repository. */
let taskFile: string;
let folder: string;

function write(files: Readonly<Record<string, string>>): string {
  const place = createTemporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place, name)), { recursive: true });
    writeFileSync(join(place, name), text);
  }
  return place;
}
const examFolder = (points: readonly object[] = POINTS, tests = TESTS): string =>
  write({
    'exam.json': JSON.stringify({
      command: 'node --test test/exam.test.js',
      points,
      open: [],
      confidence: 0.9,
    }),
    'exam/test/exam.test.js': tests,
  });

beforeAll(() => {
  repository = createTestRepository({
    'package.json': '{"private":true}\n',
    'price.js': 'exports.price = (n) => n;\n',
  });
  repository.write({ 'price.js': 'exports.price = (n) => (n === 2 ? 4 : n);\n' });
  taskFile = join(
    write({ 'task.yaml': 'title: Double the price\ndescription: price(n) is n twice.\n' }),
    'task.yaml',
  );
  folder = examFolder();
});

describe('assay check with acceptance tests', () => {
  const check = (exam: string, ...more: string[]) =>
    assay(
      ['check', '--repo', repository.dir, '--base', 'main', '--task', taskFile, '--exam', exam, ...more],
      {
        cwd: createTemporaryFolder(),
      },
    );

  it('takes the exam that the task file names', async () => {
    const place = write({ 'task.yaml': `title: Double the price\nexam: ${folder}\n` });
    const options = ['--repo', repository.dir, '--base', 'main', '--task', join(place, 'task.yaml')];
    const { code, stdout } = await assay(['check', ...options], { cwd: createTemporaryFolder() });
    expect(code).toBe(1);
    expect(stdout).toContain(`2 of 2 requirements tested; 1 met; not met: ${DOUBLED}`);
  });

  it('fails, shows the requirement first, and nothing of the test in any format', async () => {
    const [text, ...others] = await Promise.all(
      [[], ['--format', 'json'], ['--format', 'markdown'], ['--format', 'junit'], ['--format', 'sarif']].map(
        (more) => check(folder, ...more),
      ),
    );
    expect(text).toMatchObject({ code: 1 });
    expect(text?.stdout.split('\n').find((line) => /acceptance_tests/.test(line))).toContain('failed');
    expect(text?.stdout).toContain(`2 of 2 requirements tested; 1 met; not met: ${DOUBLED}`);
    for (const { stdout, stderr } of [text, ...others].flatMap((each) => each ?? [])) {
      expect(stdout).toContain(DOUBLED);
      expect(stdout + stderr).not.toContain(PLANTED);
      expect(stdout + stderr).not.toContain('exam.test.js');
    }
  });

  it('takes the mode from the command line', async () => {
    expect(await check(folder, '--exam-mode', 'off')).toMatchObject({ code: 0 });
  });

  it('refuses an exam among the files that are checked, and one with errors', async () => {
    const inside = await check(join(repository.dir, 'exam'));
    expect(inside).toMatchObject({ code: 2 });
    expect(inside.stderr).toContain('is among the files that are checked');
    const wrong = await check(write({ 'exam.json': '{"points": [{"test": "a"}], "confidence": 2}' }));
    expect(wrong).toMatchObject({ code: 2 });
    expect(wrong.stderr).toContain('exam.json: confidence');
  });
});

describe('assay exam', () => {
  const exam = (name: string, place: string) =>
    assay(['exam', name, taskFile, '--exam', place, '--repo', repository.dir], {
      cwd: createTemporaryFolder(),
    });

  it('init writes instructions with the task, and an exam that can be read', async () => {
    const place = join(createTemporaryFolder(), 'exam');
    expect(await exam('init', place)).toMatchObject({ code: 0 });
    expect(existsSync(join(place, 'exam'))).toBe(true);
    expect(await exam('check', place)).toMatchObject({ code: 0 });
    expect(await exam('init', place)).toMatchObject({ code: 2 });
  });

  it.each([
    ['none.yaml', null, 'none.yaml does not exist.'],
    ['task.yaml', 'title: [\n', 'task.yaml is not valid.'],
  ])('init refuses a task file as assay check does: %s, %j', async (name, text, message) => {
    const file = join(write(text === null ? {} : { [name]: text }), name);
    const cwd = createTemporaryFolder();
    const at = ['--repo', repository.dir];
    const check = await assay(['check', '--task', file, ...at], { cwd });
    expect(check).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
    expect(await assay(['exam', 'init', file, '--exam', 'exam', ...at], { cwd })).toEqual(check);
  });

  it('check names what is wrong with the folder of test files', async () => {
    const none = write({ 'exam.json': JSON.stringify({ command: 'true', points: POINTS, confidence: 1 }) });
    expect((await exam('check', none)).stderr).toContain('an exam has its test files in exam/');
    const linked = examFolder();
    symlinkSync('exam.test.js', join(linked, 'exam/test/other.test.js'));
    const { code, stderr } = await exam('check', linked);
    expect(code).toBe(2);
    expect(stderr).toContain('cannot be used');
    expect(stderr).toContain('is not a file, such as a symbolic link');
    expect(stderr).not.toContain('hidden');
  });

  it('check tells the author which points the base confirms', async () => {
    expect(await exam('check', folder)).toMatchObject({ code: 0 });
    const { code, stdout } = await exam('check', examFolder([point(DOUBLED, 'keeps', 'fails')]));
    expect(code).toBe(1);
    expect(stdout).toContain('dropped: passes on base');
  });

  it('run says which requirements the working tree meets', async () => {
    const { code, stdout } = await exam('run', folder);
    expect(code).toBe(1);
    expect(stdout).toBe(`acceptance_tests failed: 2 of 2 requirements tested; 1 met; not met: ${DOUBLED}\n`);
  });
});
