import type { LetterList, LetterView } from '../../api/dead-letter-schemas.ts';
import { cursorBehind, startOf } from '../../api/page-cursor.ts';
import { type DeadLetter, taskOf } from '../../control/dead-letters/schema.ts';
import type { LetterStatus } from '../../control/dead-letters/status.ts';
import type { DeadLetterStore } from '../../store/dead-letters.ts';

const LISTING = 'dead letters';

/** As people see it. */
export function letterView({ messages: _, ...letter }: DeadLetter): LetterView {
  return {
    ...letter,
    retry_count: letter.attempts - 1,
    task_id: taskOf(letter),
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
): Promise<LetterList> {
  const { lanes, after } = await letters.lanes(query.limit, startOf(LISTING, query) ?? null);
  const all = lanes.flatMap((lane) => lane.letters);
  return {
    dead_letters: all
      .filter(({ status }) => query.status === undefined || status === query.status)
      .map(letterView),
    next_cursor: cursorBehind(LISTING, query, after),
  };
}
