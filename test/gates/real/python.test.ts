import { agentTestMutationGate } from '../../../gates/gates/agent-test-mutation.ts';
import { autoFormatGate } from '../../../gates/gates/auto-format.ts';
import { benchmarkGate } from '../../../gates/gates/benchmark.ts';
import { commentQualityGate } from '../../../gates/gates/comment-quality.ts';
import { complexityCheckGate } from '../../../gates/gates/complexity-check.ts';
import { coverageDeltaGate } from '../../../gates/gates/coverage-delta.ts';
import { deadCodeGate } from '../../../gates/gates/dead-code.ts';
import { lintGate } from '../../../gates/gates/lint.ts';
import { mutationTestingGate } from '../../../gates/gates/mutation-testing.ts';
import { securityScanGate } from '../../../gates/gates/security-scan.ts';
import { testsGate } from '../../../gates/gates/tests.ts';
import { typeCheckGate } from '../../../gates/gates/type-check.ts';
import { type RealCase, realTools } from './cases.ts';

/** A function whose docstring tells of its parameter, and of nothing else. */
const docstring = (name: string, body: string): string =>
  `def ${name}(a):\n    """Take it.\n\n    Args:\n        a: What is taken.\n\n    """\n    ${body}\n`;
const ODD = 'a dir/ü (1) x.py';
const usePyright = { profiles: { python: { type_check: 'pyright' } } };
const MANY = Array.from({ length: 600 }, (_, at) => `import module_${at}\n`).join('');

const LINT: readonly RealCase[] = [
  {
    what: 'ruff passes a clean patch',
    gate: lintGate,
    needs: 'ruff',
    base: { 'a.py': 'X = 1\n' },
    edits: { [ODD]: 'Y = 2\n' },
    outcome: 'passed',
    findings: [],
    facts: { tool: 'ruff', exit_code: 0 },
  },
  {
    what: 'ruff names a file with an odd name',
    gate: lintGate,
    needs: 'ruff',
    base: { 'ruff.toml': '[lint]\nselect = ["F"]\n' },
    edits: { [ODD]: 'X = 1\nimport os\n' },
    outcome: 'failed',
    findings: [`${ODD}:2 F401`],
    facts: { exit_code: 1 },
  },
  {
    what: 'ruff says that a file cannot be parsed',
    gate: lintGate,
    needs: 'ruff',
    base: { 'a.py': 'X = 1\n' },
    edits: { 'a.py': 'X = 1\ny = (\n' },
    outcome: 'failed',
    findings: ['a.py:3 invalid-syntax'],
  },
  {
    what: 'ruff leaves alone what its configuration excludes, and looks at what the patch writes only',
    gate: lintGate,
    needs: 'ruff',
    base: { 'ruff.toml': 'exclude = ["made"]\n[lint]\nselect = ["F401"]\n', 'b.py': 'import re\n' },
    edits: { 'made/a.py': 'import os\n', 'a.py': 'import os\n' },
    outcome: 'failed',
    findings: ['a.py:1 F401'],
    facts: { files_given: 2 },
  },
  {
    what: 'ruff with many complaints is read to the end',
    gate: lintGate,
    needs: 'ruff',
    base: { 'ruff.toml': '[lint]\nselect = ["F401"]\n' },
    edits: { 'a.py': MANY },
    outcome: 'failed',
    facts: { findings_error: 600 },
  },
  {
    what: 'ruff with a broken configuration in the base says nothing about the patch',
    gate: lintGate,
    needs: 'ruff',
    base: { 'ruff.toml': '[lint\n' },
    edits: { 'a.py': 'import os\n' },
    outcome: 'could_not_run',
    detail: /^ruff breaks on the base too.*exit 2.*Failed to parse/s,
  },
  {
    what: 'ruff runs in the folder that has the manifest',
    gate: lintGate,
    needs: 'ruff',
    base: { 'api/pyproject.toml': '[tool.ruff.lint]\nselect = ["F"]\n', 'api/a.py': 'import os\n' },
    edits: { 'api/src/b.py': 'import sys\n', 'api/a.py': 'import os\nA = 1\n' },
    outcome: 'failed',
    findings: ['api/src/b.py:1 F401', 'api/a.py:1 F401 (before)'],
    facts: { folder: 'api' },
  },
];

