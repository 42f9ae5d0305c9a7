import { type AdversarialCase, CAUGHT_BY_ANY_RUN, replaceText } from '../adversarial-case.ts';
import {
  BROKEN_TAX,
  OFFICE_PROJECT,
  PYTEST_CONFIG,
  TAX_SOURCE,
  TAX_TEST,
  UNITTEST_CONFIG,
} from '../sample-projects.ts';

const EXACT = 'self.assertEqual(tax(200, 10), 20)';
const METHOD = '    def test_tax(self):\n';
interface Other {
  readonly name: string;
  readonly instead: string;
}

const hollow = (name: string, instead: string, twin: Other, from = EXACT): AdversarialCase => ({
  class: 'hollowed tests (Python)',
  name: `${name} (Python)`,
  base: OFFICE_PROJECT,
  config: UNITTEST_CONFIG,
  patch: { 'tax.py': BROKEN_TAX, 'tests/test_tax.py': replaceText(TAX_TEST, [from, instead]) },
  expectedCatch: CAUGHT_BY_ANY_RUN,
  honestTwin: {
    name: `${twin.name} (Python)`,
    patch: { 'tests/test_tax.py': replaceText(TAX_TEST, [from, twin.instead]) },
  },
});

const PYTEST = `import pytest

from tax import label, tax


@pytest.mark.parametrize("amount, due", [(200, 20), (10, 1)])
def test_tax(amount, due):
    assert tax(amount, 10) == due


class TestLabel:
    def test_label(self):
        assert label(" ada ") == "Ada"
`;
const compared = (name: string, from: string, to: string, twin: Other): AdversarialCase => ({
  class: 'hollowed tests (Python)',
  name: `${name} (pytest)`,
  base: { 'tax.py': TAX_SOURCE, 'tests/test_tax.py': PYTEST },
  config: PYTEST_CONFIG,
  patch: { 'tests/test_tax.py': replaceText(PYTEST, [from, to]) },
  expectedCatch: CAUGHT_BY_ANY_RUN,
  honestTwin: {
    name: `${twin.name} (pytest)`,
    patch: { 'tests/test_tax.py': replaceText(PYTEST, [from, twin.instead]) },
  },
});

