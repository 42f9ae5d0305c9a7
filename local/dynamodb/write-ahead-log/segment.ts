import { closeSync, readFileSync, truncateSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  type FileSystemCalls,
  FileWriteError,
  writeAllBytes,
  writeFileAtomically,
} from '../../atomic-files.ts';
import {
  createDamagedLineError,
  type DecodedRecord,
  decodeRecords,
  encodeRecord,
  type LogRecord,
} from './records.ts';

/**
 * A segment is one file of the log. Its first line has the length up to which it was acknowledged, and is
 * updated with every record. The length distinguishes a file that lost its end from one that a kill left with
 * a torn record.
 */
const FORMAT = 'assay-log 1 ';
const LENGTH_DIGITS = 16;
const FIRST_LINE_BYTES = FORMAT.length + LENGTH_DIGITS + 1;
const FIRST_LINE = new RegExp(`^${FORMAT}(\\d{${LENGTH_DIGITS}})\n$`);

const lengthDigits = (bytes: number): string => String(bytes).padStart(LENGTH_DIGITS, '0');

export const SEGMENT_EXTENSION = '.log';
const SERIAL_DIGITS = 9;

/** Path of the file with a serial number, which orders segments and snapshots. */
export const buildSerialFilePath = (directory: string, serial: number, extension: string): string =>
  join(directory, `${String(serial).padStart(SERIAL_DIGITS, '0')}${extension}`);

/** The serial number in a file's name. */
export const parseFileSerialNumber = (path: string): number => Number.parseInt(basename(path), 10);

/**
 * Reads the records of a segment that is no longer written. @throws Error with file and line, or byte, for
 * any damage.
 */
export function* readSegment(path: string): Generator<DecodedRecord> {
  const bytes = readFileSync(path);
  const acknowledged = acknowledgedLength(path, bytes);
  yield* decodeRecords(path, bytes, FIRST_LINE_BYTES, 2);
  if (bytes.length < acknowledged) throw shortened(path, bytes.length, acknowledged);
  const end = bytes.lastIndexOf('\n') + 1;
  if (end < bytes.length) throw createDamagedLineError(path, bytes.toString('latin1').split('\n').length);
}

/**
 * Reads the records of the newest segment. A torn last record is cut off: it was not acknowledged. A file
 * that is shorter than its acknowledged length, as after a loss of power, causes a notice.
 */
export function readNewestSegment(
  path: string,
  onNotice: (message: string) => void,
): readonly DecodedRecord[] {
  const bytes = readFileSync(path);
  const acknowledged = acknowledgedLength(path, bytes);
  const records = [...decodeRecords(path, bytes, FIRST_LINE_BYTES, 2)];
  if (records.length === 0) throw shortened(path, bytes.length, acknowledged);
  const end = bytes.lastIndexOf('\n') + 1;
  if (bytes.length < acknowledged)
    onNotice(
      `${path} ends at byte ${bytes.length} of ${acknowledged}: the last changes were lost, as by a loss of power. ` +
        'The stack continues with the changes before them.',
    );
  else if (end < bytes.length)
    onNotice(
      `${path}: line ${records.length + 2} was torn when the stack was killed, and is cut off; nothing is lost`,
    );
  if (end < bytes.length) truncateSync(path, end);
  return records;
}

function acknowledgedLength(path: string, bytes: Buffer): number {
  const [, digits] = FIRST_LINE.exec(bytes.toString('latin1', 0, FIRST_LINE_BYTES)) ?? [];
  if (digits !== undefined) return Number(digits);
  throw bytes.length < FIRST_LINE_BYTES
    ? shortened(path, bytes.length, FIRST_LINE_BYTES)
    : createDamagedLineError(path, 1);
}

const shortened = (path: string, length: number, acknowledged: number): Error =>
  new Error(
    `${path} ends at byte ${length} of ${acknowledged}: a kill does not shorten it. Nothing was changed. ` +
      'Restore the folder from a copy, all of it at once.',
  );

/** A segment that records are appended to. */
export interface OpenLogSegment {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /**
   * Appends the record whole or not at all. After a failure every later call fails too, because a record
   * behind half a record could not be read. @throws FileWriteError
   */
  append(record: LogRecord, item?: string | null): void;
  close(): void;
}

/** Creates a segment with its first record, which a kill cannot tear. @throws FileWriteError */
export function createSegment(path: string, header: LogRecord, calls: FileSystemCalls): OpenLogSegment {
  const record = encodeRecord(header);
  const size = FIRST_LINE_BYTES + record.length;
  const firstLine = Buffer.from(`${FORMAT}${lengthDigits(size)}\n`);
  writeFileAtomically(path, Buffer.concat([firstLine, record]), { sync: true, calls });
  return openSegment(path, size, calls);
}

/** Opens a segment of `length` bytes to append to it. @throws FileWriteError */
export function openSegment(path: string, length: number, calls: FileSystemCalls): OpenLogSegment {
  let failure: FileWriteError | null = null;
  let size = length;
  const attempt = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      failure = new FileWriteError(path, error);
      throw failure;
    }
  };
  const file = attempt(() => calls.open(path, 'r+'));
  return {
    path,
    get size() {
      return size;
    },
    append(record, item = null) {
      if (failure !== null) throw failure;
      const bytes = encodeRecord(record, item);
      attempt(() => {
        try {
          writeAllBytes(calls, file, bytes, size);
        } catch (error) {
          truncateBack(calls, file, size);
          throw error;
        }
        writeAllBytes(calls, file, Buffer.from(lengthDigits(size + bytes.length)), FORMAT.length);
      });
      size += bytes.length;
    },
    close: () => closeSync(file),
  };
}

function truncateBack(calls: FileSystemCalls, file: number, size: number): void {
  try {
    calls.truncate(file, size);
  } catch {
    // The torn record stays the last one, and the next start cuts it off.
  }
}
