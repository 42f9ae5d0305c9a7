import type { ReviewItem } from '../../shared/api/task-schemas.ts';
import { formatAge } from '../../shared/lib/format.ts';
import { routeCommand } from '../server-command.ts';
import type { ServerCommandSession } from '../session.ts';
import { PAGE_OPTIONS, TASK_FILTERS } from '../shared-options.ts';

function renderReviews(reviews: readonly ReviewItem[], session: ServerCommandSession): string {
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
      each.until === null ? 'no limit' : `${each.until.slice(0, 16)}, then ${each.outcome}`,
      each.title,
      each.reasons.join('; '),
    ]),
  );
}

/** `reviews`: tasks that need review. */
export const reviewsCommand = routeCommand({
  name: 'reviews',
  route: 'listReviews',
  options: { ...TASK_FILTERS, ...PAGE_OPTIONS },
  request: (query) => ({ query }),
  view: ({ reviews }, session) =>
    reviews.length === 0 ? { note: 'No task needs review.' } : renderReviews(reviews, session),
  examples: [
    ['reviews', 'the tasks that need review: why, and until when'],
    ["reviews --json | jq -r '.reviews[].id'", 'their ids, for a script'],
  ],
});
