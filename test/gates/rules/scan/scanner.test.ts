import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AhoCorasickAutomaton } from '../../../../gates/rules/scan/aho-corasick.ts';
import {
  type ByteRange,
  findBase64Ranges,
  findNumberRanges,
} from '../../../../gates/rules/scan/byte-ranges.ts';
import { countNewlines, detectContentType } from '../../../../gates/rules/scan/content-sniffing.ts';
import { decodeEncodedTexts } from '../../../../gates/rules/scan/encoded-texts.ts';
import { FileScanner } from '../../../../gates/rules/scan/file-scanner.ts';
import { redactExcerpt } from '../../../../gates/rules/scan/redaction.ts';
import { createPathMatcher } from '../../../../gates/rules/scan/scan-settings.ts';
import { ByteRangeCollector, selectStrongestMatches } from '../../../../gates/rules/scan/scanner.ts';
import {
  computeEntropy,
  hasValidLuhnChecksum,
  isCardNumber,
  isPlaceholder,
  isRepetitiveFiller,
  isVariableReference,
  isWordIdentifier,
} from '../../../../gates/rules/scan/value-checks.ts';
import { getAllSecretsScanner } from '../../../../gates/rules/scan-runs/all-secrets-scanner.ts';
import { FAKE_NUMBERS, FAKE_SECRETS } from '../../../../lab/bench/data/fake-secrets.ts';
import { piiScanner } from '../../../../lab/bench/data/scan-quality.ts';

describe('the automaton', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '-'), minLength: 1, maxLength: 5 });
  test('finds what a search for each word finds, in either case', () => {
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 8 }),
        fc.string({ unit: fc.constantFrom('a', 'B', 'c', 'C', '-', 'x'), maxLength: 60 }),
        (words, text) => {
          const hits: string[] = [];
          new AhoCorasickAutomaton(words).scan(Buffer.from(text), (index, end) =>
            hits.push(`${index} ${end}`),
          );
          const expected = words.flatMap((each, index) =>
            Array.from({ length: text.length }, (_, at) => at)
              .filter((at) => text.toLowerCase().startsWith(each, at))
              .map((at) => `${index} ${at + each.length}`),
          );
          expect(new Set(hits)).toEqual(new Set(expected));
          expect(hits).toHaveLength(expected.length);
        },
      ),
    );
  });
});

const runsOf = (find: (bytes: Buffer, found: (run: ByteRange) => void) => void, text: string): string[] => {
  const runs: string[] = [];
  const bytes = Buffer.from(text);
  find(bytes, ([from, to]) => runs.push(bytes.toString('latin1', from, to)));
  return runs;
};

describe('runs', () => {
  test.each([
    ['219-46-5193', ['219-46-5193']],
    ['tel. (415) 555-0132, x', ['415) 555-0132']],
    ['12345678', []],
    ['1234 x 56789', []],
    ['1234    56789', []],
    ['12 3456 - 7891 and 987654321', ['987654321']],
    ['1 2 3 4 5 6 7 8 9', ['1 2 3 4 5 6 7 8 9']],
  ])('of digits in %j are %j', (text, runs) => {
    expect(runsOf((bytes, found) => findNumberRanges(bytes, 9, found), text)).toEqual(runs);
  });

  test('of base64 are those of a simple search', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '+', '_', ' ', '='), maxLength: 80 }), (text) => {
        const simple = [...text.matchAll(/[A-Za-z0-9+/_-]{6,}/g)].map(([run]) => run);
        expect(runsOf((bytes, found) => findBase64Ranges(bytes, 6, found), text)).toEqual(simple);
      }),
    );
  });
});

describe('windows', () => {
  test('cover everything that was added, and never overlap', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(200), fc.integer({ min: 1, max: 20 })), { maxLength: 30 }),
        (list) => {
          const windows = new ByteRangeCollector();
          const sorted = list
            .map(([from, length]) => [from, from + length] as const)
            .sort((a, b) => a[0] - b[0]);
          for (const [from, to] of sorted) windows.add(from, to);
          const pieces = [...windows.pieces()];
          for (const [from, to] of sorted)
            expect(pieces.some((piece) => piece[0] <= from && to <= piece[1])).toBe(true);
          pieces.forEach((piece, index) => {
            expect(piece[0]).toBeGreaterThan(pieces[index - 1]?.[1] ?? -1);
          });
        },
      ),
    );
  });

  test('are cut into pieces that share what was asked for', () => {
    const windows = new ByteRangeCollector();
    windows.add(10, 45);
    expect([...windows.pieces(20, 5)]).toEqual([
      [10, 30],
      [25, 45],
    ]);
  });
});

