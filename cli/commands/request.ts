import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import type { RequestView } from '../../shared/api/request-schemas.ts';
import { INTAKE_STRATEGIES } from '../../shared/contract/intake/schema.ts';
import { REQUEST_STATUSES, type RequestStatus } from '../../shared/contract/intake/status.ts';
import { age } from '../../shared/lib/format.ts';
import { action, examples, JSON_OPTION } from '../command.ts';
import { CliError, EXIT } from '../exit.ts';
import type { Io } from '../io.ts';
import { renderTable } from '../output/table.ts';
import { oneLine } from '../output/text.ts';
import type { Session } from '../session.ts';
import { SUMMARY } from '../summary.ts';
import { wholeNumber } from '../whole-number.ts';

const say = (session: Session, request: RequestView): void => {
  if (session.json) session.printJson(request);
  else session.print(`${oneLine(request.id)} is ${request.status}.`);
};

/** One of the words that there are. */
function known<T extends string>(value: string, name: string, words: readonly T[]): T {
  const found = words.find((word) => word === value);
  if (found) return found;
  throw new CliError(EXIT.usage, 'bad_option', `--${name} ${oneLine(value)}: known are ${words.join(', ')}.`);
}

interface CreateOptions {
  readonly repo: string;
  readonly description?: string;
  readonly criterion?: string[];
  readonly base?: string;
  readonly strategy: string;
  readonly idempotencyKey?: string;
}

function registerCreate(parent: Command, io: Io): void {
  const command = parent
    .command('create')
    .argument('<title>', 'what is wanted, in one line')
    .description('Ask for work')
    .requiredOption('--repo <url>', 'the repository')
    .option('--description <text>', 'all that there is to say')
    .option('--criterion <text...>', 'what must be true in the end; it goes to the task as it is')
    .option('--base <ref>', 'branch, tag or commit to start from')
    .option('--strategy <name>', `${INTAKE_STRATEGIES.join(' or ')}: does a person say yes?`, 'review')
    .option('--idempotency-key <key>', 'the same key makes the same request')
    .option(...JSON_OPTION);
  action<[string, CreateOptions]>(command, io, async (session, title, options) => {
    const request = await session.client().submitRequest({
      body: {
        title,
        repository: options.repo,
        strategy: known(options.strategy, 'strategy', INTAKE_STRATEGIES),
        ...(options.description === undefined ? {} : { description: options.description }),
        ...(options.base === undefined ? {} : { base_ref: options.base }),
        acceptance_criteria: options.criterion ?? [],
      },
      idempotencyKey: options.idempotencyKey ?? randomUUID(),
    });
    say(session, request);
    return EXIT.ok;
  });
  examples(command, [
    [
      'request create "Round half to even" --repo https://github.com/you/shop.git --criterion "2.5 becomes 2"',
      'ask; a person says yes',
    ],
  ]);
}

interface ListOptions {
  readonly status: string;
  readonly limit: number;
  readonly cursor?: string;
}

function registerList(parent: Command, io: Io): void {
  const command = parent
    .command('list')
    .description('Requests of one status, oldest first')
    .option('--status <status>', REQUEST_STATUSES.join(', '), 'submitted')
    .option('--limit <number>', 'at most this many, 200 at the most', wholeNumber, 50)
    .option('--cursor <cursor>', 'go on where an earlier listing ended (its next_cursor)')
    .option(...JSON_OPTION);
  action<[ListOptions]>(command, io, async (session, { status, limit, cursor }) => {
    const wanted: RequestStatus = known(status, 'status', REQUEST_STATUSES);
    const page = await session.client().listRequests({ query: { status: wanted, limit, cursor } });
    if (session.json) session.printJson(page);
    else if (page.requests.length === 0) session.note(`No request is ${wanted}.`);
    else
      session.print(
        renderTable(
          [
            { title: 'ID' },
            { title: 'AGE', align: 'right' },
            { title: 'BY' },
            { title: 'TITLE', shrinkTo: 16 },
          ],
          page.requests.map((each) => [
            { text: each.id, style: session.out.bold },
            age(each.created_at, Date.now()),
            each.requested_by,
            each.requirement.title,
          ]),
          session.io.stdout.columns,
          session.out.dim,
        ),
      );
    return EXIT.ok;
  });
  examples(command, [['request list --status scoping', 'what was clarified and waits for a yes']]);
}

function registerShow(parent: Command, io: Io): void {
  const command = parent
    .command('show')
    .argument('<id>', 'request id')
    .description('One request, with how it came to where it is')
    .option(...JSON_OPTION);
  action<[string]>(command, io, async (session, id) => {
    const request = await session.client().getRequest({ id });
    say(session, request);
    if (session.json) return EXIT.ok;
    session.print(oneLine(request.requirement.title));
    for (const each of request.requirement.acceptance_criteria) session.print(`- ${oneLine(each)}`);
    for (const each of request.history) session.print(`${each.at} ${each.status} (${oneLine(each.by)})`);
    for (const each of request.unclear) session.print(`Unclear: ${oneLine(each)}`);
    if (request.reason !== null) session.print(`Reason: ${oneLine(request.reason)}`);
    return EXIT.ok;
  });
  examples(command, [['request show 01JD8Z0000EXAMPLE', 'where it stands, and since when']]);
}

interface ClarifyOptions {
  readonly notes: string;
  readonly title?: string;
  readonly description?: string;
}

function registerWords(parent: Command, io: Io): void {
  const approve = parent
    .command('approve')
    .argument('<id>', 'request id')
    .description('Say yes: its task is made')
    .option(...JSON_OPTION);
  action<[string]>(approve, io, async (session, id) => {
    say(session, await session.client().approveRequest({ id, body: {} }));
    return EXIT.ok;
  });
  examples(approve, [['request approve 01JD8Z0000EXAMPLE', 'the task has the same id']]);
  const reject = parent
    .command('reject')
    .argument('<id>', 'request id')
    .description('Say no, also while its task is being made')
    .option('--reason <text>', 'why; kept with the request')
    .option(...JSON_OPTION);
  action<[string, { readonly reason?: string }]>(reject, io, async (session, id, { reason }) => {
    say(session, await session.client().rejectRequest({ id, body: reason === undefined ? {} : { reason } }));
    return EXIT.ok;
  });
  examples(reject, [['request reject 01JD8Z0000EXAMPLE --reason "done already"', 'nothing is made']]);
  const clarify = parent
    .command('clarify')
    .argument('<id>', 'request id')
    .description('Say what is meant; what it has to fulfil stays as it was asked')
    .requiredOption('--notes <text>', 'for the agent, beside the description')
    .option('--title <text>', 'a better title')
    .option('--description <text>', 'in the place of the description')
    .option(...JSON_OPTION);
  action<[string, ClarifyOptions]>(clarify, io, async (session, id, { notes, title, description }) => {
    const body = {
      notes,
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
    };
    say(session, await session.client().clarifyRequest({ id, body }));
    return EXIT.ok;
  });
  examples(clarify, [
    ['request clarify 01JD8Z0000EXAMPLE --notes "prices only, not weights"', 'then approve'],
  ]);
}

/** `request`: work that is asked for. */
export function registerRequest(program: Command, io: Io): void {
  const parent = program.command('request').description(SUMMARY.request);
  registerCreate(parent, io);
  registerList(parent, io);
  registerShow(parent, io);
  registerWords(parent, io);
}
