import { describe, expect, test } from 'vitest';
import type { Grammar } from '../../gates/code/language.ts';
import { languageOf } from '../../gates/code/language.ts';
import { parse } from '../../gates/code/parse.ts';
import { commentQuality } from '../../gates/gates/comment-quality.ts';
import type { Style } from '../../gates/rules/comment-quality/documented.ts';
import { commentIssues, contentOf } from '../../gates/rules/comment-quality/judge.ts';
import { isRedundant } from '../../gates/rules/comment-quality/redundant.ts';
import { runGate } from '../support/patch.ts';

interface Case {
  readonly what: string;
  readonly grammar: Grammar;
  readonly code: string;
  readonly style?: Style;
  /** `rule: message`, without the words that each message begins with. */
  readonly issues: readonly string[];
}

const google = `
def f(a, *, b=1, **rest):
    """Does it well.

    Args:
        a (int): One, which
            goes on: here.
        b: Two.
        **rest: All else.

    Returns:
        A number.

    Raises:
        ValueError: When it cannot.
    """
    if a:
        raise ValueError("no")
    return a + b
`;
const numpy = `
class C:
    def f(self, a, b):
        """Does it well.

        Parameters
        ----------
        a, b : int
            Both.

        Returns
        -------
        int
        """
        return a + b
`;
const rest = `
def f(a, b):
    """Does it well.

    :param int a: One.
    :param b: Two.
    :returns: A number.
    :raises errors.Bad: When it cannot.
    """
    raise errors.Bad
    return 1
`;

const PYTHON: readonly Case[] = [
  { what: 'a whole docstring in the style of Google', grammar: 'python', code: google, issues: [] },
  { what: 'a whole docstring in the style of NumPy', grammar: 'python', code: numpy, issues: [] },
  { what: 'a whole docstring in reStructuredText', grammar: 'python', code: rest, issues: [] },
  {
    what: 'parameters that are gone or renamed',
    grammar: 'python',
    code: google.replace('(a, *, b=1, **rest)', '(a, c=1)'),
    issues: [
      'inaccurate: describes b, which is no parameter',
      'inaccurate: describes rest, which is no parameter',
      'incomplete: does not mention the parameter c',
    ],
  },
  {
    what: 'the same in the style of NumPy',
    grammar: 'python',
    code: numpy.replace('self, a, b', 'self, a, z'),
    issues: [
      'inaccurate: describes b, which is no parameter',
      'incomplete: does not mention the parameter z',
    ],
  },
  {
    what: 'the same in reStructuredText',
    grammar: 'python',
    code: rest.replace('(a, b)', '(a)'),
    issues: ['inaccurate: describes b, which is no parameter'],
  },
  {
    what: 'a docstring that leaves out what is there',
    grammar: 'python',
    code: 'def f(a, b, _c):\n    """Joins a."""\n    if a: raise Bad("x")\n    return a + b\n',
    issues: [
      'incomplete: does not mention the parameter b',
      'incomplete: does not say what it returns',
      'incomplete: does not mention Bad',
    ],
  },
  {
    what: 'prose that says all of it',
    grammar: 'python',
    code: 'def f(a, b):\n    """Returns a and b joined, or raises Bad."""\n    if a: raise Bad("x")\n    return a + b\n',
    issues: [],
  },
  {
    what: 'what nobody has to document',
    grammar: 'python',
    code: `
def _private(a):
    """Private."""
def nothing(a):
    pass
class _Hidden:
    def m(self, a):
        """Hidden."""
class C:
    @property
    def p(self):
        """The thing."""
        return 1
    @staticmethod
    def s(a):
        """Sorts a."""
    def quiet(self):
        """Tries."""
        try:
            raise KeyError
        except KeyError:
            return None
    @overload
    def o(self, a):
        """Overload."""
    def inherited(self, a):
        """See the base class."""
        def inner(b):
            """Inner."""
            return b
`,
    issues: [],
  },
  {
    what: 'letters that Python takes for others',
    grammar: 'python',
    code: 'def f(ａ):\n    """Takes a.\n\n    Args:\n        a: One.\n    """\n',
    issues: [],
  },
  {
    what: 'another style than the project’s, and two styles in one',
    grammar: 'python',
    code: rest,
    style: 'google',
    issues: ['wrong_style: is in the style rest, not google'],
  },
  {
    what: 'two styles in one docstring',
    grammar: 'python',
    code: 'def f(a):\n    """Takes it.\n\n    :param a: One.\n\n    Returns:\n        Two.\n    """\n    return a\n',
    issues: ['wrong_style: mixes the styles google and rest'],
  },
  {
    what: 'a first sentence that repeats the name',
    grammar: 'python',
    code: 'def load_user_file():\n    """Loads the user file."""\n',
    issues: ['redundant: says no more than its name'],
  },
];

