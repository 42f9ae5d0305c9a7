import type * as z from 'zod';
import type { ArtifactPart, ArtifactQuery } from '../api/artifact-schemas.ts';
import { Refusal } from '../refusal.ts';
import type { ObjectStore } from '../store/objects.ts';
import type { Attempt } from '../task/attempt.ts';
import type { Task } from '../task/task.ts';

/** Bytes of one part: as JSON it may be six times as long, and a function answers with six megabytes at the most. */
export const PART_BYTES = 512 * 1_024;

const keyOf = (attempt: Attempt, kind: z.infer<typeof ArtifactQuery>['kind']): string | null =>
  ({
    patch: attempt.artifact?.patch_key,
    transcript: attempt.artifact?.transcript_key,
    evidence: attempt.verification?.key,
  })[kind] ?? null;

/** How many of the bytes are whole characters: a part must not end in the middle of one. */
export function wholeCharacters(bytes: Uint8Array): number {
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

/** A part of what an attempt has left. @throws Refusal `not_found` when there is no such attempt, or it has left nothing of the kind. */
export async function artifactPart(
  task: Task,
  { kind, attempt: number, offset }: z.infer<typeof ArtifactQuery>,
  objects: Pick<ObjectStore, 'part'>,
): Promise<z.infer<typeof ArtifactPart>> {
  const attempt =
    number === undefined ? task.attempts.at(-1) : task.attempts.find((each) => each.number === number);
  if (!attempt)
    throw new Refusal(
      'not_found',
      number === undefined ? `task ${task.id} has no attempt` : `task ${task.id} has no attempt ${number}`,
    );
  const key = keyOf(attempt, kind);
  const part = key === null ? null : await objects.part(key, offset, PART_BYTES);
  if (part === null)
    throw new Refusal(
      'not_found',
      `attempt ${attempt.number} of task ${task.id} has no ${kind}, or not that much of it; it is kept for a time only`,
    );
  const isLast = offset + part.body.length >= part.bytes;
  const kept = isLast ? part.body : part.body.subarray(0, wholeCharacters(part.body));
  return {
    task_id: task.id,
    attempt: attempt.number,
    kind,
    bytes: part.bytes,
    offset,
    next_offset: isLast ? null : offset + kept.length,
    text: new TextDecoder().decode(kept),
  };
}
