import type { PendingReviewItem } from '../../shared/api/task-schemas.ts';
import { formatAge } from '../../shared/lib/format.ts';
import { defineRouteCommand } from '../server-command.ts';
import type { ServerCommandSession } from '../session.ts';
import { PAGINATION_OPTIONS, TASK_FILTER_OPTIONS } from '../shared-options.ts';

function renderReviews(reviews: readonly PendingReviewItem[], session: ServerCommandSession): string {
  const now = Date.now();
  return session.table(
    [
      { title: 'ID' },
      { title: 'PRIO', align: 'right', optional: true },
      { title: 'WAITS', align: 'right' },
      { title: 'UNTIL', optional: true },
      { title: 'TITLE', shrinkTo: 16, optional: true },
      { title: 'WHY', shrinkTo: 16 },
    ],
    reviews.map((each) => [
      { text: each.id, style: session.out.bold },
      String(each.priority),
      formatAge(each.since, now),
      each.expires_at === null ? 'no limit' : `${each.expires_at.slice(0, 16)}, then ${each.expiry_outcome}`,
      each.title,
      each.reasons.join('; '),
    ]),
  );
}

/** `reviews`: tasks that need review. */
export const reviewsCommand = defineRouteCommand({
  name: 'reviews',
  route: 'listReviews',
  options: { ...TASK_FILTER_OPTIONS, ...PAGINATION_OPTIONS },
  request: (query) => ({ query }),
  view: ({ reviews }, session) =>
    reviews.length === 0 ? { note: 'No task needs review.' } : renderReviews(reviews, session),
  examples: [
    ['reviews', 'the tasks that need review: why, and until when'],
    ["reviews --json | jq -r '.reviews[].id'", 'their ids, for a script'],
  ],
});
