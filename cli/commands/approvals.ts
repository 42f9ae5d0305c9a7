import type { Command } from 'commander';
import type { ApprovalItem } from '../../shared/api/approval-schemas.ts';
import { age } from '../../shared/lib/format.ts';
import { action, examples, JSON_OPTION } from '../command.ts';
import { EXIT } from '../exit.ts';
import type { Io } from '../io.ts';
import { renderTable } from '../output/table.ts';
import { oneLine } from '../output/text.ts';
import type { Session } from '../session.ts';
import { SUMMARY } from '../summary.ts';
import { wholeNumber } from '../whole-number.ts';

interface ListOptions {
  readonly role?: string;
  readonly repository?: string;
  readonly limit: number;
  readonly cursor?: string;
}

function renderApprovals(approvals: readonly ApprovalItem[], session: Session): string {
  const now = Date.now();
  return renderTable(
    [
      { title: 'ID' },
      { title: 'NO', align: 'right', optional: true },
      { title: 'WAITS', align: 'right' },
      { title: 'UNTIL', optional: true },
      { title: 'RISK' },
      { title: 'ACTION' },
      { title: 'WHAT', shrinkTo: 16 },
    ],
    approvals.map(({ id, since, until, approval }) => [
      { text: id, style: session.out.bold },
      String(approval.number),
      age(since, now),
      until === null ? 'no limit' : until.slice(0, 16),
      approval.risk,
      approval.action,
      approval.title,
    ]),
    session.io.stdout.columns,
    session.out.dim,
  );
}

function registerList(program: Command, io: Io): void {
  const command = program
    .command('approvals')
    .description(SUMMARY.approvals)
    .option('--role <role>', 'only tasks of this role')
    .option('--repository <url>', 'only tasks of this repository')
    .option('--limit <number>', 'at most this many, 200 at the most', wholeNumber, 50)
    .option('--cursor <cursor>', 'go on where an earlier listing ended (its next_cursor)')
    .option(...JSON_OPTION);
  action<[ListOptions]>(command, io, async (session, { role, repository, limit, cursor }) => {
    const page = await session.client().listApprovals({ query: { role, repository, limit, cursor } });
    if (session.json) session.printJson(page);
    else if (page.approvals.length === 0) session.note('No agent waits for leave.');
    else session.print(renderApprovals(page.approvals, session));
    if (!session.json && page.next_cursor !== null)
      session.note(`More: assay approvals --cursor ${page.next_cursor}`);
    return EXIT.ok;
  });
  examples(command, [
    ['approvals', 'what agents want to do, since when, and until when it waits'],
    ["approvals --json | jq -r '.approvals[].id'", 'the ids of their tasks, for a script'],
  ]);
}

interface WordOptions {
  readonly reason?: string;
  readonly number?: number;
}

function registerWord(program: Command, io: Io, word: 'approve' | 'deny'): Command {
  const command = program
    .command(word)
    .argument('<id>', 'id of the task that waits')
    .description(SUMMARY[word])
    .option('--reason <text>', 'why; kept with the task, and the agent is told')
    .option('--number <number>', 'the approval that you looked at (default: the one that waits)', wholeNumber)
    .option(...JSON_OPTION);
  action<[string, WordOptions]>(command, io, async (session, id, { reason, number }) => {
    const body = {
      ...(reason === undefined ? {} : { reason }),
      ...(number === undefined ? {} : { number }),
    };
    const approval = await session.client()[word]({ id, body });
    if (session.json) session.printJson(approval);
    else session.print(`${oneLine(id)}: ${oneLine(approval.action)} is ${approval.status}.`);
    return EXIT.ok;
  });
  return command;
}

/** `approvals`, `approve` and `deny`: leave that agents ask for in mid-run. */
export function registerApprovals(program: Command, io: Io): void {
  registerList(program, io);
  examples(registerWord(program, io, 'approve'), [
    ['approve 01JD8Z0000EXAMPLE --reason "after hours"', 'the agent goes on where it was'],
  ]);
  examples(registerWord(program, io, 'deny'), [
    ['deny 01JD8Z0000EXAMPLE --reason "not on a Friday"', 'the task is cancelled'],
  ]);
}
