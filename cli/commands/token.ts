import { AUTHORIZER_CACHE_SECONDS } from '../../shared/api/api-gateway.ts';
import { OPERATOR_ROLE_NAMES, type OperatorRole } from '../../shared/contract/access/rights.ts';
import { parseRepositoryUrl } from '../../shared/contract/repository/repository-url.ts';
import type { ItemTable } from '../../shared/store/item-table.ts';
import type { OperatorIdentity, StoredOperatorToken } from '../../shared/store/operator-tokens.ts';
import { type ConnectionFile, readTrustedConnectionFile } from '../connection.ts';
import { CLI_EXIT_CODES, CliError } from '../exit.ts';
import { START_STACK_COMMAND } from '../installation.ts';
import { defineLocalCommand } from '../local-command.ts';
import type { LocalCommandSession } from '../local-session.ts';
import { toOneLine } from '../output/text.ts';
import { defineArgument, defineOption, type OptionParser } from '../parameters.ts';

/** Adds to an error of the AWS SDK what to do about it; its own message is kept. */
function awsError(error: unknown, table: string): CliError {
  const name = error instanceof Error ? error.name : '';
  const message = error instanceof Error ? error.message : String(error);
  if (name === 'ResourceNotFoundException')
    return new CliError(
      CLI_EXIT_CODES.notFound,
      'no_table',
      `There is no table ${table} in this account and region.`,
      {
        hint: 'Take the name from the stack output TableName, and check AWS_REGION and AWS_PROFILE.',
      },
    );
  if (/credential|token|region/i.test(`${name} ${message}`))
    return new CliError(CLI_EXIT_CODES.usage, 'no_aws_access', message, {
      hint: 'Sign in to the AWS account of the deployment first (AWS_PROFILE, AWS_REGION).',
    });
  return new CliError(CLI_EXIT_CODES.failed, 'aws', `${name}: ${message}`);
}

type Tokens = typeof import('../../shared/store/operator-tokens.ts');

/** The table with the tokens. */
interface TokenTable {
  readonly name: string;
  /** The running embedded stack that has it; null: a deployment, reached with the AWS credentials of the environment. */
  readonly stack: ConnectionFile | null;
}

/** Runs a function with the table. The SDK is loaded only here: no other command needs it. */
async function withTable<T>(
  { name: table, stack }: TokenTable,
  act: (items: ItemTable, tokens: Tokens) => Promise<T>,
): Promise<T> {
  const [{ DynamoDBClient }, { createDocumentClient }, { ItemTable }, tokens] = await Promise.all([
    import('@aws-sdk/client-dynamodb'),
    import('../../shared/store/document-client.ts'),
    import('../../shared/store/item-table.ts'),
    import('../../shared/store/operator-tokens.ts'),
  ]);
  const db = createDocumentClient(
    stack === null
      ? undefined
      : new DynamoDBClient({
          endpoint: stack.dynamodb_url,
          region: 'us-east-1',
          credentials: { accessKeyId: stack.access_key_id, secretAccessKey: stack.secret_access_key },
        }),
  );
  try {
    return await act(new ItemTable(db, table), tokens);
  } catch (error) {
    throw awsError(error, table);
  } finally {
    db.destroy();
  }
}

/**
 * Returns the table of `--table` or ASSAY_TABLE, else that of the stack of `assay up` in this folder.
 * @throws CliError if there is none
 */
function findTable(option: string | undefined, { io }: LocalCommandSession): TokenTable {
  const name = option ?? io.env['ASSAY_TABLE'];
  if (name) return { name, stack: null };
  const stack = readTrustedConnectionFile(io.cwd);
  if (stack !== null) return { name: stack.table, stack };
  throw new CliError(CLI_EXIT_CODES.usage, 'no_table_name', 'No table is named.', {
    hint: `Give --table or ASSAY_TABLE: the stack output TableName of the deployment. For an embedded stack, run this in the folder of ${START_STACK_COMMAND}.`,
  });
}

const UNIT_MS = { h: 3_600_000, d: 86_400_000 } as const;

/** Reads a lifetime from now, such as 12h or 90d. */
const expiry: OptionParser<Date> = (text) => {
  const [, amount, unit] = /^([1-9]\d{0,3})([hd])$/.exec(text) ?? [];
  if (amount === undefined || unit === undefined)
    throw new CliError(
      CLI_EXIT_CODES.usage,
      'bad_expiry',
      '--expires must be hours or days from now, e.g. 12h or 90d.',
    );
  return new Date(Date.now() + Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS]);
};

/** A repository URL in the form that tasks are stored with. */
const normalizedUrl = (url: string): string => {
  const parsed = parseRepositoryUrl(url);
  if ('error' in parsed)
    throw new CliError(
      CLI_EXIT_CODES.usage,
      'bad_repository',
      `--repository ${toOneLine(url)}: ${parsed.error}.`,
    );
  return parsed.href;
};

interface OperatorOptions {
  readonly name: string;
  readonly role: OperatorRole;
  readonly repositories: readonly string[] | undefined;
  readonly expires: Date | undefined;
}

