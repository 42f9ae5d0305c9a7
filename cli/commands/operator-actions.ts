import type { TaskView } from '../../shared/api/task-schemas.ts';
import { CLI_EXIT_CODES, CliError } from '../exit.ts';
import { toOneLine } from '../output/text.ts';
import { defineOption } from '../parameters.ts';
import { defineRouteCommand } from '../server-command.ts';
import type { ServerCommandSession } from '../session.ts';
import { REASON_OPTION, TASK_ID_ARGUMENT } from '../shared-options.ts';

const statusLine = (task: TaskView): string => `${task.id} is ${task.status}.`;

/** Returns the tree of the last attempt: what a reviewer has read when they name none. */
async function lastTree(session: ServerCommandSession, id: string): Promise<string> {
  const { attempts } = await session.client().listAttempts({ id });
  const tree = attempts.at(-1)?.artifact?.tree;
  if (tree === undefined)
    throw new CliError(
      CLI_EXIT_CODES.conflict,
      'nothing_to_review',
      `${toOneLine(id)} has no work to review yet.`,
      {
        hint: '`assay task ID` shows its state.',
      },
    );
  return tree;
}

/** The actions of an operator on one task. */
export const operatorActionCommands = [
  defineRouteCommand({
    name: 'cancel',
    route: 'cancel',
    arguments: { id: TASK_ID_ARGUMENT },
    options: { reason: REASON_OPTION },
    request: ({ id, reason }) => ({ id, body: { reason } }),
    view: statusLine,
    examples: [['cancel 01JD8Z0000EXAMPLE --reason "done by hand"', 'cancel a task']],
  }),
  defineRouteCommand({
    name: 'retry',
    route: 'retry',
    arguments: { id: TASK_ID_ARGUMENT },
    options: { reason: REASON_OPTION },
    request: ({ id, reason }) => ({ id, body: { reason } }),
    view: statusLine,
    examples: [['retry 01JD8Z0000EXAMPLE --reason "the registry is back"', 'try again']],
  }),
  defineRouteCommand({
    name: 'review',
    route: 'review',
    arguments: { id: TASK_ID_ARGUMENT },
    options: {
      approve: defineOption('--approve', 'accept the work and deliver it'),
      reject: defineOption('--reject', 'refuse the work: a stronger model tries, or the task fails'),
      reason: defineOption('--reason <text>', 'reason; kept with the task', { required: true }),
      tree: defineOption('--tree <hash>', 'the tree that you read (default: the tree of the last attempt)'),
    },
    request: async ({ id, approve, reject, reason, tree }, session) => {
      if (approve === reject)
        throw new CliError(CLI_EXIT_CODES.usage, 'no_decision', 'Say either --approve or --reject.');
      return {
        id,
        body: {
          decision: approve ? ('approve' as const) : ('reject' as const),
          reason,
          tree: tree ?? (await lastTree(session, id)),
        },
      };
    },
    view: statusLine,
    examples: [
      ['review 01JD8Z0000EXAMPLE --approve --reason "read it, tests are fine"', 'approve the work'],
      ['review 01JD8Z0000EXAMPLE --reject --reason "wrong approach"', 'reject the work'],
    ],
  }),
  defineRouteCommand({
    name: 'rejudge',
    route: 'verify',
    arguments: { id: TASK_ID_ARGUMENT },
    options: { reason: REASON_OPTION },
    request: ({ id, reason }) => ({ id, body: { reason } }),
    view: statusLine,
    examples: [['rejudge 01JD8Z0000EXAMPLE --reason "the judge has its key now"', 'ask the judges again']],
  }),
];
