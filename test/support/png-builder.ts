import { crc32, deflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** One chunk of a PNG, with its length and checksum. */
export function buildPngChunk(name: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const made = Buffer.alloc(12 + data.length);
  made.writeUInt32BE(data.length, 0);
  made.write(name, 4, 'latin1');
  data.copy(made, 8);
  made.writeUInt32BE(crc32(made.subarray(4, 8 + data.length)), 8 + data.length);
  return made;
}

interface Header {
  readonly width: number;
  readonly height: number;
  readonly depth?: number;
  readonly type?: number;
  readonly interlace?: number;
}

export function buildPngHeader({ width, height, depth = 8, type = 2, interlace = 0 }: Header): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data.set([depth, type, 0, 0, interlace], 8);
  return buildPngChunk('IHDR', data);
}

export const buildPng = (...chunks: readonly Buffer[]): Buffer => Buffer.concat([SIGNATURE, ...chunks]);

/** Puts a filter onto a line, by the specification's own formulas. */
function filtered(
  line: readonly number[],
  before: readonly number[],
  filter: number,
  bytes: number,
): number[] {
  return line.map((value, at) => {
    const a = line[at - bytes] ?? 0;
    const b = before[at] ?? 0;
    const c = at < bytes ? 0 : (before[at - bytes] ?? 0);
    const p = a + b - c;
    const near = [a, b, c].reduce((best, each) => (Math.abs(p - each) < Math.abs(p - best) ? each : best));
    return (value - ([0, a, b, Math.floor((a + b) / 2), near][filter] ?? 0)) & 0xff;
  });
}

type Colour = readonly number[];

/** A picture of that size; `colour` says each pixel, in three channels or four. */
export function drawPng(
  width: number,
  height: number,
  colour: Colour | ((x: number, y: number) => Colour),
  { filter = () => 0, parts = 1 }: { readonly filter?: (y: number) => number; readonly parts?: number } = {},
): Buffer {
  const at = typeof colour === 'function' ? colour : () => colour;
  const bytes = at(0, 0).length;
  let before: number[] = new Array(width * bytes).fill(0);
  const lines: number[][] = [];
  for (let y = 0; y < height; y++) {
    const line = Array.from({ length: width }, (_, x) => [...at(x, y)]).flat();
    lines.push([filter(y), ...filtered(line, before, filter(y), bytes)]);
    before = line;
  }
  const packed = deflateSync(Buffer.from(lines.flat()));
  const size = Math.ceil(packed.length / parts);
  const idat = Array.from({ length: parts }, (_, index) =>
    buildPngChunk('IDAT', packed.subarray(index * size, (index + 1) * size)),
  );
  return buildPng(
    buildPngHeader({ width, height, type: bytes === 4 ? 6 : 2 }),
    ...idat,
    buildPngChunk('IEND'),
  );
}
