import { describe, expect, it } from 'vitest';
import {
  mayReadEnvironment,
  selectTestsReadingEnvironment,
} from '../../../../../gates/tests/experiments/sources/environment-reads.ts';
import { readProjectCodeWithinTimeLimit } from '../../../../../gates/tests/experiments/trees/changed-tests.ts';
import { createSubject } from '../../../../support/patch-fixture.ts';

describe('code that may read its environment', () => {
  it.each([
    'if os.environ.get("CI"): pass',
    'const { env } = process;',
    'new Date().getHours()',
    'value.toLocaleString()',
    'time.Now().Local()',
    'std::env::var("CI")',
    'Path("~").expanduser()',
    'open("/proc/self/environ")',
    'subprocess.run(["hostname"])',
    "globalThis['pro' + 'cess']",
    'require(name)',
  ])('is recognised: %s', (text) => {
    expect(mayReadEnvironment(text)).toBe(true);
  });

  it.each(['return a + b', "const assert = require('node:assert');", 'fn sum(a: u8, b: u8) -> u8 { a + b }'])(
    'is not any code: %s',
    (text) => {
      expect(mayReadEnvironment(text)).toBe(false);
    },
  );
});

describe('tests that may read their environment', () => {
  const base = {
    'clock.js': 'exports.now = () => new Date();\n',
    'sum.js': 'exports.sum = (a, b) => a + b;\n',
    'diary.js': "exports.now = require('./clock.js').now;\n",
    'test/diary.test.js': "require('../diary.js');\n",
    'test/sum.test.js': "require('../sum.js');\n",
  };
  const select = async (patch: Readonly<Record<string, string>>) => {
    const subject = await createSubject(base, patch);
    const project = await readProjectCodeWithinTimeLimit(subject);
    if (project === null) throw new Error('the code could not be read');
    return selectTestsReadingEnvironment({
      store: subject.store,
      code: project.head,
      changed: Object.keys(patch),
      tests: ['test/diary.test.js', 'test/sum.test.js'],
    });
  };

  it('are those that import such code, also through other modules', async () => {
    expect(await select({ 'sum.js': 'exports.sum = (a, b) => b + a;\n' })).toEqual(['test/diary.test.js']);
  });

  it('are all where the patch itself may read it', async () => {
    const changed = { 'sum.js': 'exports.sum = (a, b) => (process.env.CI ? a + b : 0);\n' };
    expect(await select(changed)).toEqual(['test/diary.test.js', 'test/sum.test.js']);
  });
});
