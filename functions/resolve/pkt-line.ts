/** A line of git's protocol, or one of its marks: `flush` ends a message, `delimiter` a part of one. */
export type GitPacket =
  | 'flush'
  | 'delimiter'
  | 'end'
  | {
      /** Without the newline at its end. */
      readonly text: string;
      readonly bytes: Buffer;
    };

const MARKS = ['flush', 'delimiter', 'end'] as const;

/** Most packets of one answer: each ref is one, and of a pack each holds up to 64 KiB. */
const MAX_PACKETS = 131_072;

/** Takes an answer apart into its packets. @throws Error where it is no such answer, or has too many. */
export function parseGitPackets(answer: Buffer): GitPacket[] {
  const found: GitPacket[] = [];
  let at = 0;
  while (at < answer.length) {
    if (found.length >= MAX_PACKETS) throw new Error(`the answer has more than ${MAX_PACKETS} packets`);
    const digits = answer.toString('latin1', at, at + 4);
    if (!/^[0-9a-f]{4}$/i.test(digits)) throw new Error('the answer is not in the protocol of git');
    const length = Number.parseInt(digits, 16);
    const mark = MARKS[length];
    if (length === 3 || at + length > answer.length) throw new Error('the answer of the server is cut off');
    const bytes = answer.subarray(at + 4, at + length);
    found.push(mark ?? { bytes, text: bytes.toString('utf8').replace(/\n$/, '') });
    at += Math.max(length, 4);
  }
  return found;
}

/** One line as a packet. */
export function formatGitPacket(line: string): string {
  const text = `${line}\n`;
  return `${(Buffer.byteLength(text) + 4).toString(16).padStart(4, '0')}${text}`;
}
export const FLUSH_PACKET = '0000';
export const DELIMITER_PACKET = '0001';
