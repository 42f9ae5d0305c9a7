import type { PendingApprovalItem } from '../../shared/api/approval-schemas.ts';
import { DEFAULT_DECISION_REASON } from '../../shared/api/task-schemas.ts';
import { formatAge } from '../../shared/lib/format.ts';
import { toOneLine } from '../output/text.ts';
import { createIntegerParser, defineArgument, defineOption } from '../parameters.ts';
import { defineRouteCommand } from '../server-command.ts';
import type { ServerCommandSession } from '../session.ts';
import { PAGINATION_OPTIONS, TASK_FILTER_OPTIONS } from '../shared-options.ts';

function renderApprovals(approvals: readonly PendingApprovalItem[], session: ServerCommandSession): string {
  const now = Date.now();
  return session.table(
    [
      { title: 'ID' },
      { title: 'NO', align: 'right', optional: true },
      { title: 'WAITS', align: 'right' },
      { title: 'UNTIL', optional: true },
      { title: 'RISK' },
      { title: 'ACTION' },
      { title: 'WHAT', shrinkTo: 16 },
    ],
    approvals.map(({ id, since, expires_at: until, approval }) => [
      { text: id, style: session.out.bold },
      String(approval.number),
      formatAge(since, now),
      until === null ? 'no limit' : until.slice(0, 16),
      approval.risk,
      approval.action,
      approval.title,
    ]),
  );
}

const decisionCommand = (name: 'approve' | 'deny', example: string, purpose: string) =>
  defineRouteCommand({
    name,
    route: name,
    arguments: { id: defineArgument('<id>', 'id of the task that waits for approval') },
    options: {
      reason: defineOption('--reason <text>', 'reason; kept with the task and shown to the agent', {
        required: name === 'deny',
      }),
      number: defineOption('--number <number>', 'the request that you read (default: the one that waits)', {
        parse: createIntegerParser(),
      }),
    },
    request: ({ id, reason, number }) => ({
      id,
      body: { reason: reason ?? DEFAULT_DECISION_REASON, number },
    }),
    view: ({ action, status }, _session, { id }) => `${toOneLine(id)}: ${toOneLine(action)} is ${status}.`,
    examples: [[example, purpose]],
  });

/** `approvals`, `approve` and `deny`: approval requests of agents. */
export const approvalCommands = [
  defineRouteCommand({
    name: 'approvals',
    route: 'listApprovals',
    options: { ...TASK_FILTER_OPTIONS, ...PAGINATION_OPTIONS },
    request: (query) => ({ query }),
    view: ({ approvals }, session) =>
      approvals.length === 0 ? { note: 'No agent waits for approval.' } : renderApprovals(approvals, session),
    examples: [
      ['approvals', 'the open approval requests: action, risk, and until when they wait'],
      ["approvals --json | jq -r '.approvals[].id'", 'the ids of their tasks, for a script'],
    ],
  }),
  decisionCommand(
    'approve',
    'approve 01JD8Z0000EXAMPLE --reason "after hours"',
    'the agent continues where it stopped',
  ),
  decisionCommand('deny', 'deny 01JD8Z0000EXAMPLE --reason "not on a Friday"', 'the task is cancelled'),
];
