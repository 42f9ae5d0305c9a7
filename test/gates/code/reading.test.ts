import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { analyzeCodeFile } from '../../../gates/code/code-file-analysis.ts';
import { indexIdentifiers } from '../../../gates/code/identifier-index.ts';
import { decodeSource } from '../../../gates/code/parsing/decode-source.ts';
import { isValidForNodeParser } from '../../../gates/code/parsing/node-parser-check.ts';
import { MAX_SOURCE_BYTES, parseSource } from '../../../gates/code/parsing/parse-source.ts';
import { evaluateConstantString } from '../../../gates/code/parsing/string-literal.ts';
import { MAX_SYNTAX_DEPTH } from '../../../gates/code/parsing/syntax-node.ts';
import { readJavascriptPublicNames } from '../../../gates/code/public-names/javascript.ts';
import { readPythonPublicNames } from '../../../gates/code/public-names/python.ts';
import {
  GRAMMARS,
  type Grammar,
  grammarOfPath,
  isProjectCodePath,
  languageOfGrammar,
} from '../../../gates/core/language.ts';
import { findUnreachableCode } from '../../../gates/rules/dead-code/unreachable-code.ts';

test.each([
  ['a.py', 'python'],
  ['A.PY', 'python'],
  ['x/b.mts', 'typescript'],
  ['b.tsx', 'tsx'],
  ['c.cjs', 'javascript'],
  ['d.go', 'go'],
  ['e.rs', 'rust'],
  ['.py', null],
  ['py', null],
  ['a.py/b', null],
  ['a.pyc', null],
])('%s is read as %s', (path, grammar) => {
  expect(grammarOfPath(path)).toBe(grammar);
});

test('code that is installed, vendored or hidden is not the project’s own', () => {
  expect(['a.py', 'src/vendors/a.go', 'x.d/a.ts'].every(isProjectCodePath)).toBe(true);
  const foreign = ['node_modules/a/b.js', 'x/vendor/a.go', '.venv/a.py', 'a/.cache/b.ts', 'README.md'];
  expect(foreign.filter(isProjectCodePath)).toEqual([]);
});

