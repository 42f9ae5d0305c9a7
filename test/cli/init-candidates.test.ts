import { expect, test } from 'vitest';
import { listCandidateGates } from '../../cli/init/candidate-gates.ts';

const candidatesOf = async (contents: Readonly<Record<string, string>>): Promise<string[]> => {
  const found = await listCandidateGates({
    paths: new Set(Object.keys(contents)),
    baseFile: async (path) => contents[path] ?? null,
  });
  return found.map(({ gate, settings }) =>
    String(settings[`${gate === 'tests' ? 'test' : gate}_command`] ?? gate),
  );
};
const TESTED = { 'test/a.js': '' };

test.each<[string, Record<string, string>, string[]]>([
  ['no test exists', { 'a.js': '' }, ['type_check', 'lint']],
  [
    'only a part of package.json other than its scripts is called test',
    { 'package.json': '{"dependencies": {"test": "1"}}' },
    ['type_check', 'lint'],
  ],
  [
    'tests lie beside code of Rust',
    { 'src/lib.rs': '#[test]\nfn a() {}\n' },
    ['tests', 'type_check', 'lint'],
  ],
  [
    'hooks of a script check other things',
    {
      ...TESTED,
      'package.json': '{"scripts": {"test": "tap", "posttest": "npm run lint", "lint": "x", "eslint": "y"}}',
    },
    ['tests', 'npm run --silent --ignore-scripts test', 'type_check', 'lint', 'npm run --silent eslint'],
  ],
  [
    'linters are dependencies',
    { 'package.json': '{"devDependencies": {"xo": "1", "oxlint": "1"}}' },
    ['type_check', 'lint', 'npx --no-install xo', 'npx --no-install oxlint'],
  ],
  [
    'task runners run the tests',
    {
      ...TESTED,
      justfile: 'test *args:\n\tx\n',
      Makefile: 'lint:\n\tx\ntests := a\n',
      'tox.ini': '[tox]\n[flake8]\n',
    },
    ['tests', 'just test', 'tox -e py', 'type_check', 'lint', 'flake8', 'make lint'],
  ],
  [
    'a test file of Python may need no pytest',
    { 'tests/test_a.py': '' },
    ['tests', 'python -m unittest discover', 'type_check', 'lint'],
  ],
])('assay init tries what may work: %s', async (_, contents, wanted) => {
  expect(await candidatesOf(contents)).toEqual(wanted);
});
