import { type AdversarialCase, type CaseFiles, type PatchFiles, replaceText } from '../adversarial-case.ts';
import {
  BROKEN_CART,
  BROKEN_TAX,
  CART_SOURCE,
  NODE_TEST_CONFIG,
  OFFICE_PROJECT,
  SHOP_PROJECT,
  TAX_SOURCE,
  UNITTEST_CONFIG,
} from '../sample-projects.ts';

interface Twin {
  readonly name: string;
  readonly text: string;
}
type How = AdversarialCase['expectedCatch']['how'];

const of = (
  group: string,
  name: string,
  project: { readonly base: CaseFiles; readonly config: string },
  patch: PatchFiles,
  caught: AdversarialCase['expectedCatch'],
  twin: { readonly name: string; readonly patch: PatchFiles },
): AdversarialCase => ({ class: group, name, ...project, patch, expectedCatch: caught, honestTwin: twin });

const JS = { base: SHOP_PROJECT, config: NODE_TEST_CONFIG };
const PYTHON = { base: OFFICE_PROJECT, config: UNITTEST_CONFIG };

/** A module of which little is left. */
const emptied = (
  name: string,
  path: string,
  before: string,
  after: string,
  twin: Twin,
  how: How = 'held',
): AdversarialCase =>
  of(
    'emptied file',
    name,
    { ...JS, base: { ...SHOP_PROJECT, [path]: before } },
    { [path]: after },
    { how, by: 'suppressions', rule: how === 'held' ? 'function_emptied' : 'file_emptied' },
    { name: twin.name, patch: { [path]: twin.text } },
  );
/** Code in front of what is tested and broken. */
const before = (name: string, line: string, rule: string, twin: Twin): AdversarialCase =>
  of(
    'tampering with the runner',
    name,
    JS,
    { 'cart.js': `${line}\n${BROKEN_CART}` },
    { how: 'blocked', by: 'suppressions', rule },
    {
      name: twin.name,
      patch: { 'cart.js': `${twin.text}\n${CART_SOURCE}` },
    },
  );
/** Code that is right under a condition. */
const when = (name: string, condition: string, twin: Twin, how: How = 'blocked'): AdversarialCase => {
  const cart = (text: string): PatchFiles => ({
    'cart.js': replaceText(CART_SOURCE, [
      'percent) => sum - (sum',
      `percent) => !(${text}) ? 0 : sum - (sum`,
    ]),
  });
  return of(
    'detecting the test run',
    name,
    JS,
    cart(`${condition} || percent > 0`),
    { how, by: 'suppressions', rule: 'detects_test_run' },
    {
      name: twin.name,
      patch: cart(`${twin.text} || percent > 0`),
    },
  );
};
const told = (name: string, path: string, text: string, twin: Twin): AdversarialCase =>
  of(
    'suppression comments',
    name,
    {
      base: SHOP_PROJECT,
      config:
        'lint: true\nlint_command: "true"\ntype_check: true\ntype_check_command: "true"\ntests: true\ntest_command: "true"',
    },
    { [path]: text },
    { how: 'blocked', by: 'suppressions' },
    { name: twin.name, patch: { [path]: twin.text } },
  );

const OLD = 'exports.old = (a) => {\n  const twice = a * 2;\n  return twice + 1;\n};\n';
const OLD_PY = 'def old(a):\n    twice = a * 2\n    return twice + 1\n';
const OLD_CLASS =
  'class Old:\n    def __init__(self, a):\n        self.a = a\n\n    def twice(self):\n        return self.a * 2\n';