describe('the tree of a file', () => {
  test('says where each node stands, and holds the whole source', async () => {
    const source = '# héllo 🎉\n\ndef f(a,\n      b):\n    return "x"\n';
    const { root, problem } = await parseSource('python', source);
    expect(problem).toBeNull();
    const at = (type: string) => [...root.walk()].find((node) => node.type === type);
    expect(at('function_definition')?.line).toBe(3);
    expect(at('return_statement')).toMatchObject({ line: 5, text: 'return "x"' });
    expect([...root.walk()].filter(({ field }) => field === 'name').map(({ text }) => text)).toEqual(['f']);
    for (const node of root.walk()) {
      expect(node.line).toBe(source.slice(0, node.start).split('\n').length);
      for (const child of node.children) expect(child.parent).toBe(node);
    }
  });

  test('is there when the code is broken, and says where it breaks first', async () => {
    const { root, problem } = await parseSource('typescript', 'const a = 1;\nfunction ( {\nconst b = 2;\n');
    expect(problem?.line).toBe(2);
    expect(root.text).toContain('const b');
  });

  test('is the same for a source that is only moved', async () => {
    const lines = fc.array(
      fc.constantFrom('x = 1', 'def f(): return x', 'import os', 'if x: pass', '(', '"""'),
      { maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(lines, async (body) => {
        const source = body.join('\n');
        const plain = await parseSource('python', source);
        const moved = await parseSource('python', `\n\n${source}`);
        const shape = (root: typeof plain.root) =>
          [...root.walk()].map(({ type, line }) => `${type} ${line}`);
        if (plain.problem === null) expect(moved.problem).toBeNull();
        if (plain.problem === null && source !== '')
          expect(shape(moved.root).slice(1)).toEqual(
            [...plain.root.walk()].map(({ type, line }) => `${type} ${line + 2}`).slice(1),
          );
      }),
      { numRuns: 40 },
    );
  });
});

describe('hostile code', () => {
  const fill = (piece: string, length = 100_000): string => piece.repeat(Math.floor(length / piece.length));

  test.each<[Grammar, string]>([
    ['python', fill('(')],
    ['python', `x = ${fill('1+')}1`],
    ['python', fill('import a.')],
    ['javascript', fill('{[')],
    ['javascript', `require(${fill("'a'+")}'b')`],
    ['typescript', fill('<T,')],
    ['tsx', fill('<a>')],
    ['go', fill('"\\')],
    ['rust', `use ${fill('a::{')}`],
    ['rust', fill('#[')],
  ])('in one long line (%s) is read or refused', async (grammar, source) => {
    const facts = await analyzeCodeFile(grammar, Buffer.from(source));
    expect('imports' in facts || facts.unreadable !== '').toBe(true);
  });

  test('of a megabyte in one line takes our own patterns no more than linear time', async () => {
    const pieces = [
      'TYPE_CHECKING ',
      'TYPE_CHECKING:',
      'import ',
      'import\t',
      'require ',
      'exports.',
      'globals ',
      'sys . ',
      'coding:',
      '\\u{',
      ' ',
    ];
    for (const piece of pieces) {
      const line = fill(piece, 1_000_000);
      const python = await parseSource('python', `# ${line}\n`);
      expect(readPythonPublicNames(python.root).mayHaveMoreNames).toBe(false);
      const javascript = await parseSource('javascript', `// ${line}\n`);
      expect(readJavascriptPublicNames(javascript.root).mayHaveMoreNames).toBe(false);
      expect(await analyzeCodeFile('python', Buffer.from(`\n\n# ${line}\n`))).toMatchObject({ imports: [] });
      expect(await analyzeCodeFile('javascript', Buffer.from(`// ${line}\n`))).toMatchObject({ imports: [] });
    }
  });

  test('that is nested too deeply for a tree is refused, not followed', async () => {
    await expect(
      parseSource('python', `${'('.repeat(MAX_SYNTAX_DEPTH + 10)}${')'.repeat(MAX_SYNTAX_DEPTH + 10)}`),
    ).rejects.toThrow('levels deep');
  });

  test('does no harm to the next file', async () => {
    await analyzeCodeFile('python', Buffer.from(fill('(')));
    expect(await analyzeCodeFile('python', Buffer.from('import os\n'))).toMatchObject({
      imports: [{ specifier: 'os' }],
      problem: null,
    });
  });

  test('is never more than a reason', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...GRAMMARS),
        fc.uint8Array({ maxLength: 60 }),
        fc.string({ unit: 'binary', maxLength: 60 }),
        async (grammar, bytes, text) => {
          for (const content of [Buffer.from(bytes), Buffer.from(text)]) {
            const facts = await analyzeCodeFile(grammar, content);
            if ('unreadable' in facts) continue;
            const { root } = await parseSource(grammar, decodeSource(content, grammar === 'python'));
            indexIdentifiers(root, languageOfGrammar(grammar));
            findUnreachableCode(root);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('the text of a file', () => {
  const text =
    (bytes: Buffer | string, isPython = true) =>
    () =>
      decodeSource(Buffer.from(bytes as string), isPython);

  test.each([
    ['a plain one', text('x = 1\n'), 'x = 1\n'],
    ['with a byte order mark', text('\ufeffx = 1\n'), 'x = 1\n'],
    [
      'in Latin-1, as it says',
      text(Buffer.from('# coding: latin-1\ns = "é"\n', 'latin1')),
      '# coding: latin-1\ns = "é"\n',
    ],
  ])('%s', (_, read, expected) => {
    expect(read()).toBe(expected);
  });

  test.each([
    ['in Latin-1 without saying so', text(Buffer.from('s = "é"\n', 'latin1')), 'not UTF-8'],
    [
      'in Latin-1 in a language that has no such word',
      text(Buffer.from('// coding: latin-1 é\n', 'latin1'), false),
      'not UTF-8',
    ],
    ['in an encoding that hides code', text('# -*- coding: utf-7 -*-\n'), 'utf-7'],
    [
      'in one that the second line declares',
      text('#!/usr/bin/python\n# vim: set fileencoding=rot13 :\n'),
      'rot13',
    ],
    ['with NUL bytes', text('x = 1\0'), 'NUL'],
    ['a pointer of LFS', text('version https://git-lfs.github.com/spec/v1\noid sha256:0\n'), 'LFS'],
    ['too large', text(Buffer.alloc(MAX_SOURCE_BYTES + 1, 'x')), '2 MB'],
  ])('%s is refused', (_, read, why) => {
    expect(read).toThrow(why);
  });
});

describe('a constant text', () => {
  const constant = async (grammar: Grammar, code: string) => {
    const { root } = await parseSource(grammar, code);
    return evaluateConstantString(root.namedChildren[0]?.namedChildren[0] ?? null);
  };

  test.each<[Grammar, string, string | null]>([
    ['javascript', `"a\\u0062\\x63\\n"`, 'abc\n'],
    ['javascript', "'./a' + `/b` + ('c' + \"d\")", './a/bcd'],
    ['javascript', '`a$' + '{b}`', null],
    ['javascript', "'a' + b", null],
    ['typescript', "('a' as string)", 'a'],
    ['python', `"a" 'b' """c"""`, 'abc'],
    ['python', `"a" + 'b'`, 'ab'],
    ['python', String.raw`r"\x41" "\x41"`, String.raw`\x41A`],
    ['python', 'f"a{b}"', null],
    ['python', 'a', null],
  ])('of %s: %s', async (grammar, code, value) => {
    expect(await constant(grammar, code)).toBe(value);
  });
});

describe('another parser’s opinion', () => {
  test.each<[Grammar, string, boolean]>([
    ['typescript', 'import defer * as q from "q";', true],
    ['typescript', 'enum A { x }', true],
    ['javascript', 'using x = y();', true],
    ['typescript', 'function ( {', false],
    ['typescript', '('.repeat(30_000), false],
    ['python', 'x = 1', false],
  ])('%s', async (grammar, code, valid) => {
    expect(await isValidForNodeParser(grammar, code)).toBe(valid);
  });

  test('is still to be had after code that ends the one who gave it', async () => {
    await isValidForNodeParser('typescript', '{['.repeat(200_000));
    expect(await isValidForNodeParser('typescript', 'const a = 1;')).toBe(true);
  });
});