const JAVASCRIPT: readonly Case[] = [
  {
    what: 'a whole JSDoc comment',
    grammar: 'javascript',
    code: '/**\n * Does it.\n * @param {Object<string, {a: number}>} a One.\n * @param {number} [b=1] Two.\n * @returns {number} Sum.\n * @throws {TypeError} Never.\n */\nexport function f(a, b = 1) { if (!a) throw new TypeError("x"); return a + b; }\n',
    issues: [],
  },
  {
    what: 'parameters that are gone or renamed, and what is left out',
    grammar: 'typescript',
    code: '/**\n * Does it.\n * @param a One.\n * @param old Two.\n */\nexport const f = async (a: string, now: number): Promise<number> => { throw new RangeError(); };\n',
    issues: [
      'inaccurate: describes old, which is no parameter',
      'incomplete: does not mention the parameter now',
      'incomplete: does not say what it returns',
      'incomplete: does not mention RangeError',
    ],
  },
  {
    what: 'a parameter that is taken apart may be called anything, once',
    grammar: 'typescript',
    code: '/**\n * Does it.\n * @param options All.\n * @param options.a One.\n */\nexport function f({ a, b }: O): void {}\n/**\n * Does it.\n * @param options All.\n * @param stranger Who?\n */\nexport function g({ a, b }: O): void {}\n',
    issues: ['inaccurate: describes stranger, which is no parameter'],
  },
  {
    what: 'methods of an exported class, and code that nobody else sees',
    grammar: 'typescript',
    code: '/** Not exported. */\nfunction local(a: string) { return a; }\nclass Late {\n  /** Counts one up. @deprecated */\n  count(by: number): number { return by; }\n  /** Hidden. */\n  private no(a: string) { return a; }\n  /** Makes one. */\n  constructor(readonly size: number) {}\n  /** The size. */\n  get all(): number { return 1; }\n}\nexport { Late };\n',
    issues: [
      'incomplete: does not mention the parameter by',
      'incomplete: does not say what it returns',
      'incomplete: does not mention the parameter size',
    ],
  },
  {
    what: 'documentation that is inherited, and comments that are none',
    grammar: 'typescript',
    code: 'export class C {\n  /** @inheritDoc */\n  a(b: string): string { return b; }\n  // not documentation\n  c(d: string): string { return d; }\n  /* nor this */\n  e(f: string): string { return f; }\n}\n',
    issues: [],
  },
];

const GO: readonly Case[] = [
  {
    what: 'a doc comment of Go',
    grammar: 'go',
    code: 'package a\n\n// Open opens the file.\nfunc Open(name string) (int, error) { return 0, nil }\n\n// opens.\nfunc open(a int) {}\n',
    issues: [],
  },
  {
    what: 'one that does not begin with the name, and lists what is not there',
    grammar: 'go',
    code: 'package a\n\n// Opens the old way.\n//\n// Parameters:\n//   - path: the path\n//   - mode: the mode\nfunc (f *F) Open(path string, flag int) {}\n\n// far away\n\nfunc Close() {}\n',
    issues: [
      'inaccurate: describes mode, which is no parameter',
      'incomplete: does not mention the parameter flag',
      'wrong_style: does not begin with its name',
    ],
  },
];

const RUST: readonly Case[] = [
  {
    what: 'rustdoc with its sections',
    grammar: 'rust',
    code: '/// Loads what is there.\n///\n/// # Arguments\n///\n/// * `path` - Where.\n/// * `mode` - How.\n///\n/// # Errors\n///\n/// When it is not there.\n#[inline]\npub fn read(path: &str, mut mode: u8) -> io::Result<u8> { Ok(1) }\n/// Private.\nfn hidden(a: u8) -> Result<(), ()> { Ok(()) }\n',
    issues: [],
  },
  {
    what: 'arguments that are not there, and what can go wrong',
    grammar: 'rust',
    code: '/// Loads what is there.\n///\n/// # Arguments\n/// * `path` - Where.\n/// * `old` - What?\npub fn read(path: &str, mode: u8) -> Result<u8, E> { panic!("no") }\n/// Takes it further.\npub unsafe fn go(a: u8) {}\n',
    issues: [
      'inaccurate: describes old, which is no parameter',
      'incomplete: does not mention the parameter mode',
      'incomplete: does not speak of errors',
      'incomplete: does not speak of panics',
      'incomplete: does not speak of safety',
    ],
  },
];

