import { createHash, randomUUID } from 'node:crypto';
import type jsonata from 'jsonata';

/** Most items that `$range` makes (Step Functions developer guide, JSONata functions). */
const MAX_RANGE = 1_000;
const HASHES: Readonly<Record<string, string>> = {
  MD5: 'md5',
  'SHA-1': 'sha1',
  'SHA-256': 'sha256',
  'SHA-384': 'sha384',
  'SHA-512': 'sha512',
};

function partition(items: unknown, size: number): unknown[][] {
  if (!Array.isArray(items)) throw new TypeError('$partition needs an array');
  if (!Number.isInteger(size) || size < 1)
    throw new RangeError('$partition needs a whole size of at least 1');
  const parts: unknown[][] = [];
  for (let start = 0; start < items.length; start += size) parts.push(items.slice(start, start + size));
  return parts;
}

function range(first: number, last: number, step: number): number[] {
  if (![first, last, step].every(Number.isInteger)) throw new TypeError('$range needs whole numbers');
  if (step === 0) throw new RangeError('$range needs a step other than 0');
  const length = Math.max(0, Math.floor((last - first) / step) + 1);
  if (length > MAX_RANGE) throw new RangeError(`$range makes at most ${MAX_RANGE} items`);
  return Array.from({ length }, (_, index) => first + index * step);
}

function hash(data: string, algorithm: string): string {
  const known = HASHES[algorithm];
  if (!known) throw new RangeError(`$hash does not know "${algorithm}"`);
  return createHash(known).update(data).digest('hex');
}

/** A number in [0, 1); the same one for the same seed. */
function random(seed?: number): number {
  if (seed === undefined) return Math.random();
  return createHash('sha256').update(String(seed)).digest().readUInt32BE(0) / 2 ** 32;
}

/** Adds the functions that Step Functions has beyond JSONata's own. */
export function registerJsonataFunctions(expression: jsonata.Expression): void {
  expression.registerFunction('uuid', () => randomUUID(), '<:s>');
  expression.registerFunction('parse', (text: string): unknown => JSON.parse(text), '<s:x>');
  expression.registerFunction('partition', partition, '<an:a>');
  expression.registerFunction('range', range, '<nnn:a>');
  expression.registerFunction('hash', hash, '<ss:s>');
  expression.registerFunction('random', random, '<n?:n>');
}