test('of findings in one place the most serious, the surest and the longest is kept', () => {
  const span = (
    rule: string,
    start: number,
    end: number,
    rank = 0,
    severity: 'medium' | 'high' = 'high',
  ) => ({ rule, start, end, rank, severity });
  const kept = selectStrongestMatches([
    span('a', 0, 5),
    span('b', 3, 9),
    span('c', 9, 12),
    span('d', 10, 11, 1),
    span('e', 9, 12, 0, 'medium'),
    span('f', 20, 22, 2),
  ]);
  expect(kept.map(({ rule }) => rule)).toEqual(['b', 'c', 'f']);
});

describe('a file', () => {
  const line = (index: number): string =>
    index % 997 === 0 ? `key = '${FAKE_SECRETS.github}' // ${index}` : `line ${index} of the file`;
  const content = Buffer.from(Array.from({ length: 60_000 }, (_, index) => line(index)).join('\n'));
  const scanned = (sizes: readonly number[]): string[] => {
    const scanner = new FileScanner(piiScanner, getAllSecretsScanner(), 'a.ts');
    for (let at = 0, turn = 0; at < content.length; turn++) {
      const size = sizes[turn % sizes.length] ?? content.length;
      scanner.add(content.subarray(at, at + size));
      at += size;
    }
    return scanner.end().matches.map((place) => `${place.line} ${place.rule} ${place.excerpt}`);
  };
  const whole = scanned([content.length]);

  test.each([[[65_536]], [[1, 65_535]], [[4_095, 1_048_576]], [[1_032_192, 3]]])(
    'gives the same in pieces of %j',
    (sizes) => {
      expect(scanned(sizes)).toEqual(whole);
    },
  );

  test('has every finding with its line', () => {
    expect(whole).toHaveLength(61);
    expect(whole[2]).toMatch(/^1995 github_token key = '\*\*\*'/);
  });
});

describe('an excerpt', () => {
  const show = (line: string, secret: string): string =>
    redactExcerpt(
      Buffer.from(line),
      [line.indexOf(secret), line.indexOf(secret) + secret.length],
      getAllSecretsScanner(),
    );

  test.each([
    [`const key = '${FAKE_SECRETS.awsKey}';`, FAKE_SECRETS.awsKey, "const key = '***';"],
    [
      `{"password": "${FAKE_SECRETS.password}", "user": "ada"}`,
      FAKE_SECRETS.password,
      `{"password": "***", "user": "***"}`,
    ],
    [`a=${FAKE_SECRETS.stripe} b=${FAKE_SECRETS.github}`, FAKE_SECRETS.stripe, 'a=*** b=***…'],
    [`ssn ${FAKE_NUMBERS.ssn} card ${FAKE_NUMBERS.visa}`, FAKE_NUMBERS.ssn, 'ssn *** card ***'],
    [`pass=abcd1234 user=${FAKE_SECRETS.plain} x`, FAKE_SECRETS.plain, 'pass=*** user=*** x'],
    [`${'x'.repeat(40)}${FAKE_SECRETS.awsKey}`, FAKE_SECRETS.awsKey, '***'],
  ])('of %s', (line, secret, expected) => {
    expect(show(line, secret)).toBe(expected);
  });

  test('never holds a secret that stands in the line, wherever it stands', () => {
    const secrets = [
      FAKE_SECRETS.github,
      FAKE_SECRETS.awsKey,
      FAKE_SECRETS.password,
      FAKE_SECRETS.jwt,
      FAKE_SECRETS.stripe,
      FAKE_NUMBERS.ssn,
      FAKE_SECRETS.hex32,
    ];
    fc.assert(
      fc.property(
        fc.shuffledSubarray(secrets, { minLength: 2 }),
        fc.constantFrom(' ', ', ', `', '`, '" "', ' = ', '; '),
        (list, between) => {
          const shown = show(`x '${list.join(between)}' y`, list[0] ?? '');
          for (const secret of list)
            for (const part of [secret.slice(0, 12), secret.slice(-8)]) expect(shown).not.toContain(part);
        },
      ),
    );
  });
});

