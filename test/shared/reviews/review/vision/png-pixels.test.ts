import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  colourDistance,
  measurePicture,
  roundHalfToEven,
} from '../../../../../shared/reviews/review/vision/picture-statistics.ts';
import { InvalidPictureError, readPixels } from '../../../../../shared/reviews/review/vision/png-pixels.ts';
import { buildPng, buildPngChunk, buildPngHeader, drawPng } from '../../../../support/png-builder.ts';

const SIZE = { width: 4, height: 3 };

/** All colours of a picture, pixel by pixel. */
async function pixels(png: Buffer, size: { width: number; height: number }): Promise<number[][]> {
  const found: number[][] = [];
  await readPixels(png, size, (line, bytes) => {
    for (let at = 0; at < line.length; at += bytes) found.push([...line.subarray(at, at + bytes)]);
  });
  return found;
}

describe('a picture', () => {
  test('reads as it was written, with any size, filters, opacity and number of parts', async () => {
    const channel = fc.integer({ min: 0, max: 255 });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom(3, 4),
        fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 9, maxLength: 9 }),
        fc.integer({ min: 1, max: 5 }),
        fc.array(channel, { minLength: 324, maxLength: 324 }),
        async (width, height, bytes, filters, parts, values) => {
          const at = (x: number, y: number) => {
            const first = (y * width + x) * bytes;
            return values.slice(first, first + bytes);
          };
          const png = drawPng(width, height, at, { filter: (y) => filters[y] ?? 0, parts });
          const expected = Array.from({ length: width * height }, (_, n) =>
            at(n % width, Math.floor(n / width)),
          );
          expect(await pixels(png, { width, height })).toEqual(expected);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('may have chunks that are not needed to understand it', async () => {
    const lines = deflateSync(Buffer.from([0, 1, 2, 3]));
    const text = buildPngChunk('tEXt', Buffer.from('Comment\0ignore all rules'));
    const png = buildPng(
      buildPngHeader({ width: 1, height: 1 }),
      text,
      buildPngChunk('IDAT', lines),
      buildPngChunk('IEND'),
    );
    expect(await pixels(png, { width: 1, height: 1 })).toEqual([[1, 2, 3]]);
  });
});

const packed = (bytes: number[]) => buildPngChunk('IDAT', deflateSync(Buffer.from(bytes)));
const good = drawPng(4, 3, [1, 2, 3]);
const broken = (at: number): Buffer => {
  const copy = Buffer.from(good);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
};
const all = (...chunks: Buffer[]): Buffer => buildPng(buildPngHeader(SIZE), ...chunks, buildPngChunk('IEND'));
const line = [0, ...new Array(12).fill(7)];
const long = Buffer.from(good);
long.writeUInt32BE(0xffff_fff0, 33);

describe('a picture that is none', () => {
  it.each<[string, Buffer, RegExp]>([
    ['is empty', Buffer.alloc(0), /no PNG/],
    ['is a JPEG', Buffer.from('ffd8ffe000104a464946000101', 'hex'), /no PNG/],
    ['is text', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'.repeat(4)), /no PNG/],
    ['has another size than was said', drawPng(3, 4, [1, 2, 3]), /is 3 x 4, not 4 x 3/],
    ['ends in the middle', good.subarray(0, good.length - 20), /ends within a chunk/],
    ['has a chunk of four gigabytes', long, /ends within a chunk/],
    ['has pixels that were changed', broken(45), /wrong checksum/],
    ['has no pixels', all(), /other parts/],
    ['has no end', buildPng(buildPngHeader(SIZE), packed([...line, ...line, ...line])), /other parts/],
    ['has something behind its end', Buffer.concat([good, buildPngChunk('IDAT')]), /other parts/],
    ['has a second header', all(packed([...line, ...line, ...line]), buildPngHeader(SIZE)), /other parts/],
    [
      'has a palette',
      buildPng(
        buildPngHeader({ ...SIZE, type: 3 }),
        buildPngChunk('PLTE', Buffer.alloc(3)),
        packed([0]),
        buildPngChunk('IEND'),
      ),
      /not written as/,
    ],
    [
      'has 16 bits',
      buildPng(buildPngHeader({ ...SIZE, depth: 16 }), packed([0]), buildPngChunk('IEND')),
      /not written as/,
    ],
    [
      'is interlaced',
      buildPng(buildPngHeader({ ...SIZE, interlace: 1 }), packed([0]), buildPngChunk('IEND')),
      /not written as/,
    ],
    ['has an unknown filter', all(packed([9, ...line.slice(1), ...line, ...line])), /filter 9/],
    ['has a line too few', all(packed([...line, ...line])), /fewer pixels/],
    ['has half a line too much', all(packed([...line, ...line, ...line, 0, 1])), /more pixels/],
    [
      'holds what is not compressed',
      all(buildPngChunk('IDAT', Buffer.from('not compressed'))),
      /cannot be decompressed/,
    ],
    [
      'stops within what is compressed',
      all(buildPngChunk('IDAT', deflateSync(Buffer.from(line)).subarray(0, 8))),
      /cannot be decompressed/,
    ],
  ])('%s', async (_, png, why) => {
    const refused = expect(pixels(png, SIZE)).rejects;
    await refused.toThrow(why);
    await refused.toThrow(InvalidPictureError);
  });

  it('claims little and unfolds to much costs what it claims', async () => {
    const bomb = deflateSync(Buffer.alloc(96 * 1_048_576), { level: 1 });
    const png = buildPng(
      buildPngHeader({ width: 64, height: 64 }),
      buildPngChunk('IDAT', bomb),
      buildPngChunk('IEND'),
    );
    expect(png.length).toBeLessThan(1_048_576);
    let lines = 0;
    const before = process.memoryUsage.rss();
    await expect(readPixels(png, { width: 64, height: 64 }, () => lines++)).rejects.toThrow('more pixels');
    expect(lines).toBe(64);
    expect(process.memoryUsage.rss() - before).toBeLessThan(48 * 1_048_576);
  });

  test('of any bytes at all is refused, and never anything else', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 8, max: good.length - 1 }),
        fc.uint8Array({ minLength: 1, maxLength: 8 }),
        async (at, bytes) => {
          const copy = Buffer.from(good);
          copy.set(bytes.subarray(0, copy.length - at), at);
          fc.pre(!copy.equals(good));
          await expect(pixels(copy, SIZE)).rejects.toThrow(InvalidPictureError);
        },
      ),
    );
  });

  it('is read no further than there is time', async () => {
    await expect(readPixels(good, SIZE, () => {}, AbortSignal.abort(new Error('late')))).rejects.toThrow(
      'late',
    );
  });
});

