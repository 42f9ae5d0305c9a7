/** What a manifest of LevelDB says: which files the database is made of. Its format: doc/log_format.md and db/version_edit.cc there. */
export interface LevelState {
  /** Number of the oldest log file that is needed; null when the manifest does not come to it. */
  readonly log: number | null;
  /** Bytes of each table file by its number. */
  readonly tables: ReadonlyMap<number, number>;
  /** The last record is not whole. */
  readonly isTorn: boolean;
  /** Bytes of the file. */
  readonly length: number;
}

const BLOCK = 32_768;
/** Checksum, length and type of a record's part. */
const HEADER = 7;
/** Types of parts: all of a record, its first, one in the middle, its last. */
const FULL = 1;
const FIRST = 2;
const LAST = 4;

/** Records of a log, and whether something that is not whole stands behind them. */
function recordsOf(bytes: Buffer): { readonly records: readonly Buffer[]; readonly isTorn: boolean } {
  const records: Buffer[] = [];
  let parts: Buffer[] = [];
  let at = 0;
  while (at < bytes.length) {
    const left = BLOCK - (at % BLOCK);
    if (left < HEADER) {
      at += left;
      continue;
    }
    if (at + HEADER > bytes.length) return { records, isTorn: true };
    const length = bytes.readUInt16LE(at + 4);
    const type = bytes[at + 6];
    const body = bytes.subarray(at + HEADER, at + HEADER + length);
    if (body.length < length || type === undefined || type < FULL || type > LAST)
      return { records, isTorn: true };
    parts = type === FULL || type === FIRST ? [body] : [...parts, body];
    if (type === FULL || type === LAST) {
      records.push(Buffer.concat(parts));
      parts = [];
    }
    at += HEADER + length;
  }
  return { records, isTorn: parts.length > 0 };
}

/** Reads the fields of a record one after another. @throws RangeError behind its end. */
class Fields {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isOver(): boolean {
    return this.#at >= this.#bytes.length;
  }

  number(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#bytes.readUInt8(this.#at);
      this.#at += 1;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }

  skipText(): void {
    const length = this.number();
    this.#at += length;
  }
}

/** Reads a manifest as far as it is whole. */
export function readManifest(bytes: Buffer): LevelState {
  const tables = new Map<number, number>();
  let log: number | null = null;
  const { records, isTorn } = recordsOf(bytes);
  const readers: Readonly<Record<number, (fields: Fields) => void>> = {
    1: (fields) => fields.skipText(),
    2: (fields) => {
      log = fields.number();
    },
    3: (fields) => void fields.number(),
    4: (fields) => void fields.number(),
    5: (fields) => {
      fields.number();
      fields.skipText();
    },
    6: (fields) => {
      fields.number();
      tables.delete(fields.number());
    },
    7: (fields) => {
      fields.number();
      const number = fields.number();
      tables.set(number, fields.number());
      fields.skipText();
      fields.skipText();
    },
    9: (fields) => void fields.number(),
  };
  for (const record of records) {
    const fields = new Fields(record);
    while (!fields.isOver) readers[fields.number()]?.(fields);
  }
  return { log, tables, isTorn, length: bytes.length };
}