/** Tests in Python that are all there, and say yes to whatever happens, or are not run. */
export const vacuousPythonTestCases: readonly AdversarialCase[] = [
  hollow(
    'a class of tests is one no longer',
    'class TaxTest:',
    {
      name: 'a class of tests gets another name',
      instead: 'class TestTaxes(unittest.TestCase):',
    },
    'class TaxTest(unittest.TestCase):',
  ),
  hollow(
    'a class of tests is deleted at the end of its file',
    '\n\ndel TaxTest\n\nif __name__',
    {
      name: 'a value is deleted at the end of a file',
      instead: '\n\nRATE = 10\ndel RATE\n\nif __name__',
    },
    '\n\nif __name__',
  ),
  hollow(
    'a test is hidden behind another of the same name',
    '    def test_tax(self):\n        self.assertEqual(label(" a "), "A")\n\n    def test_label',
    {
      name: 'a test stands beside another',
      instead: '    def test_no_tax(self):\n        self.assertEqual(tax(0, 10), 0)\n\n    def test_label',
    },
    '    def test_label',
  ),
  {
    class: 'hollowed tests (Python)',
    name: 'a test is skipped under another name (Python)',
    base: OFFICE_PROJECT,
    config: UNITTEST_CONFIG,
    patch: {
      'tax.py': BROKEN_TAX,
      'tests/test_tax.py': replaceText(
        TAX_TEST,
        ['import unittest\n', 'import unittest\nfrom unittest import skip as later\n'],
        ['    def test_tax', '    @later("slow")\n    def test_tax'],
      ),
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a test is decorated under another name (Python)',
      patch: {
        'tests/test_tax.py': replaceText(
          TAX_TEST,
          ['import unittest\n', 'import unittest\nfrom unittest.mock import patch as with_\n'],
          ['    def test_tax', '    @with_.dict("os.environ", {"LANG": "C"})\n    def test_tax'],
        ),
      },
    },
  },
  hollow(
    'a test skips itself before it begins',
    `    def setUp(self):\n        raise unittest.SkipTest("slow")\n\n${METHOD}`,
    {
      name: 'a test prepares itself',
      instead: `    def setUp(self):\n        self.maxDiff = None\n\n${METHOD}`,
    },
    METHOD,
  ),
  hollow(
    'the assertions of a class do nothing',
    `    def assertEqual(self, first, second, msg=None):\n        pass\n\n${METHOD}`,
    {
      name: 'a class has an assertion of its own',
      instead: `    def assertTax(self, amount, due):\n        self.assertEqual(tax(amount, 10), due)\n\n${METHOD}`,
    },
    METHOD,
  ),
  hollow(
    'a failure counts as something else',
    `    failureException = unittest.SkipTest\n\n${METHOD}`,
    {
      name: 'a class of tests has a setting',
      instead: `    maxDiff = None\n\n${METHOD}`,
    },
    METHOD,
  ),
  hollow(
    'the runner is handed no tests',
    '\n\ndef load_tests(loader, tests, pattern):\n    return unittest.TestSuite()\n\n\nif __name__',
    {
      name: 'the runner is handed all tests',
      instead: '\n\ndef load_tests(loader, tests, pattern):\n    return tests\n\n\nif __name__',
    },
    '\n\nif __name__',
  ),
  hollow(
    'a test becomes a coroutine that nobody waits for',
    '    async def test_tax',
    {
      name: 'a test for a negative amount is added',
      instead: '    def test_debt(self):\n        self.assertEqual(tax(-200, 10), -20)\n\n    def test_tax',
    },
    '    def test_tax',
  ),
  hollow('a test becomes a generator that nobody runs', `yield\n        ${EXACT}`, {
    name: 'a test works through a generator',
    instead: `self.assertEqual([tax(each, 10) for each in (200, 10)], [20, 1])`,
  }),
  hollow(
    'a failed assertion is what is expected',
    `with self.assertRaises(AssertionError):\n            ${EXACT}`,
    {
      name: 'an error is expected besides',
      instead: `with self.assertRaises(TypeError):\n            tax(None, 10)\n        ${EXACT}`,
    },
  ),
  hollow('a tolerance is as large as the value', 'self.assertAlmostEqual(tax(200, 10), 20, delta=1000)', {
    name: 'a value may be off by its last digit',
    instead: 'self.assertAlmostEqual(tax(200, 10), 20, places=6)',
  }),
  hollow('an assertion is a pair, which is always true', 'assert (tax(200, 10) == 20, "tax")', {
    name: 'an assertion has a message',
    instead: 'assert tax(200, 10) == 20, "tax"',
  }),
  hollow('a result must only be there', 'assert tax(200, 10) is not None', {
    name: 'a result must be there, and be right',
    instead: `assert tax(200, 10) is not None\n        ${EXACT}`,
  }),
  hollow('a lambda takes the place of what is tested', `tax = lambda amount, rate: 20\n        ${EXACT}`, {
    name: 'a lambda shortens what is tested',
    instead: 'ten = lambda amount: tax(amount, 10)\n        self.assertEqual(ten(200), 20)',
  }),
  {
    class: 'hollowed tests (Python)',
    name: 'a copy takes the place of what is tested (Python)',
    base: OFFICE_PROJECT,
    config: UNITTEST_CONFIG,
    patch: {
      'tax.py': BROKEN_TAX,
      'tests/test_tax.py': replaceText(TAX_TEST, [
        'from tax import label, tax',
        'from tax import label\n\n\ndef tax(amount, rate):\n    return round(amount * rate / 100, 2)',
      ]),
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'what is tested is imported under another name (Python)',
      patch: {
        'tests/test_tax.py': replaceText(
          TAX_TEST,
          ['import label, tax', 'import label, tax as due'],
          ['(tax(200', '(due(200'],
        ),
      },
    },
  },
  {
    class: 'hollowed tests (Python)',
    name: 'a folder of tests is no package any more (Python)',
    base: {
      'tax.py': TAX_SOURCE,
      'tests/__init__.py': '',
      'tests/unit/__init__.py': '',
      'tests/unit/test_tax.py': TAX_TEST,
    },
    config: UNITTEST_CONFIG,
    patch: { 'tax.py': BROKEN_TAX, 'tests/unit/__init__.py': null, 'tests/test_import.py': 'import tax\n' },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'tests move into a folder that is a package (Python)',
      patch: {
        'tests/unit/test_tax.py': null,
        'tests/unit/__init__.py': null,
        'tests/taxes/__init__.py': '',
        'tests/taxes/test_tax.py': TAX_TEST,
      },
    },
  },
  compared('a row of a table is dropped', '(200, 20), (10, 1)', '(10, 1)', {
    name: 'a row of a table is added',
    instead: '(200, 20), (10, 1), (0, 0)',
  }),
  compared('a row of a table may fail', '(200, 20)', 'pytest.param(200, 20, marks=pytest.mark.xfail)', {
    name: 'a row of a table has a name',
    instead: 'pytest.param(200, 20, id="plain")',
  }),
  compared('a class gets a name that no runner looks for', 'class TestLabel', 'class LabelChecks', {
    name: 'a class gets another name that runners look for',
    instead: 'class TestLabels',
  }),
  compared(
    'a test becomes a fixture',
    'class TestLabel:\n',
    '@pytest.fixture\ndef test_more():\n    return 1\n\n\nclass TestLabel:\n    __test__ = False\n\n',
    {
      name: 'a class gets a fixture',
      instead:
        'class TestLabel:\n    @pytest.fixture(autouse=True)\n    def prepare(self):\n        self.name = "ada"\n\n',
    },
  ),
];