const TYPES: readonly RealCase[] = [
  {
    what: 'mypy passes a clean patch, and looks past what was there before',
    gate: typeCheckGate,
    needs: 'mypy',
    base: { 'a.py': 'X: int = ""\n' },
    edits: { 'b.py': 'Y: int = 1\n' },
    outcome: 'passed',
    findings: ['a.py:1 assignment (before)'],
    facts: { exit_code: 1 },
  },
  {
    what: 'mypy names a file with an odd name',
    gate: typeCheckGate,
    needs: 'mypy',
    base: { 'a.py': '' },
    edits: { 'a dir/ü_x.py': '\nX: int = ""\n' },
    outcome: 'failed',
    findings: ['a dir/ü_x.py:2 assignment'],
  },
  {
    what: 'mypy that stops at the syntax of the base has not looked at the patch',
    gate: typeCheckGate,
    needs: 'mypy',
    base: { 'a.py': 'x = (\n' },
    edits: { 'b.py': 'Y: int = ""\n' },
    outcome: 'could_not_run',
    findings: ['a.py:2 syntax'],
    facts: { exit_code: 2 },
  },
  {
    what: 'mypy that goes on without its configuration has not passed',
    gate: typeCheckGate,
    needs: 'mypy',
    base: { 'mypy.ini': '[mypy\nstrict = True\n' },
    edits: { 'b.py': 'Y = 1\n' },
    outcome: 'could_not_run',
    detail: /breaks on the base too/,
  },
  {
    what: 'pyright tells a new complaint from an old one, in a file with an odd name',
    gate: typeCheckGate,
    needs: 'pyright',
    base: { 'a.py': 'X: int = ""\n' },
    edits: { [ODD]: '\nY: int = ""\n' },
    settings: usePyright,
    outcome: 'failed',
    findings: [`${ODD}:2 reportAssignmentType`, 'a.py:1 reportAssignmentType (before)'],
    facts: { exit_code: 1 },
  },
  {
    what: 'pyright that goes on without its configuration has not passed',
    gate: typeCheckGate,
    needs: 'pyright',
    base: { 'pyrightconfig.json': '{"strict": [' },
    edits: { 'b.py': 'Y = 1\n' },
    outcome: 'could_not_run',
    detail: /breaks on the base too.*exit 3/s,
  },
];

const PYTEST: readonly RealCase[] = [
  {
    what: 'pytest passes a clean patch, in the folder that has the manifest',
    gate: testsGate,
    needs: 'pytest',
    base: { 'api/pyproject.toml': '[tool.pytest.ini_options]\npythonpath = ["."]\n', 'api/a.py': 'X = 1\n' },
    edits: { 'api/test_a.py': 'import a\n\n\ndef test_x():\n    assert a.X == 1\n' },
    outcome: 'passed',
    detail: /^1 tests ran/,
    facts: { folder: 'api' },
  },
  {
    what: 'pytest runs what it can when one file cannot be imported, and tells new from old',
    gate: testsGate,
    needs: 'pytest',
    base: {
      'test_old.py': 'import not_there\n',
      'a.py': 'X = 1\n',
      'test_a.py': 'import a\n\n\ndef test_x():\n    assert a.X == 1\n',
    },
    edits: { 'a.py': 'X = 2\n' },
    outcome: 'failed',
    findings: ['test_a.py:4 test_failed', 'test_old.py:null test_failed (before)'],
  },
  {
    what: 'pytest without a test is no pass',
    gate: testsGate,
    needs: 'pytest',
    base: { 'a.py': 'X = 1\n' },
    edits: { 'a.py': 'X = 2\n' },
    outcome: 'could_not_run',
    detail: /no test ran/,
  },
  {
    what: 'pytest with a broken configuration in the base says nothing about the patch',
    gate: testsGate,
    needs: 'pytest',
    base: {
      'pytest.ini': '[pytest]\naddopts = --no-such-option\n',
      'test_a.py': 'def test_a():\n    pass\n',
    },
    edits: { 'a.py': 'X = 2\n' },
    outcome: 'could_not_run',
    detail: /breaks on the base too.*exit 4/s,
  },
];

const SECURITY: readonly RealCase[] = [
  {
    what: 'bandit tells a new hole from an old one, whatever a comment says, in a file with an odd name',
    gate: securityScanGate,
    needs: 'bandit',
    base: { 'a.py': 'exec("1")\n' },
    edits: { [ODD]: 'X = 1\nexec("1")  # nosec\n' },
    outcome: 'failed',
    findings: [`${ODD}:2 B102`, 'a.py:1 B102 (before)'],
    facts: { exit_code: 1 },
  },
  {
    what: 'bandit is not silenced by code that it cannot read',
    gate: securityScanGate,
    needs: 'bandit',
    base: { 'a.py': 'X = 1\n' },
    edits: { 'a.py': 'X = 1\nexec("1"\n' },
    outcome: 'failed',
    findings: ['a.py:null not_scanned'],
  },
];

const ADD = 'def add(a, b):\n    return a + b\n';
const TESTED = {
  'setup.cfg': '[mutmut]\nsource_paths=lib\npytest_add_cli_args_test_selection=tests\n',
  'lib/__init__.py': '',
  'lib/add.py': ADD,
};
const WEAK = 'from lib.add import add\n\n\ndef test_add():\n    assert add(0, 0) == 0\n';
const STRONG = 'from lib.add import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n';

