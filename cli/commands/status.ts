import type { Command } from 'commander';
import type * as z from 'zod';
import type { StatusView } from '../../shared/api/schemas.ts';
import { STATUSES } from '../../shared/contract/task/status.ts';
import { count } from '../../shared/lib/format.ts';
import { action, examples, JSON_OPTION } from '../command.ts';
import { EXIT } from '../exit.ts';
import type { Io } from '../io.ts';
import { nudgeLine } from '../output/nudge.ts';
import { renderTable } from '../output/table.ts';
import { statusStyle } from '../output/task-style.ts';
import type { Session } from '../session.ts';
import { SUMMARY } from '../summary.ts';

/** The counts as text. */
function renderStatus(status: z.infer<typeof StatusView>, session: Session): string {
  const pc = session.out;
  const seen = STATUSES.filter((each) => (status.by_status[each] ?? 0) > 0);
  const nudge = status.verification_nudge;
  const alert = nudgeLine(nudge, pc);
  const summary = seen
    .map((each) => statusStyle(pc, each)(`${status.by_status[each] ?? 0} ${each}`))
    .join(', ');
  const lines = [`${count(status.total, 'task')}${summary === '' ? '' : `: ${summary}`}`];
  if (status.per_role.length > 0)
    lines.push(
      '',
      renderTable(
        [{ title: 'ROLE' }, ...seen.map((each) => ({ title: each.toUpperCase(), align: 'right' as const }))],
        status.per_role.map(({ role, by_status }) => [
          role,
          ...seen.map((each) => String(by_status[each] ?? 0)),
        ]),
        session.io.stdout.columns,
        pc.dim,
      ),
    );
  if (nudge.total_completions > 0)
    lines.push('', `${nudge.verified_count}/${nudge.total_completions} completions verified`);
  for (const { model, rejections, state, until } of status.breakers.filter((each) => each.state !== 'closed'))
    lines.push(
      `the quality gate has rejected the last ${rejections} works of ${model}: ${state === 'open' ? `none is marked until ${until}` : 'the next one is marked again'}`,
    );
  for (const { provider, until, because, times } of status.cooling ?? [])
    lines.push(`nothing is begun with ${provider} until ${until}: ${because}, ${times} in a row`);
  if (alert !== null) {
    lines.push('', alert);
    if (nudge.recent_unverified.length > 0) lines.push(`Most recent: ${nudge.recent_unverified.join(', ')}`);
  }
  return lines.join('\n');
}

export function registerStatus(program: Command, io: Io): void {
  const command = program
    .command('status')
    .description(SUMMARY.status)
    .option(...JSON_OPTION);
  action(command, io, async (session) => {
    const status = await session.client().status({});
    if (session.json) session.printJson(status);
    else session.print(renderStatus(status, session));
    return EXIT.ok;
  });
  examples(command, [
    ['status', 'counts, and a red ALERT when too much is unverified'],
    ['status --json | jq .verification_nudge.threshold_exceeded', 'for a script'],
  ]);
}
