import { crc32, createInflate } from 'node:zlib';
import { readPngSize } from '../../../contract/evidence/png-size.ts';

/** A picture that cannot be looked at; the message says why. */
export class InvalidPictureError extends Error {}

/** Bytes of a pixel by colour type: colours, and colours with opacity. Palettes and greys no browser of ours writes. */
const BYTES_OF: Readonly<Record<number, number>> = { 2: 3, 6: 4 };
const HEADER = 8;
/** Length, name and checksum of a chunk. */
const AROUND = 12;

interface Chunk {
  readonly name: string;
  readonly data: Buffer;
}

/** The chunks of a PNG, each with its checksum looked at. @throws InvalidPictureError */
function* chunksOf(png: Buffer): Generator<Chunk> {
  for (let at = HEADER; at < png.length; ) {
    if (at + AROUND > png.length) throw new InvalidPictureError('ends within a chunk');
    const length = png.readUInt32BE(at);
    const end = at + AROUND + length;
    if (end > png.length) throw new InvalidPictureError('ends within a chunk');
    const named = png.subarray(at + 4, end - 4);
    if (crc32(named) !== png.readUInt32BE(end - 4))
      throw new InvalidPictureError('has a chunk with a wrong checksum');
    yield { name: named.toString('latin1', 0, 4), data: named.subarray(4) };
    at = end;
  }
}

/** Chunks that a picture may need to be understood have a capital letter first; others may be left out. */
const isNeeded = ({ name }: Chunk): boolean => /^[A-Z]/.test(name);

/** The compressed pixels, and how many bytes one takes. @throws InvalidPictureError */
function partsOf(png: Buffer): { readonly parts: readonly Buffer[]; readonly bytes: number } {
  const [head, ...rest] = [...chunksOf(png)].filter(isNeeded);
  const [depth, type = -1, ...how] = head?.data.subarray(8, 13) ?? [];
  const bytes = BYTES_OF[type];
  if (depth !== 8 || bytes === undefined || how.some((each) => each !== 0))
    throw new InvalidPictureError('is not written as a browser writes it: 8 bits, in colours, line by line');
  const isWhole = rest.at(-1)?.name === 'IEND' && rest.slice(0, -1).every(({ name }) => name === 'IDAT');
  if (!isWhole || rest.length < 2) throw new InvalidPictureError('has other parts than pixels');
  return { parts: rest.slice(0, -1).map(({ data }) => data), bytes };
}

/** Of three neighbours the one that is nearest to left + above - corner. @see https://www.w3.org/TR/png-3/#9Filter-type-4-Paeth */
function paeth(left: number, above: number, corner: number): number {
  const guess = left + above - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - above), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? above : corner;
}

/** What each filter adds to a byte, from its neighbours. */
const FILTERS: readonly ((left: number, above: number, corner: number) => number)[] = [
  () => 0,
  (left) => left,
  (_left, above) => above,
  (left, above) => (left + above) >> 1,
  paeth,
];

/** Takes the filter off a line, in its place. @throws InvalidPictureError */
function unfilter(line: Buffer, before: Buffer, filter: number, bytes: number): void {
  const add = FILTERS[filter];
  if (!add) throw new InvalidPictureError(`has a filter ${filter}, and there is none`);
  for (let at = 0; at < line.length; at++) {
    const left = at < bytes ? 0 : (line[at - bytes] ?? 0);
    const corner = at < bytes ? 0 : (before[at - bytes] ?? 0);
    line[at] = (line[at] ?? 0) + add(left, before[at] ?? 0, corner);
  }
}

export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/**
 * Reads the pixels of a picture, line by line: never more of it is there than two lines and what the decompressor hands over at a time,
 * and never more is decompressed than a picture of that size has. So a picture that claims little and unfolds to much costs what it claims.
 * @param onLine is given the colours of each line, `bytes` for each pixel.
 * @throws InvalidPictureError
 */
export async function readPixels(
  png: Buffer,
  size: PictureSize,
  onLine: (line: Buffer, bytes: number) => void,
  signal?: AbortSignal,
): Promise<void> {
  const found = readPngSize(png);
  if (found === null) throw new InvalidPictureError('is no PNG');
  if (found.width !== size.width || found.height !== size.height)
    throw new InvalidPictureError(`is ${found.width} x ${found.height}, not ${size.width} x ${size.height}`);
  const { parts, bytes } = partsOf(png);
  const stride = 1 + size.width * bytes;
  let line = Buffer.alloc(stride);
  let before = Buffer.alloc(stride - 1);
  let filled = 0;
  let lines = 0;
  const inflate = createInflate();
  for (const part of parts) inflate.write(part);
  inflate.end();
  try {
    for await (const chunk of inflate as AsyncIterable<Buffer>) {
      signal?.throwIfAborted();
      for (let at = 0; at < chunk.length; ) {
        if (lines === size.height) throw new InvalidPictureError('has more pixels than its size says');
        const taken = chunk.copy(line, filled, at, at + stride - filled);
        at += taken;
        filled += taken;
        if (filled < stride) continue;
        const pixels = line.subarray(1);
        unfilter(pixels, before, line[0] ?? 0, bytes);
        onLine(pixels, bytes);
        before = Buffer.from(pixels);
        line = Buffer.alloc(stride);
        filled = 0;
        lines++;
      }
    }
  } catch (error) {
    if (error instanceof InvalidPictureError || signal?.aborted) throw error;
    throw new InvalidPictureError(
      `cannot be decompressed: ${error instanceof Error ? error.message : String(error)}`,
    );
  } finally {
    inflate.destroy();
  }
  if (lines < size.height) throw new InvalidPictureError('has fewer pixels than its size says');
}