describe('a value', () => {
  test.each([
    'your-api-key',
    '<your-password>',
    'CHANGE_ME',
    'insert token here',
    'xxxx',
    '********',
    'exampleSecret',
    '[redacted]',
    '...',
  ])('%s stands for another', (value) =>
    expect(isPlaceholder(value) || isRepetitiveFiller(value)).toBe(true),
  );
  test.each(['hunter2', 'mysecretpassword', 'your-Pa55word-7', 'placeholder7f3a', FAKE_SECRETS.mixed32])(
    '%s does not',
    (value) => expect(isPlaceholder(value) || isRepetitiveFiller(value)).toBe(false),
  );
  const D = '$';
  test.each([
    `${D}{DB_PASSWORD}`,
    '{{ vault.password }}',
    `${D}DB_PASSWORD`,
    '%(password)s',
    '<%= password %>',
    'process.env.X',
    `${D}(cat x)`,
    'vault:secret/x',
    `${D}{{ secrets.X }}`,
  ])('%s is looked up', (value) => expect(isVariableReference(value)).toBe(true));
  test.each(['hunter2', `${D}{user}hunter2`, `${D}hunter2x9`, 'pa{ss}word'])('%s is not', (value) =>
    expect(isVariableReference(value)).toBe(false),
  );
  test.each(['errors.password.short', 'ApiKeySourceType', '#password', '/reset/password', 'user_name_field'])(
    '%s is a label',
    (value) => expect(isWordIdentifier(value)).toBe(true),
  );
  test.each(['hunter2', 'kZ7aBcDeF', FAKE_SECRETS.hex32])('%s is none', (value) =>
    expect(isWordIdentifier(value)).toBe(false),
  );

  test.each([
    [FAKE_NUMBERS.visa, true],
    [FAKE_NUMBERS.amex, true],
    [FAKE_NUMBERS.mastercard, true],
    [FAKE_NUMBERS.badLuhn, false],
    ['0000 0000 0000 0000', false],
    ['1234 5678 9012 3452', false],
    ['4111', false],
  ])('%s is the number of a card: %s', (number, is) => expect(isCardNumber(number)).toBe(is));

  test('has a check digit that finds every single wrong digit', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^\d{15}$/),
        fc.nat(14),
        fc.integer({ min: 1, max: 9 }),
        (digits, at, by) => {
          const check = [...'0123456789'].find((digit) => hasValidLuhnChecksum(digits + digit)) ?? '';
          const wrong = `${digits.slice(0, at)}${(Number(digits[at]) + by) % 10}${digits.slice(at + 1)}`;
          expect(hasValidLuhnChecksum(wrong + check)).toBe(false);
        },
      ),
    );
  });

  test('has as many bits as it has choices', () => {
    expect([computeEntropy('aaaa'), computeEntropy('abab'), computeEntropy('abcd')]).toEqual([0, 1, 2]);
  });
});

describe('content', () => {
  const utf16 = Buffer.from('abcdefgh\n', 'utf16le');
  test.each<[string, Buffer, object]>([
    [
      'text',
      Buffer.from('const a = 1;\n'),
      { encoding: 'bytes', isBinary: false, compression: null, isLfsPointer: false },
    ],
    ['nothing', Buffer.alloc(0), { encoding: 'bytes', isBinary: false }],
    ['text with a zero in it', Buffer.from(`${'x'.repeat(99)}\0`), { isBinary: false }],
    ['a binary', Buffer.from([1, 2, 3, 4, 0, 0, 7, 65]), { isBinary: true }],
    ['UTF-16', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]), { encoding: 'utf-16le', isBinary: false }],
    ['UTF-16 without a mark', utf16, { encoding: 'utf-16le' }],
    ['gzip', Buffer.from([0x1f, 0x8b, 8, 0]), { compression: 'gzip' }],
    ['zip', Buffer.from('PK\x03\x04'), { compression: 'zip' }],
    ['a pointer', Buffer.from('version https://git-lfs.github.com/spec/v1\n'), { isLfsPointer: true }],
  ])('is known as %s by its beginning', (_, head, facts) => {
    expect(detectContentType(head)).toMatchObject(facts);
  });

  test('has line breaks, counted within limits', () => {
    expect([
      countNewlines(Buffer.from('a\n\nb\n'), 0, 5),
      countNewlines(Buffer.from('a\n\nb\n'), 2, 4),
    ]).toEqual([3, 1]);
  });

  test('in base64 or hexadecimal digits is read wherever it begins', () => {
    const text = 'a text that is long enough to be read';
    for (const prefix of ['', 'x', 'xy', 'xyz', 'path/', '"'])
      for (const how of ['base64', 'base64url', 'hex'] as const) {
        const [found] = decodeEncodedTexts(Buffer.from(`${prefix}${Buffer.from(text).toString(how)}"`));
        expect(found?.derived.text.includes('long enough')).toBe(true);
      }
    expect(
      decodeEncodedTexts(
        Buffer.from(`${'9f2c1a7be0d4c3b2a1908f7e6d5c4b3a29180f7e'} ${FAKE_SECRETS.mixed32}`),
      ),
    ).toEqual([]);
  });
});

describe('a path', () => {
  test.each<[string[], string, boolean]>([
    [['src'], 'src/a/b.ts', true],
    [['./src/'], 'src', true],
    [['/src'], 'src/a.ts', true],
    [['src'], 'lib/src/a.ts', false],
    [['src/**/*.ts'], 'src/a/b.ts', true],
    [['*.snap'], 'a/b/c.snap', true],
    [['.'], '.env', true],
    [['src'], 'src/odd\nname.ts', true],
    [[], 'a', false],
  ])('%j and %j: %s', (paths, path, matches) => {
    expect(createPathMatcher(paths)(path)).toBe(matches);
  });
});
