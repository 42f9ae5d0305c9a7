import type * as z from 'zod';
import type { ArtifactPartResponse, ArtifactQuery } from '../../api/artifact-schemas.ts';
import { hasScreenshotDigest } from '../../contract/evidence/screenshot-digest.ts';
import { Refusal } from '../../contract/refusal.ts';
import { listScreenshots, MAX_SCREENSHOT_BYTES, screenshotObjectKey } from '../../contract/screenshot.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import type { ObjectStore } from '../../store/object-store.ts';

/** Bytes of one part: as JSON it may be six times as long, and a function answers with six megabytes at the most. */
export const MAX_ARTIFACT_PART_BYTES = 512 * 1_024;

const keyOf = (attempt: Attempt, kind: Exclude<Query['kind'], 'screenshot'>): string | null =>
  ({
    patch: attempt.artifact?.patch_key,
    transcript: attempt.artifact?.transcript_key ?? attempt.report?.transcript_key,
    evidence: attempt.verification?.key,
  })[kind] ?? null;

type Query = z.infer<typeof ArtifactQuery>;
type Part = z.infer<typeof ArtifactPartResponse>;

/** A picture that the evidence names, as a whole; nothing but what the evidence tells of is handed out. */
async function screenshotPart(
  task: Task,
  attempt: Attempt,
  { name, offset }: Query,
  objects: Pick<ObjectStore, 'getRange'>,
): Promise<Part> {
  if (name === undefined)
    throw new Refusal('invalid', 'a screenshot is asked for by its name', [
      { pointer: '/name', message: 'is missing' },
    ]);
  if (offset !== 0)
    throw new Refusal('invalid', 'a screenshot is one part', [{ pointer: '/offset', message: 'must be 0' }]);
  const shot = listScreenshots(attempt.verification ?? { gates: [] }).find((each) => each.name === name);
  const found =
    shot &&
    (await objects.getRange(screenshotObjectKey(task.id, attempt.number, shot), 0, MAX_SCREENSHOT_BYTES));
  if (!shot || !found)
    throw new Refusal(
      'not_found',
      `attempt ${attempt.number} of task ${task.id} has no screenshot ${name}; it is kept for a time only`,
    );
  if (!hasScreenshotDigest(found.body, shot))
    throw new Error(`screenshot ${name} of task ${task.id} is not what the evidence tells of`);
  return {
    task_id: task.id,
    attempt: attempt.number,
    kind: 'screenshot',
    bytes: found.bytes,
    offset,
    next_offset: null,
    encoding: 'base64',
    text: Buffer.from(found.body).toString('base64'),
  };
}

/** How many of the bytes are whole characters: a part must not end in the middle of one. */
export function countCompleteUtf8Bytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    // The first byte of a character says how many it has.
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return length > back ? bytes.length - back : bytes.length;
    }
  }
  return bytes.length;
}

/** The output of an agent that said so little that no transcript was uploaded; null: it said nothing. */
function outputTailPart({ report }: Attempt, offset: number): { body: Uint8Array; bytes: number } | null {
  const output = Buffer.from(report?.output_tail ?? '');
  return offset < output.length ? { body: output.subarray(offset), bytes: output.length } : null;
}

/** A part of what an attempt has left. @throws Refusal `not_found` when there is no such attempt, or it has left nothing of the kind. */
export async function readArtifactPart(
  task: Task,
  query: Query,
  objects: Pick<ObjectStore, 'getRange'>,
): Promise<Part> {
  const { kind, attempt: number, offset } = query;
  const attempt =
    number === undefined ? task.attempts.at(-1) : task.attempts.find((each) => each.number === number);
  if (!attempt)
    throw new Refusal(
      'not_found',
      number === undefined ? `task ${task.id} has no attempt` : `task ${task.id} has no attempt ${number}`,
    );
  if (kind === 'screenshot') return screenshotPart(task, attempt, query, objects);
  if (query.name !== undefined)
    throw new Refusal('invalid', `there is one ${kind}, which has no name`, [
      { pointer: '/name', message: 'is for screenshots only' },
    ]);
  const key = keyOf(attempt, kind);
  const part =
    key === null
      ? kind === 'transcript'
        ? outputTailPart(attempt, offset)
        : null
      : await objects.getRange(key, offset, MAX_ARTIFACT_PART_BYTES);
  if (part === null)
    throw new Refusal(
      'not_found',
      `attempt ${attempt.number} of task ${task.id} has no ${kind}, or not that much of it; it is kept for a time only`,
    );
  const isLast = offset + part.body.length >= part.bytes;
  const kept = isLast ? part.body : part.body.subarray(0, countCompleteUtf8Bytes(part.body));
  return {
    task_id: task.id,
    attempt: attempt.number,
    kind,
    bytes: part.bytes,
    offset,
    next_offset: isLast ? null : offset + kept.length,
    encoding: 'utf-8',
    text: new TextDecoder().decode(kept),
  };
}
