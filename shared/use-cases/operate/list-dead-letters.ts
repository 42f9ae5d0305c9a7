import type { DeadLetterList, DeadLetterView } from '../../api/dead-letter-schemas.ts';
import { createCursor, parseCursor } from '../../api/page-cursor.ts';
import { type DeadLetter, letterTaskId } from '../../control/dead-letters/dead-letter.ts';
import type { LetterStatus } from '../../control/dead-letters/letter-status.ts';
import type { DeadLetterStore } from '../../store/dead-letters.ts';

const LISTING = 'dead letters';

/** As people see it. */
export function deadLetterView({ messages: _, ...letter }: DeadLetter): DeadLetterView {
  return {
    ...letter,
    retry_count: letter.attempts - 1,
    task_id: letterTaskId(letter),
  };
}

/** A page of lanes, with their letters; a page may have none, and more follow. */
export async function listDeadLetters(
  query: {
    readonly status?: LetterStatus | undefined;
    readonly limit: number;
    readonly cursor?: string | undefined;
  },
  letters: DeadLetterStore,
): Promise<DeadLetterList> {
  const { groups, after } = await letters.listGroups(query.limit, parseCursor(LISTING, query) ?? null);
  const all = groups.flatMap((lane) => lane.letters);
  return {
    dead_letters: all
      .filter(({ status }) => query.status === undefined || status === query.status)
      .map(deadLetterView),
    next_cursor: createCursor(LISTING, query, after),
  };
}
