import type { Command } from 'commander';
import { AUTHORIZATION_SECONDS } from '../../shared/api/gateway.ts';
import { isOperatorRole, OPERATOR_ROLE_NAMES } from '../../shared/contract/access/rights.ts';
import { readRepositoryUrl } from '../../shared/contract/repository/url.ts';
import type { Operator, StoredToken } from '../../shared/store/operator-tokens.ts';
import { action, examples, JSON_OPTION } from '../command.ts';
import { CliError, EXIT } from '../exit.ts';
import type { Io } from '../io.ts';
import { renderTable } from '../output/table.ts';
import { oneLine } from '../output/text.ts';
import type { Session } from '../session.ts';
import { SUMMARY } from '../summary.ts';

interface TableOptions {
  readonly table?: string;
}
interface CreateOptions extends TableOptions {
  readonly name: string;
  readonly role: string;
  readonly repository?: readonly string[];
  readonly expires?: string;
}

/** What to do about an error of the AWS SDK; the SDK's own sentence is kept. */
function awsError(error: unknown, table: string): CliError {
  const name = error instanceof Error ? error.name : '';
  const message = error instanceof Error ? error.message : String(error);
  if (name === 'ResourceNotFoundException')
    return new CliError(EXIT.notFound, 'no_table', `There is no table ${table} in this account and region.`, {
      hint: 'Take the name from the stack output TableName, and check AWS_REGION and AWS_PROFILE.',
    });
  if (/credential|token|region/i.test(`${name} ${message}`))
    return new CliError(EXIT.usage, 'no_aws_access', message, {
      hint: 'Sign in to the AWS account of the deployment first (AWS_PROFILE, AWS_REGION).',
    });
  return new CliError(EXIT.failed, 'aws', `${name}: ${message}`);
}

type Db = ReturnType<typeof import('../../shared/store/clients.ts').documentClient>;
type Tokens = typeof import('../../shared/store/operator-tokens.ts');

/** Does something with the table of a deployment. The SDK is loaded only here: no other command needs it. */
async function inTable<T>(table: string, act: (db: Db, tokens: Tokens) => Promise<T>): Promise<T> {
  const [{ documentClient }, tokens] = await Promise.all([
    import('../../shared/store/clients.ts'),
    import('../../shared/store/operator-tokens.ts'),
  ]);
  const db = documentClient();
  try {
    return await act(db, tokens);
  } catch (error) {
    throw awsError(error, table);
  } finally {
    db.destroy();
  }
}

function tableOf(options: { readonly table?: string }, session: Session): string {
  const table = options.table ?? session.io.env['ASSAY_TABLE'];
  if (!table)
    throw new CliError(EXIT.usage, 'no_table_name', 'Which table?', {
      hint: 'Give --table or ASSAY_TABLE: the stack output TableName of the deployment.',
    });
  return table;
}

const UNIT_MS = { h: 3_600_000, d: 86_400_000 } as const;

/** `12h` or `90d` from now. */
function expiry(text: string | undefined): Date | null {
  if (text === undefined) return null;
  const [, amount, unit] = /^([1-9]\d{0,3})([hd])$/.exec(text) ?? [];
  if (amount === undefined || unit === undefined)
    throw new CliError(
      EXIT.usage,
      'bad_expiry',
      '--expires must be hours or days from now, e.g. 12h or 90d.',
    );
  return new Date(Date.now() + Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS]);
}

/** In the form that tasks are stored with. */
const scopeOf = (url: string): string => {
  const read = readRepositoryUrl(url);
  if ('error' in read)
    throw new CliError(EXIT.usage, 'bad_repository', `--repository ${oneLine(url)}: ${read.error}.`);
  return read.href;
};

function operatorOf({ name: given, role, repository, expires }: CreateOptions): Operator {
  const name = oneLine(given);
  if (name === '' || name.length > 100)
    throw new CliError(EXIT.usage, 'bad_name', '--name must have 1 to 100 characters.');
  if (!isOperatorRole(role))
    throw new CliError(
      EXIT.usage,
      'bad_role',
      `--role ${oneLine(role)}: known are ${OPERATOR_ROLE_NAMES.join(', ')}.`,
    );
  if ((repository?.length ?? 0) > 20)
    throw new CliError(EXIT.usage, 'bad_repository', '--repository may be given 20 times at most.');
  return { name, role, repositories: (repository ?? []).map(scopeOf), expiresAt: expiry(expires) };
}

