import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { parseSource } from '../../gates/code/parsing/parse-source.ts';
import type { Grammar } from '../../gates/core/language.ts';
import { languageOfGrammar } from '../../gates/core/language.ts';
import { commentQualityGate } from '../../gates/gates/comment-quality.ts';
import { findDocIssues, isRedundantDoc, parseDoc } from '../../gates/rules/comment-quality/doc-issues.ts';
import { createTemporaryFolder } from '../support/git-repository.ts';
import { runGate } from '../support/patch-fixture.ts';

interface Case {
  readonly what: string;
  readonly grammar: Grammar;
  readonly code: string;
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
    issues: ['incomplete: does not mention the parameter b'],
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
    what: 'two styles in one docstring, of which each has a parameter that is gone',
    grammar: 'python',
    code: 'def f(a):\n    """Takes it.\n\n    :param a: One.\n    :param b: Two.\n\n    Args:\n        c: Three.\n    """\n    return a\n',
    issues: [
      'inaccurate: describes c, which is no parameter',
      'inaccurate: describes b, which is no parameter',
    ],
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
    what: 'arguments that are not there',
    grammar: 'rust',
    code: '/// Loads what is there.\n///\n/// # Arguments\n/// * `path` - Where.\n/// * `old` - What?\npub fn read(path: &str, mode: u8) -> Result<u8, E> { panic!("no") }\n/// Takes it further.\npub unsafe fn go(a: u8) {}\n',
    issues: [
      'inaccurate: describes old, which is no parameter',
      'incomplete: does not mention the parameter mode',
    ],
  },
];

describe.each([
  ['Python', PYTHON],
  ['JavaScript and TypeScript', JAVASCRIPT],
  ['Go', GO],
  ['Rust', RUST],
] as const)('the documentation of %s', (_, cases) => {
  test.each<Case>([...cases])('$what', async ({ grammar, code, issues }) => {
    const { root, problem } = await parseSource(grammar, code);
    expect(problem).toBeNull();
    const found = findDocIssues(root, languageOfGrammar(grammar));
    expect(
      found.map(({ rule, message }) => `${rule}: ${message.replace(/^the documentation of \S+ /, '')}`),
    ).toEqual(issues);
    for (const { rule, isInformational } of found)
      if (rule !== 'incomplete')
        expect(isInformational === true).toBe(rule === 'redundant' || rule === 'wrong_style');
  });
});

test.each([
  ['getUserName', 'Gets the user name.', true],
  ['parse_entries', 'Parse the given entry.', true],
  ['getUserName', 'Gets the name that people see.', false],
  ['run', '', false],
  ['run', 'The.', false],
])('the name %s and the sentence "%s": redundant is %s', (name, sentence, redundant) => {
  expect(isRedundantDoc(name, sentence)).toBe(redundant);
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
      expect(
        parseDoc(language, piece.repeat(Math.floor(1_000_000 / piece.length))).parameters,
      ).toBeInstanceOf(Array);
});

describe('comment_quality', () => {
  const documented = (signature: string) => `def f(${signature}):\n    """Takes a."""\n`;

  test('fails when a signature changes and its documentation does not', async () => {
    const result = await runGate(
      commentQualityGate,
      { 'a.py': documented('a') },
      { 'a.py': documented('a, b') },
    );
    expect(result).toMatchObject({
      outcome: 'failed',
      findings: [{ file: 'a.py', line: 2, rule: 'incomplete' }],
    });
  });

  test('reports what was there before, wherever it stands now, and leaves tests alone', async () => {
    const result = await runGate(
      commentQualityGate,
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
    const result = await runGate(
      commentQualityGate,
      {},
      { 'a.py': 'def load_user():\n    """Loads user."""\n' },
    );
    expect([result.outcome, result.findings[0]?.rule]).toEqual(['passed', 'redundant']);
  });

  test.each([
    ['has a tag, so that it is a list that has to be whole', '@param a One.', 'failed'],
    ['is prose alone', 'Takes it.', 'passed'],
  ])('a TypeScript comment that leaves something out and %s', async (_, doc, outcome) => {
    const code = `/**\n * ${doc}\n */\nexport function f(a: string, b: string): void {}\n`;
    const result = await runGate(commentQualityGate, {}, { 'a.ts': code });
    expect([result.outcome, result.findings.at(-1)?.rule]).toEqual([outcome, 'incomplete']);
  });

  test('cannot be silenced by breaking the code', async () => {
    const result = await runGate(
      commentQualityGate,
      { 'a.py': documented('a') },
      { 'a.py': `(\n${documented('a, b')}` },
    );
    expect(result.outcome).toBe('failed');
    expect(result.findings.map(({ rule }) => rule)).toContain('does_not_parse');
  });

  describe('with the tools of the languages', () => {
    const withTool = (name: string, script: string): void => {
      const folder = createTemporaryFolder();
      const asked = 'case "$1" in --version|-version) echo 1.2; exit;; esac';
      writeFileSync(join(folder, name), `#!/bin/bash\n${asked}\n${script}\n`, { mode: 0o755 });
      vi.stubEnv('PATH', `${folder}:${process.env['PATH'] ?? ''}`);
    };
    const sarif = (rule: string, text: string, line: number): string =>
      JSON.stringify({
        runs: [
          {
            results: [
              {
                ruleId: rule,
                message: { text },
                locations: [
                  {
                    physicalLocation: {
                      artifactLocation: { uri: 'a.go' },
                      region: { startLine: line },
                    },
                  },
                ],
              },
            ],
          },
        ],
      });
    const GO_CODE = 'package a\n\n// looks for it.\nfunc Find() {}\n';

    test('takes what revive says of names in place of what we read, and no other of its complaints', async () => {
      withTool('revive', `printf '%s' '${sarif('exported', 'comment should be of the form "Find ..."', 4)}'`);
      const result = await runGate(commentQualityGate, {}, { 'a.go': GO_CODE });
      expect(result).toMatchObject({ outcome: 'passed', facts: { revive: '1.2', findings_info: 1 } });
      expect(result.findings).toMatchObject([{ line: 4, rule: 'wrong_style' }]);
      withTool('revive', `printf '%s' '${sarif('exported', 'Find should have comment', 4)}'`);
      expect((await runGate(commentQualityGate, {}, { 'a.go': GO_CODE })).findings).toEqual([]);
    });

    test.each([
      ['breaks', 'exit 2', '1.2, gave no report'],
      ['leaves what is no report', 'echo broken', '1.2, gave no report'],
    ])('says what we read ourselves where revive %s', async (_, script, note) => {
      withTool('revive', script);
      const result = await runGate(commentQualityGate, {}, { 'a.go': GO_CODE });
      expect(result.facts).toMatchObject({ revive: note });
      expect(result.findings).toMatchObject([{ line: 3, rule: 'wrong_style' }]);
    });

    test('has no style of docstrings where the configuration names none, and takes it from the base', async () => {
      withTool(
        'ruff',
        `while [ "$1" != --output-file ]; do shift; done; echo '{"runs":[{"results":[]}]}' > "$2"`,
      );
      const edits = { 'a.py': documented('a') };
      const base = { 'ruff.toml': '[lint.pydocstyle]\nconvention = "numpy"\n' };
      expect((await runGate(commentQualityGate, {}, { ...base, ...edits })).facts).not.toHaveProperty('ruff');
      expect((await runGate(commentQualityGate, base, edits)).facts).toMatchObject({ ruff: '1.2' });
    });
  });
});