function validOperator({ name: given, role, repositories = [], expires }: OperatorOptions): OperatorIdentity {
  const name = toOneLine(given);
  if (name === '' || name.length > 100)
    throw new CliError(CLI_EXIT_CODES.usage, 'bad_name', '--name must have 1 to 100 characters.');
  if (repositories.length > 20)
    throw new CliError(CLI_EXIT_CODES.usage, 'bad_repository', '--repository may be given at most 20 times.');
  return { name, role, repositories: repositories.map(normalizedUrl), expiresAt: expires ?? null };
}

/** A token as `--json` prints it. */
const tokenJson = ({ id, name, role, repositories, expiresAt, createdAt }: StoredOperatorToken) => ({
  ...{ id, name, role, repositories },
  created_at: createdAt,
  expires_at: expiresAt?.toISOString() ?? null,
});

const COLUMNS = [
  { title: 'ID' },
  { title: 'NAME', shrinkTo: 8 },
  { title: 'ROLE' },
  { title: 'REPOSITORIES', shrinkTo: 12 },
  { title: 'CREATED', optional: true },
  { title: 'EXPIRES' },
];
const day = (iso: string | undefined): string => iso?.slice(0, 10) ?? 'never';
const tokenCells = (token: StoredOperatorToken): string[] => [
  token.id,
  token.name,
  token.role,
  token.repositories.join(' ') || 'all',
  day(token.createdAt),
  day(token.expiresAt?.toISOString()),
];

const TABLE = defineOption(
  '--table <table>',
  'the Tasks table (stack output TableName; or ASSAY_TABLE; else that of `assay up` in this folder)',
);

/** `token`: operator tokens. */
export const tokenCommands = [
  defineLocalCommand({
    name: 'token create',
    description: 'Create an operator token; it is printed once, and only its hash is stored',
    options: {
      name: defineOption('--name <name>', 'owner: shown as the creator of tasks and in reviews', {
        required: true,
      }),
      role: defineOption('--role <role>', 'role of the token', {
        choices: OPERATOR_ROLE_NAMES,
        default: 'admin',
      }),
      repositories: defineOption(
        '--repository <url...>',
        'only for tasks of this repository, or of repositories below the URL (default: all)',
      ),
      expires: defineOption('--expires <time>', 'lifetime from now: 12h, 90d (default: never expires)', {
        parse: expiry,
      }),
      table: TABLE,
    },
    json: '`--json` prints `{"name": string, "role": string, "table": string, "id": string, "token": string}`.',
    examples: [
      ['token create --name reviewer --role review', 'for the stack of `assay up` in this folder'],
      ['token create --name you --table Assay-TasksTable', 'with the AWS credentials of the environment'],
      [
        'token create --name ci --role submit --repository https://github.com/acme --expires 90d --table Assay-TasksTable',
        'for a CI job of one organisation',
      ],
    ],
    run: async (session, options) => {
      const table = findTable(options.table, session);
      const operator = validOperator(options);
      const { id, token } = await withTable(table, (items, tokens) =>
        tokens.createOperatorToken(items, operator),
      );
      const { name, role } = operator;
      session.show({ name, role, table: table.name, id, token }, () => ({
        text: token,
        note: 'Keep it like a password: it is not shown again. Use it as ASSAY_TOKEN.',
      }));
      return undefined;
    },
  }),
  defineLocalCommand({
    name: 'token list',
    description: 'List the tokens: owner, role, and expiry',
    options: { table: TABLE },
    json: '`--json` prints `{"tokens": [{"id", "name", "role", "repositories", "created_at", "expires_at"}]}`; `repositories` is empty for all, `expires_at` is `null` for never.',
    examples: [['token list --table Assay-TasksTable', 'with the AWS credentials of the environment']],
    run: async (session, options) => {
      const table = findTable(options.table, session);
      const found = await withTable(table, (items, tokens) => tokens.listOperatorTokens(items));
      session.show({ tokens: found.map(tokenJson) }, () =>
        found.length === 0
          ? { note: 'There are no tokens. Create one with `assay token create`.' }
          : session.table(COLUMNS, found.map(tokenCells)),
      );
      return undefined;
    },
  }),
  defineLocalCommand({
    name: 'token revoke',
    description: `Revoke a token: it is refused within ${AUTHORIZER_CACHE_SECONDS} seconds`,
    arguments: {
      idOrName: defineArgument(
        '<id-or-name>',
        'id of `assay token list`; a name revokes all tokens of that name',
      ),
    },
    options: { table: TABLE },
    json: '`--json` prints `{"revoked": […]}`, each as in `token list`.',
    examples: [['token revoke 3f9a1c0b77de --table Assay-TasksTable', 'one token']],
    run: async (session, { idOrName, table: option }) => {
      const table = findTable(option, session);
      const revoked = await withTable(table, (items, tokens) => tokens.revokeOperatorTokens(items, idOrName));
      if (revoked.length === 0)
        throw new CliError(CLI_EXIT_CODES.notFound, 'no_token', `There is no token ${toOneLine(idOrName)}.`, {
          hint: '`assay token list` lists the tokens.',
        });
      session.show({ revoked: revoked.map(tokenJson) }, () =>
        revoked.map(({ id, name }) => `${id}  ${toOneLine(name)}  revoked`).join('\n'),
      );
      return undefined;
    },
  }),
];
