import type { Command } from 'commander';
import type { TaskView } from '../../shared/api/schemas.ts';
import { action, examples, JSON_OPTION } from '../command.ts';
import { CliError, EXIT } from '../exit.ts';
import type { Io } from '../io.ts';
import { oneLine } from '../output/text.ts';
import type { Session } from '../session.ts';
import { SUMMARY } from '../summary.ts';

const say = (session: Session, task: TaskView): void => {
  if (session.json) session.printJson(task);
  else session.print(`${task.id} is ${task.status}.`);
};

interface ReasonOptions {
  readonly reason?: string;
}
const reasonBody = ({ reason }: ReasonOptions) => (reason === undefined ? {} : { reason });

function registerCancel(program: Command, io: Io): void {
  const command = program
    .command('cancel')
    .argument('<id>', 'task id')
    .description(SUMMARY.cancel)
    .option('--reason <text>', 'why; kept with the task')
    .option(...JSON_OPTION);
  action<[string, ReasonOptions]>(command, io, async (session, id, options) => {
    say(session, await session.client().cancel({ id, body: reasonBody(options) }));
    return EXIT.ok;
  });
  examples(command, [['cancel 01JD8Z0000EXAMPLE --reason "done by hand"', 'withdraw']]);
}

function registerRetry(program: Command, io: Io): void {
  const command = program
    .command('retry')
    .argument('<id>', 'task id')
    .description(SUMMARY.retry)
    .option('--reason <text>', 'why; kept with the task')
    .option(...JSON_OPTION);
  action<[string, ReasonOptions]>(command, io, async (session, id, options) => {
    say(session, await session.client().retry({ id, body: reasonBody(options) }));
    return EXIT.ok;
  });
  examples(command, [['retry 01JD8Z0000EXAMPLE --reason "the registry is back"', 'try again']]);
}

interface ReviewOptions {
  readonly approve?: boolean;
  readonly reject?: boolean;
  readonly reason: string;
  readonly tree?: string;
}

/** The tree that the last attempt left: what a person has looked at when they name none. */
async function lastTree(session: Session, id: string): Promise<string> {
  const { attempts } = await session.client().listAttempts({ id });
  const tree = attempts.at(-1)?.artifact?.tree;
  if (tree === undefined)
    throw new CliError(EXIT.conflict, 'nothing_to_review', `${oneLine(id)} has no work to review yet.`, {
      hint: '`assay task ID` shows where it stands.',
    });
  return tree;
}

function registerReview(program: Command, io: Io): void {
  const command = program
    .command('review')
    .argument('<id>', 'task id')
    .description(SUMMARY.review)
    .option('--approve', 'accept the work, and deliver it')
    .option('--reject', 'refuse it: a stronger model tries, or the task fails')
    .requiredOption('--reason <text>', 'why; kept with the task')
    .option('--tree <hash>', 'the tree that you looked at (default: that of the last attempt)')
    .option(...JSON_OPTION);
  action<[string, ReviewOptions]>(command, io, async (session, id, options) => {
    if (options.approve === options.reject)
      throw new CliError(EXIT.usage, 'no_decision', 'Say either --approve or --reject.');
    const tree = options.tree ?? (await lastTree(session, id));
    const body = { decision: options.approve ? 'approve' : 'reject', reason: options.reason, tree } as const;
    say(session, await session.client().review({ id, body }));
    return EXIT.ok;
  });
  examples(command, [
    ['review 01JD8Z0000EXAMPLE --approve --reason "read it, tests are fine"', 'let it through'],
    ['review 01JD8Z0000EXAMPLE --reject --reason "wrong approach"', 'refuse it'],
  ]);
}

function registerRejudge(program: Command, io: Io): void {
  const command = program
    .command('rejudge')
    .argument('<id>', 'task id')
    .description(SUMMARY.rejudge)
    .option('--reason <text>', 'why; kept with the attempt')
    .option(...JSON_OPTION);
  action<[string, ReasonOptions]>(command, io, async (session, id, options) => {
    say(session, await session.client().verify({ id, body: reasonBody(options) }));
    return EXIT.ok;
  });
  examples(command, [['rejudge 01JD8Z0000EXAMPLE --reason "the judge has its key now"', 'ask again']]);
}

/** `cancel`, `retry`, `review` and `rejudge`: an operator's word on one task. */
export function registerActions(program: Command, io: Io): void {
  registerCancel(program, io);
  registerRetry(program, io);
  registerReview(program, io);
  registerRejudge(program, io);
}