describe.each([
  ['Python', PYTHON],
  ['JavaScript and TypeScript', JAVASCRIPT],
  ['Go', GO],
  ['Rust', RUST],
] as const)('the documentation of %s', (_, cases) => {
  test.each<Case>([...cases])('$what', async ({ grammar, code, style = 'auto', issues }) => {
    const { root, problem } = await parse(grammar, code);
    expect(problem).toBeNull();
    const found = commentIssues(root, languageOf(grammar), style);
    expect(
      found.map(({ rule, message }) => `${rule}: ${message.replace(/^the documentation of \S+ /, '')}`),
    ).toEqual(issues);
    for (const { rule, reported } of found)
      if (rule !== 'incomplete')
        expect(reported === true).toBe(rule === 'redundant' || rule === 'wrong_style');
  });
});

test.each([
  ['getUserName', 'Gets the user name.', true],
  ['parse_entries', 'Parse the given entry.', true],
  ['getUserName', 'Gets the name that people see.', false],
  ['run', '', false],
  ['run', 'The.', false],
])('the name %s and the sentence "%s": redundant is %s', (name, sentence, redundant) => {
  expect(isRedundant(name, sentence)).toBe(redundant);
});

test('a documentation of a megabyte is read in linear time, whatever it says', () => {
  const pieces = [
    ':param ',
    ':param\n',
    'Args:\n',
    '    a:\n',
    'a\n---\n',
    '@param {',
    '@param a\n',
    '- a ',
    '- a:\n',
    '# Arguments\n',
    '# A\n',
    '\t',
    'a. ',
    '`',
    '{@',
    'returns ',
    '\n',
  ];
  for (const language of ['python', 'javascript', 'go', 'rust'] as const)
    for (const piece of pieces)
      expect(contentOf(language, piece.repeat(Math.floor(1_000_000 / piece.length))).raises).toBeInstanceOf(
        Array,
      );
});

describe('comment_quality', () => {
  const documented = (signature: string) => `def f(${signature}):\n    """Takes a."""\n`;

  test('fails when a signature changes and its documentation does not', async () => {
    const result = await runGate(commentQuality, { 'a.py': documented('a') }, { 'a.py': documented('a, b') });
    expect(result).toMatchObject({
      outcome: 'failed',
      findings: [{ file: 'a.py', line: 2, rule: 'incomplete' }],
    });
  });

  test('reports what was there before, wherever it stands now, and leaves tests alone', async () => {
    const result = await runGate(
      commentQuality,
      { 'a.py': documented('a, b') },
      { 'a.py': `# more\n${documented('a, b')}`, 'tests/test_a.py': documented('z') },
    );
    expect(result.outcome).toBe('passed');
    expect(result.findings).toEqual([
      {
        file: 'a.py',
        line: 3,
        rule: 'incomplete',
        message: 'the documentation of f does not mention the parameter b (was there before the patch)',
        baseline: 'unchanged',
      },
    ]);
  });

  test('only reports what is a matter of taste', async () => {
    const result = await runGate(commentQuality, {}, { 'a.py': 'def load_user():\n    """Loads user."""\n' });
    expect([result.outcome, result.findings[0]?.rule]).toEqual(['passed', 'redundant']);
  });

  test.each([
    ['has a tag, so that it is a list that has to be whole', '@param a One.', 'failed'],
    ['is prose alone', 'Takes it.', 'passed'],
  ])('a TypeScript comment that leaves something out and %s', async (_, doc, outcome) => {
    const code = `/**\n * ${doc}\n */\nexport function f(a: string, b: string): void {}\n`;
    const result = await runGate(commentQuality, {}, { 'a.ts': code });
    expect([result.outcome, result.findings.at(-1)?.rule]).toEqual([outcome, 'incomplete']);
  });

  test('cannot be silenced by breaking the code', async () => {
    const result = await runGate(
      commentQuality,
      { 'a.py': documented('a') },
      { 'a.py': `(\n${documented('a, b')}` },
    );
    expect(result.outcome).toBe('failed');
    expect(result.findings.map(({ rule }) => rule)).toContain('does_not_parse');
  });
});