const MEASURED: readonly RealCase[] = [
  {
    what: 'mutmut names a weak test of changed code',
    gate: mutationTestingGate,
    needs: 'mutmut',
    base: { ...TESTED, 'tests/test_add.py': WEAK },
    edits: { 'lib/add.py': `${ADD}\n` },
    outcome: 'failed',
    facts: { tool: 'mutmut', score: 0 },
  },
  {
    what: 'mutmut passes tests that notice every change',
    gate: agentTestMutationGate,
    needs: 'mutmut',
    base: TESTED,
    edits: { 'tests/test_add.py': STRONG },
    outcome: 'passed',
    facts: { tool: 'mutmut', score: 1 },
  },
  {
    what: 'pytest-cov sees that a new function has no test',
    gate: coverageDeltaGate,
    needs: 'pytest-cov',
    base: { 'a.py': 'def f():\n    return 1\n', 'test_a.py': 'import a\n\n\ndef test_f():\n    a.f()\n' },
    edits: { 'a.py': 'def f():\n    return 1\n\n\ndef g():\n    return 1\n' },
    outcome: 'failed',
    facts: { tool: 'pytest-cov', coverage_base: 100 },
  },
  {
    what: 'pytest-benchmark sees a slower function',
    gate: benchmarkGate,
    needs: 'pytest-benchmark',
    base: {
      'a.py': 'N = 1\n',
      'test_a.py':
        'import a\n\n\ndef test_n(benchmark):\n    benchmark.pedantic(lambda: sum(range(a.N)), rounds=3, iterations=3)\n',
    },
    edits: { 'a.py': 'N = 300_000\n' },
    settings: { benchmark: { enabled: true, threshold: 5 } },
    outcome: 'failed',
    findings: ['null:null benchmark_mean_s', 'null:null benchmark_ops'].slice(0, 1),
  },
  {
    what: 'radon sees code that became more complex, in a file with an odd name',
    gate: complexityCheckGate,
    needs: 'radon',
    base: { [ODD]: 'def f(a):\n    return a\n' },
    edits: { [ODD]: 'def f(a):\n    if a:\n        return 1\n    return 2\n' },
    outcome: 'failed',
    facts: { tool: 'radon', complexity: 2, complexity_base: 1 },
  },
  {
    what: 'vulture names dead code in a file with an odd name',
    gate: deadCodeGate,
    needs: 'vulture',
    base: { [ODD]: 'def f(a):\n    return a\n' },
    edits: {
      [ODD]: 'def f(a):\n    return a\n\n\ndef g(a, *, unused):\n    return f(a)\n\n\ng(1, unused=2)\n',
    },
    outcome: 'failed',
    findings: [`${ODD}:5 vulture`],
    facts: { vulture: '2.16' },
  },
  {
    what: 'ruff names results and errors that a docstring leaves out, in the style that the base configures',
    gate: commentQualityGate,
    needs: 'ruff',
    base: {
      'pyproject.toml': '[tool.ruff.lint.pydocstyle]\nconvention = "google"\n',
      'a.py': docstring('old', 'return a + 1'),
    },
    edits: {
      'a.py': `# Moved.\n${docstring('old', 'return a + 1')}`,
      [ODD]: `${docstring('new', 'if a:\n        raise ValueError\n    return a + 1')}`,
      'tests/test_a.py': docstring('test_new', 'return a + 1'),
    },
    outcome: 'failed',
    findings: [`${ODD}:2 incomplete`, `${ODD}:2 incomplete`, 'a.py:3 incomplete (before)'],
    facts: { ruff: '0.17.6' },
  },
  {
    what: 'ruff tells sections of another style than assay.yaml names, which is worth a word',
    gate: commentQualityGate,
    needs: 'ruff',
    base: {},
    edits: {
      [ODD]:
        'def f(a):\n    """Take it all.\n\n    Parameters:\n        a: What is taken.\n    """\n    print(a)\n',
    },
    settings: { comment_quality_style: 'numpy' },
    outcome: 'passed',
    findings: [`${ODD}:4 wrong_style`, `${ODD}:4 wrong_style`],
  },
  {
    what: 'ruff is not asked where nobody has named a style that it reads',
    gate: commentQualityGate,
    needs: 'ruff',
    base: {},
    edits: { [ODD]: docstring('new', 'return a + 1') },
    settings: { comment_quality_style: 'rest' },
    outcome: 'passed',
    findings: [],
  },
  {
    what: 'ruff says which file it would write differently, whatever its name',
    gate: autoFormatGate,
    needs: 'ruff',
    base: {},
    edits: { [ODD]: 'x  =  1\n', 'b.py': 'x = 1\n' },
    outcome: 'passed',
    findings: [`${ODD}:null not_formatted`],
  },
  {
    what: 'ruff that cannot parse a file has not looked at it',
    gate: autoFormatGate,
    needs: 'ruff',
    base: {},
    edits: { 'b.py': 'x = (\n' },
    outcome: 'could_not_run',
  },
];

realTools('the linter of Python', LINT);
realTools('the type checkers of Python', TYPES);
realTools('pytest', PYTEST);
realTools('the security scanner of Python', SECURITY);
realTools('what is measured in Python', MEASURED);
