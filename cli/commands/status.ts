import type * as z from 'zod';
import type { DeploymentStatusView } from '../../shared/api/task-schemas.ts';
import { TASK_STATUSES } from '../../shared/contract/task/status.ts';
import { formatCount } from '../../shared/lib/format.ts';
import { chooseStatusStyle } from '../output/task-style.ts';
import { renderVerificationNudge } from '../output/verification-nudge.ts';
import { defineRouteCommand } from '../server-command.ts';
import type { ServerCommandSession } from '../session.ts';

function renderStatus(status: z.infer<typeof DeploymentStatusView>, session: ServerCommandSession): string {
  const pc = session.out;
  const present = TASK_STATUSES.filter((each) => (status.by_status[each] ?? 0) > 0);
  const nudge = status.verification_nudge;
  const alert = renderVerificationNudge(nudge, pc);
  const summary = present
    .map((each) => chooseStatusStyle(pc, each)(`${status.by_status[each] ?? 0} ${each}`))
    .join(', ');
  const lines = [`${formatCount(status.total, 'task')}${summary === '' ? '' : `: ${summary}`}`];
  if (status.per_role.length > 0)
    lines.push(
      '',
      session.table(
        [
          { title: 'ROLE' },
          ...present.map((each) => ({ title: each.toUpperCase(), align: 'right' as const })),
        ],
        status.per_role.map(({ role, by_status }) => [
          role,
          ...present.map((each) => String(by_status[each] ?? 0)),
        ]),
      ),
    );
  if (nudge.total_completions > 0)
    lines.push('', `${nudge.verified_count}/${nudge.total_completions} completions verified`);
  for (const { model, rejections, state, until } of status.breakers.filter((each) => each.state !== 'closed'))
    lines.push(
      `the quality gate rejected the last ${formatCount(rejections, 'attempt')} of ${model}: ${state === 'open' ? `its work is not graded until ${until}` : 'its next work is graded again'}`,
    );
  for (const { provider, until, reason: because, consecutive_failures: times } of status.cooldowns ?? [])
    lines.push(
      `cooldown of provider ${provider} until ${until}: ${because}, ${formatCount(times, 'time')} in a row`,
    );
  if (alert !== null) {
    lines.push('', alert);
    if (nudge.recent_unverified.length > 0) lines.push(`Most recent: ${nudge.recent_unverified.join(', ')}`);
  }
  return lines.join('\n');
}

export const statusCommand = defineRouteCommand({
  name: 'status',
  route: 'status',
  request: () => ({}),
  view: renderStatus,
  examples: [
    ['status', 'counts, and a red ALERT when too many completions are unverified'],
    ['status --json | jq .verification_nudge.threshold_exceeded', 'for a script'],
  ],
});
