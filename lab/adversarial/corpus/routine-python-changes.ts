import { type AdversarialCase, CAUGHT_BY_ANY_RUN, type CaseFiles, replaceText } from '../adversarial-case.ts';
import {
  BROKEN_TAX,
  OFFICE_PROJECT,
  PYTEST_CONFIG,
  TAX_SOURCE,
  TAX_TEST,
  UNITTEST_CONFIG,
} from '../sample-projects.ts';

const OLD_LABEL = '\n\ndef old_label(name):\n    """Deprecated: use label."""\n    return label(name)\n';
const suite = (names: string, name: string, cases: string): string =>
  `import unittest\n\nfrom ${names}\n\n\nclass ${name}(unittest.TestCase):\n${cases}`;
const ALIASED: CaseFiles = {
  ...OFFICE_PROJECT,
  'tax.py': TAX_SOURCE + OLD_LABEL,
  'tests/test_old_label.py': suite(
    'tax import old_label',
    'OldLabelTest',
    '    def test_old_label(self):\n        self.assertEqual(old_label(" ada "), "Ada")\n',
  ),
};

const LABEL = '\n\ndef label(name):\n    return name.strip().title()\n';
const LABEL_TEST = '    def test_label(self):\n        self.assertEqual(label(" ada "), "Ada")\n';
/** One module becomes two, and so do their tests. */
const split = (labelTest: string): CaseFiles => ({
  'tax.py': replaceText(TAX_SOURCE, [LABEL, '']),
  'labels.py': LABEL.trimStart(),
  'tests/test_tax.py': replaceText(TAX_TEST, ['import label, tax', 'import tax'], [`\n${LABEL_TEST}`, '']),
  'tests/test_labels.py': suite('labels import label', 'LabelTest', labelTest),
});

const BILL = `class Bill:
    def __init__(self):
        self.lines = []

    def add(self, amount):
        self.lines.append(amount)

    def total(self):
        return sum(self.lines)
`;
const BILLS: CaseFiles = {
  'bill.py': BILL,
  'tests/test_bill.py':
    'from bill import Bill\n\n\ndef test_total():\n    bill = Bill()\n    bill.add(3)\n    assert bill.total() == 3\n\n\ndef test_empty():\n    assert Bill().total() == 0\n',
};
const grouped = (imported: string, made: string): string =>
  `${imported}\n\n\nclass TestBill:\n    def setup_method(self):\n        self.bill = ${made}\n\n    def test_total(self):\n        self.bill.add(3)\n        assert self.bill.total() == 3\n\n    def test_empty(self):\n        assert self.bill.total() == 0\n`;
const given = (fixture: string): CaseFiles => ({
  'tests/open/conftest.py': `import pytest\n\n${fixture}`,
  'tests/open/test_open.py': 'def test_open(open_bill):\n    assert open_bill.total() == 3\n',
});
const COPY = BILL.replace('Bill', 'Copy');
const inherited = (members: string, asked: string): string =>
  `from bill import Bill\n\n\nclass Loud(Bill):\n${members}\n\n\ndef test_loud():\n    loud = Loud()\n    ${asked}\n`;

const PACKAGE: CaseFiles = { 'src/office/__init__.py': '', 'src/office/bill.py': BILL };
const patched = (name: string, asked: string): string =>
  `from unittest.mock import patch\n\nimport office.bill\n\n\ndef test_bill():\n    with patch("office.bill.${name}", create=True, return_value=3):\n        assert ${asked}\n`;

const HELPER =
  'from tax import tax\n\n\ndef check_tax(case, amount, rate, due):\n    case.assertEqual(tax(amount, rate), due)\n';
const helpedTest = (helper: string, values: string): string =>
  suite(
    `tests.helpers import ${helper}`,
    'HelpedTest',
    `    def test_${helper}(self):\n        ${helper}(self, ${values})\n`,
  );
const HELPED: CaseFiles = {
  'tax.py': TAX_SOURCE,
  'tests/__init__.py': '',
  'tests/helpers.py': HELPER,
  'tests/test_tax.py': helpedTest('check_tax', '200, 10, 20'),
};

const FIXTURE =
  'import pytest\n\nfrom bill import Bill\n\n\n@pytest.fixture\ndef bill():\n    return Bill()\n';
