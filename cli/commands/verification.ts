import type * as z from 'zod';
import type { VerificationWindowView } from '../../shared/api/task-schemas.ts';
import { formatCount } from '../../shared/lib/format.ts';
import { toOneLine } from '../output/text.ts';
import { renderVerificationNudge } from '../output/verification-nudge.ts';
import { defineRouteCommand } from '../server-command.ts';
import type { ServerCommandSession } from '../session.ts';
import { REQUIRED_REASON_OPTION } from '../shared-options.ts';

/** Unverified completions that are printed; `--json` has all. */
const SHOWN = 20;

function renderWindow(
  { verification_nudge: nudge, completions }: z.infer<typeof VerificationWindowView>,
  { out }: ServerCommandSession,
): string {
  const { window, all_time: ever } = nudge;
  const unverified = completions.filter(({ verified }) => !verified);
  return [
    renderVerificationNudge(nudge, out) ??
      (nudge.total_completions === 0
        ? 'No completions in the window.'
        : `${nudge.verified_count} of ${formatCount(nudge.total_completions, 'completion')} verified`),
    `alarm above ${nudge.nudge_threshold}, with at least ${formatCount(nudge.min_completions, 'completion')}`,
    ...(window
      ? [
          `window: the latest ${window.completions}, none older than ${formatCount(window.days, 'day')}${window.oldest ? `; the oldest is of ${window.oldest}` : ''}`,
        ]
      : []),
    ...(window?.reset
      ? [`reset ${window.reset.at} by ${toOneLine(window.reset.by)}: ${toOneLine(window.reset.reason)}`]
      : []),
    ...(ever ? [`ever: ${ever.verified} verified, ${ever.unverified} unverified`] : []),
    ...(unverified.length > 0 ? ['', out.bold('Unverified, newest first')] : []),
    ...unverified.slice(0, SHOWN).map(({ at, task_id }) => `${out.dim(at)}  ${task_id}`),
    ...(unverified.length > SHOWN ? [`and ${unverified.length - SHOWN} more`] : []),
  ].join('\n');
}

/** `verification`: the window of completions that the verification alert is about. */
export const verificationCommands = [
  defineRouteCommand({
    name: 'verification show',
    route: 'verification',
    description: 'Show the verification window and the completions in it',
    isDefault: true,
    request: () => ({}),
    view: renderWindow,
    examples: [
      ['verification', 'which tasks were completed without executed or checked evidence'],
      ['verification show --json | jq -r ".completions[] | select(.verified | not).task_id"', 'their ids'],
    ],
  }),
  defineRouteCommand({
    name: 'verification reset',
    route: 'resetVerification',
    description: 'Start a new window: earlier completions no longer count; no record is removed',
    options: { reason: REQUIRED_REASON_OPTION },
    request: ({ reason }) => ({ body: { reason } }),
    view: ({ at }) => `Only completions after ${at} count from now on. No record was removed.`,
    examples: [['verification reset --reason "release 4 begins"', 'a clean baseline']],
  }),
];