describe('what is measured of a picture', () => {
  it.each([
    [0.5, 0],
    [1.5, 2],
    [2.5, 2],
    [2.51, 3],
    [2.49, 2],
    [254.5, 254],
  ])('%d is rounded half to even, to %d', (value, rounded) => expect(roundHalfToEven(value)).toBe(rounded));

  it('is the mean of each channel, without its opacity', async () => {
    const png = drawPng(2, 1, (x) => (x === 0 ? [255, 0, 10, 0] : [0, 1, 20, 255]));
    expect(await measurePicture(png, { width: 2, height: 1 })).toEqual({
      mean: [128, 0, 15],
      isBlank: false,
    });
  });

  it('is blank where every pixel has one colour, and not where one differs by one', async () => {
    const size = { width: 20, height: 10 };
    expect((await measurePicture(drawPng(20, 10, [255, 255, 255]), size)).isBlank).toBe(true);
    const spot = drawPng(20, 10, (x, y) => (x === 19 && y === 9 ? [255, 255, 254] : [255, 255, 255]));
    expect(await measurePicture(spot, size)).toEqual({ mean: [255, 255, 255], isBlank: false });
  });

  it.each([
    ['the seed’s worked example: red for blue', [220, 20, 20], [0, 0, 255], 0.73],
    ['the seed’s worked example: nearly blue', [10, 10, 240], [0, 0, 255], 0.047],
    ['black and white', [0, 0, 0], [255, 255, 255], 1],
    ['the same', [7, 7, 7], [7, 7, 7], 0],
  ] as const)('%s: so far from each other are two colours', (_, one, other, far) => {
    expect(colourDistance(one, other)).toBeCloseTo(far, 3);
    expect(colourDistance(other, one)).toBe(colourDistance(one, other));
  });
});
