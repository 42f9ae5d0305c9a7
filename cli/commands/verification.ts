import type { Command } from 'commander';
import type * as z from 'zod';
import type { VerificationWindow } from '../../shared/api/schemas.ts';
import { count } from '../../shared/lib/format.ts';
import { action, examples, JSON_OPTION } from '../command.ts';
import { EXIT } from '../exit.ts';
import type { Io } from '../io.ts';
import { nudgeLine } from '../output/nudge.ts';
import { oneLine } from '../output/text.ts';
import type { Session } from '../session.ts';
import { SUMMARY } from '../summary.ts';

/** Completions that are shown of a window; `--json` has all. */
const SHOWN = 20;

function renderWindow(
  { verification_nudge: nudge, completions }: z.infer<typeof VerificationWindow>,
  { out }: Session,
): string {
  const { window, ever } = nudge;
  const unverified = completions.filter(({ verified }) => !verified);
  return [
    nudgeLine(nudge, out) ??
      (nudge.total_completions === 0
        ? 'Nothing was completed in the window.'
        : `${nudge.verified_count} of ${count(nudge.total_completions, 'completion')} verified`),
    `alarm above ${nudge.nudge_threshold}, with at least ${count(nudge.min_completions, 'completion')}`,
    ...(window
      ? [
          `window: the latest ${window.completions}, none older than ${count(window.days, 'day')}${window.oldest ? `; the oldest of them is of ${window.oldest}` : ''}`,
        ]
      : []),
    ...(window?.reset
      ? [`begun anew ${window.reset.at} by ${oneLine(window.reset.by)}: ${oneLine(window.reset.reason)}`]
      : []),
    ...(ever ? [`ever: ${ever.verified} verified, ${ever.unverified} unverified`] : []),
    ...(unverified.length > 0 ? ['', out.bold('Unverified, the newest first')] : []),
    ...unverified.slice(0, SHOWN).map(({ at, task_id }) => `${out.dim(at)}  ${task_id}`),
    ...(unverified.length > SHOWN ? [`and ${unverified.length - SHOWN} more`] : []),
  ].join('\n');
}

/** `verification`: the window that the alert is about. */
export function registerVerification(program: Command, io: Io): void {
  const verification = program.command('verification').description(SUMMARY.verification);
  const show = verification
    .command('show', { isDefault: true })
    .description('What the alert is made of: the window, and the completions in it')
    .option(...JSON_OPTION);
  action(show, io, async (session) => {
    const answer = await session.client().verification({});
    if (session.json) session.printJson(answer);
    else session.print(renderWindow(answer, session));
    return EXIT.ok;
  });
  examples(show, [
    ['verification', 'which tasks were completed without evidence of our own'],
    ['verification show --json | jq -r ".completions[] | select(.verified | not).task_id"', 'their ids'],
  ]);
  const reset = verification
    .command('reset')
    .description('Begin the window anew: what was completed up to now is no longer looked at')
    .requiredOption('--reason <text>', 'why; it is kept with your name')
    .option(...JSON_OPTION);
  action<[{ readonly reason: string }]>(reset, io, async (session, { reason }) => {
    const marker = await session.client().resetVerification({ body: { reason } });
    if (session.json) session.printJson(marker);
    else session.print(`Completions after ${marker.at} are looked at. No record was removed.`);
    return EXIT.ok;
  });
  examples(reset, [['verification reset --reason "release 4 begins"', 'a clean baseline']]);
}
