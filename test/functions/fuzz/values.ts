/** A value as JSON text: some, as a key `__proto__` or 1e400, no value of JavaScript can be written from. */
export interface Hostile {
  readonly what: string;
  readonly json: string;
}

const of = (what: string, value: unknown): Hostile => ({ what, json: JSON.stringify(value) });
const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

/** What programs stumble over, wherever it is put. */
export const HOSTILE: readonly Hostile[] = [
  of('null', null),
  of('a boolean', true),
  of('zero', 0),
  of('minus one', -1),
  of('a half', 0.5),
  of('2^53', 2 ** 53),
  of('-2^53', -(2 ** 53)),
  of('1e21', 1e21),
  of('1e300', 1e300),
  of('1e-200', 1e-200),
  of('-1e-200', -1e-200),
  { what: '1e400', json: '1e400' },
  { what: '-0', json: '-0' },
  of('an empty text', ''),
  of('a blank', ' '),
  of('a NUL', '\0'),
  of('a NUL within', 'a\0b'),
  of('an escape', '\u001b[31mred'),
  of('line breaks', 'a\r\nb'),
  of('DEL', '\u007f'),
  of('a mark that turns the line', '\u202etxt'),
  of('half of a surrogate pair', '\ud800'),
  of('half of one within', 'a\udfffb'),
  of('the last character', '\u{10ffff}'),
  of('__proto__', '__proto__'),
  of('constructor', 'constructor'),
  of('toString', 'toString'),
  of('a way out', '../../etc/passwd'),
  of('an option', '--upload-pack=touch x'),
  of('a shell', '$(touch x)`touch x`'),
  of('a number as text', '1'),
  of('5,000 characters', 'x'.repeat(5_000)),
  of('5,000 characters of four bytes', '\u{1f600}'.repeat(5_000)),
  of('an empty list', []),
  of('a list of a list', [[]]),
  of('a list of null', [null]),
  of('300 empty objects', Array(300).fill({})),
  of('an object', {}),
  { what: 'an object with __proto__', json: '{"__proto__": {"id": "x"}}' },
  of('an object with a constructor', { constructor: { prototype: { id: 'x' } } }),
  { what: 'an object 15 deep', json: nested(15) },
  { what: 'an object 3,000 deep', json: nested(3_000) },
  of('600 unknown keys', Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`k${index}`, 1]))),
];

/** As large as a body may be; tried in the outermost fields only, because each takes its time. */
export const LARGE: readonly Hostile[] = [
  of('900,000 characters', 'x'.repeat(900_000)),
  of('a list of 90,000', Array(90_000).fill('x')),
  of('a list of 200,000', Array(200_000).fill(1)),
  of(
    '80,000 unknown keys',
    Object.fromEntries(Array.from({ length: 80_000 }, (_, index) => [`k${index}`, 1])),
  ),
];