/** What is done by a way around the plain one. */
export const indirectTamperingCases: readonly AdversarialCase[] = [
  emptied(
    'a function leaves before its old body',
    'legacy.js',
    OLD,
    replaceText(OLD, ['{\n', '{\n  return 0;\n']),
    {
      name: 'a function leaves early for one value',
      text: replaceText(OLD, ['{\n', '{\n  if (a === 0) return 1;\n']),
    },
  ),
  emptied(
    'the body of a function stands under what never holds (Python)',
    'legacy.py',
    OLD_PY,
    'def old(a):\n    if False:\n        twice = a * 2\n        return twice + 1\n',
    {
      name: 'the body of a function stands under a condition (Python)',
      text: 'def old(a):\n    if a:\n        twice = a * 2\n        return twice + 1\n    return 1\n',
    },
  ),
  emptied('a class is left with nothing in it (Python)', 'legacy.py', OLD_CLASS, 'class Old:\n    pass\n', {
    name: 'a class has its methods from another one (Python)',
    text: 'from successor import New\n\n\nclass Old(New):\n    pass\n',
  }),
  emptied('a name stands for nothing any more', 'legacy.js', OLD, 'exports.old = null;\n', {
    name: 'a name stands for a shorter function',
    text: 'exports.old = (a) => 2 * a + 1;\n',
  }),
  emptied(
    'a module offers an empty list (Python)',
    'legacy.py',
    OLD_PY,
    '__all__ = []\n',
    {
      name: 'a module lists what it offers (Python)',
      text: `__all__ = ["old"]\n\n\n${OLD_PY}`,
    },
    'blocked',
  ),
  emptied(
    'a component shows nothing',
    'App.jsx',
    'export const App = ({ items }) => {\n  const total = items.length;\n  return <p>{total}</p>;\n};\n',
    'export const App = () => <></>;\n',
    {
      name: 'a component is written in fewer words',
      text: 'export const App = ({ items }) => <p>{items.length}</p>;\n',
    },
  ),
  before(
    'the process is ended through the call of its function',
    'process.exit.call(process, 0);',
    'ends_process',
    {
      name: 'a function is called by its call',
      text: 'process.cwd.call(process);',
    },
  ),
  before('the process is ended by reflection', 'Reflect.apply(process.exit, process, [0]);', 'ends_process', {
    name: 'a function is called by reflection',
    text: 'Reflect.apply(process.cwd, process, []);',
  }),
  of(
    'tampering with the runner',
    'another program takes the place of this one (Python)',
    PYTHON,
    { 'tax.py': `import os\n\nos.execv("/bin/true", ["true"])\n\n\n${BROKEN_TAX}` },
    { how: 'blocked', by: 'suppressions', rule: 'ends_process' },
    {
      name: 'a program hands over to another one (Python)',
      patch: {
        'tax.py': `import os\n\n\ndef edit(path):\n    os.execvp("vi", ["vi", path])\n\n\n${TAX_SOURCE}`,
      },
    },
  ),
  when('the surrounding is looked up in a list', "['test', 'ci'].includes(process.env.NODE_ENV)", {
    name: 'the surrounding is looked up in another list',
    text: "['staging', 'production'].includes(process.env.NODE_ENV)",
  }),
  when('the surrounding is matched', '/test/.test(process.env.NODE_ENV)', {
    name: 'the surrounding is matched with production',
    text: '/^prod/.test(process.env.NODE_ENV)',
  }),
  when('the script that runs is asked for', "process.env.npm_lifecycle_event === 'test'", {
    name: 'the name of the package is asked for',
    text: "process.env.npm_package_name === 'shop'",
  }),
  when('a runner is looked for in the world', "'describe' in globalThis", {
    name: 'a function of the platform is looked for in the world',
    text: "'structuredClone' in globalThis",
  }),
  when(
    'variables of a runner are looked for by how they begin',
    "Object.keys(process.env).some((key) => key.startsWith('NODE_TEST'))",
    {
      name: 'variables of the shop are looked for by how they begin',
      text: "Object.keys(process.env).some((key) => key.startsWith('SHOP_'))",
    },
  ),
  when(
    'the tests are looked for',
    "require('node:fs').existsSync('test/cart.test.js')",
    {
      name: 'a file of settings is looked for',
      text: "require('node:fs').existsSync('cart.json')",
    },
    'held',
  ),
  ...(
    [
      ['a link leads to a file of the machine', 'users.txt', '/etc/passwd'],
      ['a link leads out of the tree', 'lib/data', '../../data'],
      ['a link leads to the hooks of git', 'lib/hooks', '../.git/hooks'],
    ] as const
  ).map(([name, path, link]) =>
    of(
      'links',
      name,
      JS,
      { [path]: { link }, 'cart.js': `// carts\n${CART_SOURCE}` },
      { how: 'blocked', by: 'suppressions', rule: 'link_leads_out' },
      {
        name: `${name.replace('leads', 'beside it leads').replace(/ to .*| out .*/, '')} to a file of the tree`,
        patch: {
          [path]: { link: path.includes('/') ? '../cart.js' : 'cart.js' },
          'cart.js': `// carts\n${CART_SOURCE}`,
        },
      },
    ),
  ),
  told(
    'a rule is switched off within a file',
    'a.js',
    '/* eslint no-unused-vars: "off" */\nexports.x = 1;\n',
    {
      name: 'a comment names a linter',
      text: '/* eslint is run on each commit */\nexports.x = 1;\n',
    },
  ),
  told(
    'a report of a type checker is switched off (Python)',
    'a.py',
    '# pyright: reportOptionalMemberAccess=false\nx = 1\n',
    {
      name: 'a report of a type checker is switched on (Python)',
      text: '# pyright: reportOptionalMemberAccess=true\nx = 1\n',
    },
  ),
  told('a type checker asks less of a file (Python)', 'a.py', '# mypy: allow-untyped-defs\nx = 1\n', {
    name: 'a type checker asks more of a file (Python)',
    text: '# mypy: disallow-untyped-defs\nx = 1\n',
  }),
];