/** One token, as `--json` has it. */
const shown = ({ id, name, role, repositories, expiresAt, createdAt }: StoredToken) => ({
  ...{ id, name, role, repositories },
  created_at: createdAt,
  expires_at: expiresAt?.toISOString() ?? null,
});

const COLUMNS = [
  { title: 'ID' },
  { title: 'NAME', shrinkTo: 8 },
  { title: 'ROLE' },
  { title: 'REPOSITORIES', shrinkTo: 12 },
  { title: 'MADE', optional: true },
  { title: 'ENDS' },
];
const day = (iso: string | undefined): string => iso?.slice(0, 10) ?? 'never';
const row = (token: StoredToken): string[] => [
  token.id,
  token.name,
  token.role,
  token.repositories.join(' ') || 'all',
  day(token.createdAt),
  day(token.expiresAt?.toISOString()),
];

const TABLE_OPTION = ['--table <table>', 'the Tasks table (stack output TableName; or ASSAY_TABLE)'] as const;

function registerCreate(token: Command, io: Io): void {
  const command = token
    .command('create')
    .description('Make an operator token; it is shown once, and only its hash is stored')
    .requiredOption('--name <name>', 'whose it is: shown as the creator of tasks, and in reviews')
    .option('--role <role>', `what it may do: ${OPERATOR_ROLE_NAMES.join(', ')}`, 'admin')
    .option('--repository <url...>', 'only for tasks of this repository, or of those under it (default: all)')
    .option('--expires <time>', 'end of the token, from now: 12h, 90d (default: never)')
    .option(...TABLE_OPTION)
    .option(...JSON_OPTION);
  action<[CreateOptions]>(command, io, async (session, options) => {
    const table = tableOf(options, session);
    const operator = operatorOf(options);
    const made = await inTable(table, (db, tokens) => tokens.createOperatorToken(db, { table, operator }));
    const { name, role } = operator;
    if (session.json) session.printJson({ name, role, table, id: made.id, token: made.token });
    else {
      session.print(made.token);
      session.note('Keep it like a password: it is not shown again. Use it as ASSAY_TOKEN.');
    }
    return EXIT.ok;
  });
  examples(command, [
    ['token create --name you --table Assay-TasksTable', 'with the AWS credentials of the environment'],
    [
      'token create --name ci --role submit --repository https://github.com/acme --expires 90d --table Assay-TasksTable',
      'for a CI job of one organisation',
    ],
  ]);
}

function registerList(token: Command, io: Io): void {
  const command = token
    .command('list')
    .description('Whose tokens there are, what they may do, and when they end')
    .option(...TABLE_OPTION)
    .option(...JSON_OPTION);
  action<[TableOptions]>(command, io, async (session, options) => {
    const table = tableOf(options, session);
    const found = await inTable(table, (db, tokens) => tokens.listOperatorTokens(db, table));
    if (session.json) session.printJson({ tokens: found.map(shown) });
    else if (found.length === 0) session.note('There are no tokens. Make one with `assay token create`.');
    else session.print(renderTable(COLUMNS, found.map(row), session.io.stdout.columns, session.out.dim));
    return EXIT.ok;
  });
  examples(command, [['token list --table Assay-TasksTable', 'with the AWS credentials of the environment']]);
}

function registerRevoke(token: Command, io: Io): void {
  const command = token
    .command('revoke')
    .argument('<id-or-name>', 'of `assay token list`; by a name all tokens of that name')
    .description(`End a token: within ${AUTHORIZATION_SECONDS} seconds it opens nothing any more`)
    .option(...TABLE_OPTION)
    .option(...JSON_OPTION);
  action<[string, TableOptions]>(command, io, async (session, idOrName, options) => {
    const table = tableOf(options, session);
    const gone = await inTable(table, (db, tokens) => tokens.revokeOperatorTokens(db, table, idOrName));
    if (gone.length === 0)
      throw new CliError(EXIT.notFound, 'no_token', `There is no token ${oneLine(idOrName)}.`, {
        hint: 'See them with `assay token list`.',
      });
    if (session.json) session.printJson({ revoked: gone.map(shown) });
    else for (const each of gone) session.print(`${each.id}  ${oneLine(each.name)}  revoked`);
    return EXIT.ok;
  });
  examples(command, [['token revoke 3f9a1c0b77de --table Assay-TasksTable', 'one token']]);
}

export function registerToken(program: Command, io: Io): void {
  const token = program.command('token').description(SUMMARY.token);
  registerCreate(token, io);
  registerList(token, io);
  registerRevoke(token, io);
}
