import type * as z from 'zod';
import type { ReviewList, ReviewsQuery } from '../../api/task-schemas.ts';
import type { TaskIndexRow, TaskStore } from '../../store/task-store.ts';
import { listTasks } from './list-tasks.ts';

/** What waits for a person, the oldest task first: why, since when, and what happens when nobody decides. */
export async function listReviews(
  query: z.infer<typeof ReviewsQuery>,
  tasks: TaskStore,
  isVisible: (row: TaskIndexRow) => boolean = () => true,
): Promise<z.infer<typeof ReviewList>> {
  const held = await listTasks(
    { ...query, status: 'in_review' },
    tasks,
    (row) => row.hold !== null && isVisible(row),
  );
  return {
    reviews: held.tasks.flatMap(({ id, title, role, priority, repository, version, hold }) =>
      hold
        ? [
            {
              id,
              title,
              role,
              priority,
              repository,
              version,
              reasons: hold.reasons,
              since: hold.since,
              expires_at: hold.expires_at ?? null,
              expiry_outcome: hold.expiry_outcome ?? null,
            },
          ]
        : [],
    ),
    next_cursor: held.next_cursor,
  };
}