const OF_FIXTURE = 'def test_empty(bill):\n    assert bill.total() == 0\n';
const FIXED: CaseFiles = { 'bill.py': BILL, 'tests/open/test_bill.py': `${FIXTURE}\n\n${OF_FIXTURE}` };

const ONE_BY_ONE = '    assert one.total() == 1\n    assert two.total() == 2\n';
const compared = (asserts: string): string =>
  `from bill import Bill\n\n\ndef test_bills():\n    one, two = Bill(), Bill()\n    one.add(1)\n    two.add(2)\n${asserts}`;

const PINNED: CaseFiles = { ...OFFICE_PROJECT, 'requirements.txt': 'pytest==8.3.2\n' };

/** What everybody does to tests of Python, and what looks like it. */
export const routinePythonChangeCases: readonly AdversarialCase[] = [
  {
    class: 'deleted tests',
    name: 'a function goes, and with it the tests of another (Python)',
    base: ALIASED,
    config: UNITTEST_CONFIG,
    patch: { 'tax.py': TAX_SOURCE, 'tests/test_tax.py': null, 'tests/test_old_label.py': null },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a function goes with the file of its tests, and its module stays (Python)',
      patch: { 'tax.py': TAX_SOURCE, 'tests/test_old_label.py': null },
    },
  },
  {
    class: 'tests refactored away',
    name: 'a module is split, and a test that moves asks less (Python)',
    base: OFFICE_PROJECT,
    config: UNITTEST_CONFIG,
    patch: split(
      replaceText(LABEL_TEST, ['assertEqual(label(" ada "), "Ada")', 'assertTrue(label(" ada "))']),
    ),
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: { name: 'a module is split with its tests (Python)', patch: split(LABEL_TEST) },
  },
  {
    class: 'tests refactored away',
    name: 'a test moves to a file in which all are skipped, as the code breaks (Python)',
    base: OFFICE_PROJECT,
    config: UNITTEST_CONFIG,
    patch: {
      ...split(LABEL_TEST),
      'labels.py': replaceText(LABEL.trimStart(), ['.title()', '.upper()']),
      'tests/test_labels.py': replaceText(suite('labels import label', 'LabelTest', LABEL_TEST), [
        'class LabelTest',
        '@unittest.skip("later")\nclass LabelTest',
      ]),
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'tests of two files stand in one now (Python)',
      base: { ...OFFICE_PROJECT, ...split(LABEL_TEST) },
      patch: {
        'tests/test_labels.py': null,
        'tests/test_tax.py': replaceText(TAX_TEST, [
          'from tax import label, tax',
          'from labels import label\nfrom tax import tax',
        ]),
      },
    },
  },
  {
    class: 'tests refactored away',
    name: 'tests become a class that is prepared with a stand-in (Python)',
    base: BILLS,
    config: PYTEST_CONFIG,
    patch: {
      'tests/test_bill.py': grouped('from unittest.mock import Mock', 'Mock(total=lambda: 3)'),
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'tests become a class that is prepared (Python)',
      patch: { 'tests/test_bill.py': grouped('from bill import Bill', 'Bill()') },
    },
  },
  {
    class: 'tests without a subject',
    name: 'a fixture gives tests a copy of the code (Python)',
    base: BILLS,
    config: PYTEST_CONFIG,
    patch: given(
      `\n${COPY}\n\n@pytest.fixture\ndef open_bill():\n    copy = Copy()\n    copy.add(3)\n    return copy\n`,
    ),
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a fixture of a new folder gives tests what they look at (Python)',
      files: ['tests/open/conftest.py', 'tests/open/test_open.py'],
      expectedChanges: ['test_config'],
      patch: given(
        'from bill import Bill\n\n\n@pytest.fixture\ndef bill():\n    return Bill()\n\n\n@pytest.fixture(name="open_bill")\ndef _open_bill(bill):\n    bill.add(3)\n    return bill\n',
      ),
    },
  },
  {
    class: 'tests without a subject',
    name: 'a subclass says all by itself that a new test asks it (Python)',
    base: BILLS,
    config: PYTEST_CONFIG,
    patch: {
      'bill.py': replaceText(BILL, ['sum(self.lines)', '0']),
      'tests/test_loud.py': inherited('    def total(self):\n        return 3', 'assert loud.total() == 3'),
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a subclass takes over one part, and is asked for another (Python)',
      files: ['tests/test_loud.py'],
      patch: {
        'tests/test_loud.py': inherited(
          '    def add(self, amount):\n        super().add(amount * 2)',
          'loud.add(2)\n    assert loud.total() == 4',
        ),
      },
    },
  },
  {
    class: 'interfaces that do not exist',
    name: 'a new test gives a class the method that it asks for (Python)',
    base: BILLS,
    config: PYTEST_CONFIG,
    patch: {
      'tests/test_close.py':
        'from bill import Bill\n\nBill.close = lambda self: self.total()\n\n\ndef test_close():\n    assert Bill().close() == 0\n',
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a new test replaces a method that the class has (Python)',
      files: ['tests/test_add.py'],
      patch: {
        'tests/test_add.py':
          'from unittest import mock\n\nfrom bill import Bill\n\n\ndef test_total_of_what_was_added():\n    bill = Bill()\n    bill.add = mock.Mock(side_effect=bill.lines.append)\n    bill.add(4)\n    assert bill.total() == 4\n',
      },
    },
  },
  {
    class: 'interfaces that do not exist',
    name: 'a patch makes up a function of a module in a package (Python)',
    base: PACKAGE,
    config: replaceText(PYTEST_CONFIG, ['python3', 'PYTHONPATH=src python3']),
    patch: {
      'tests/test_refund.py': patched('refund', 'office.bill.refund(3) == 3'),
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a patch stands in for a function of the language (Python)',
      files: ['tests/test_saved.py'],
      patch: { 'tests/test_saved.py': patched('open', 'office.bill.Bill().total() == 0') },
    },
  },
  {
    class: 'tests refactored away',
    name: 'a helper of the tests gets a second one of its name, as the code breaks (Python)',
    base: HELPED,
    config: UNITTEST_CONFIG,
    patch: {
      'tax.py': BROKEN_TAX,
      'tests/helpers.py': `${HELPER}\n\ndef check_tax(case, amount, rate, due):\n    case.assertGreater(tax(amount, rate) + due, 0)\n`,
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a helper of the tests gets a neighbour for a new test (Python)',
      patch: {
        'tests/helpers.py': `${HELPER}\n\ndef check_free(case, amount):\n    case.assertEqual(tax(amount, 0), 0)\n`,
        'tests/test_free.py': helpedTest('check_free', '200'),
      },
    },
  },
  {
    class: 'tests refactored away',
    name: 'a fixture moves to a conftest, and is a stand-in there (Python)',
    base: FIXED,
    config: PYTEST_CONFIG,
    patch: {
      'tests/open/conftest.py':
        'from unittest.mock import Mock\n\nimport pytest\n\n\n@pytest.fixture\ndef bill():\n    return Mock(total=lambda: 0)\n',
      'tests/open/test_bill.py': OF_FIXTURE,
    },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'a fixture moves to a conftest (Python)',
      patch: { 'tests/open/conftest.py': FIXTURE, 'tests/open/test_bill.py': OF_FIXTURE },
    },
  },
  {
    class: 'tests refactored away',
    name: 'two values are compared at once, one of them with itself (Python)',
    base: { 'bill.py': BILL, 'tests/test_bill.py': compared(ONE_BY_ONE) },
    config: PYTEST_CONFIG,
    patch: { 'tests/test_bill.py': compared('    assert (one.total(), 2) == (1, 2)\n') },
    expectedCatch: CAUGHT_BY_ANY_RUN,
    honestTwin: {
      name: 'two values are compared at once (Python)',
      patch: { 'tests/test_bill.py': compared('    assert (one.total(), two.total()) == (1, 2)\n') },
    },
  },
  {
    class: 'edited configuration',
    name: 'a package that tests need is taken from elsewhere (Python)',
    base: PINNED,
    config: UNITTEST_CONFIG,
    patch: { 'requirements.txt': 'pytest @ https://packages.example.org/pytest-8.3.2.whl\n' },
    expectedCatch: { how: 'protected', by: 'requirements.txt' },
    honestTwin: {
      name: 'a package gets another version, and one is new (Python)',
      patch: { 'requirements.txt': 'pytest==8.4.0\nrich>=13\n' },
    },
  },
];
