import type { Command } from 'commander';
import type { ReviewItem } from '../../shared/api/schemas.ts';
import { age } from '../../shared/lib/format.ts';
import { action, examples, JSON_OPTION } from '../command.ts';
import { EXIT } from '../exit.ts';
import type { Io } from '../io.ts';
import { renderTable } from '../output/table.ts';
import type { Session } from '../session.ts';
import { SUMMARY } from '../summary.ts';
import { wholeNumber } from '../whole-number.ts';

interface Options {
  readonly role?: string;
  readonly repository?: string;
  readonly limit: number;
  readonly cursor?: string;
}

function renderReviews(reviews: readonly ReviewItem[], session: Session): string {
  const now = Date.now();
  return renderTable(
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
      age(each.since, now),
      each.until === null ? 'no limit' : `${each.until.slice(0, 16)}, then ${each.outcome}`,
      each.title,
      each.reasons.join('; '),
    ]),
    session.io.stdout.columns,
    session.out.dim,
  );
}

/** `reviews`: what waits for a person. */
export function registerReviews(program: Command, io: Io): void {
  const command = program
    .command('reviews')
    .description(SUMMARY.reviews)
    .option('--role <role>', 'only tasks of this role')
    .option('--repository <url>', 'only tasks of this repository')
    .option('--limit <number>', 'at most this many, 200 at the most', wholeNumber, 50)
    .option('--cursor <cursor>', 'go on where an earlier listing ended (its next_cursor)')
    .option(...JSON_OPTION);
  action<[Options]>(command, io, async (session, { role, repository, limit, cursor }) => {
    const page = await session.client().listReviews({ query: { role, repository, limit, cursor } });
    if (session.json) session.printJson(page);
    else if (page.reviews.length === 0) session.note('Nothing waits for a person.');
    else session.print(renderReviews(page.reviews, session));
    if (!session.json && page.next_cursor !== null)
      session.note(`More: assay reviews --cursor ${page.next_cursor}`);
    return EXIT.ok;
  });
  examples(command, [
    ['reviews', 'what waits for a person, why, and until when'],
    ["reviews --json | jq -r '.reviews[].id'", 'their ids, for a script'],
  ]);
}
