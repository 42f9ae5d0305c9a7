import type { Command } from 'commander';
import { action, examples, JSON_OPTION } from '../command.ts';
import { CliError, EXIT } from '../exit.ts';
import type { Io } from '../io.ts';
import { oneLine } from '../output/text.ts';

interface Options {
  readonly name: string;
  readonly table?: string;
}

/** What to do about an error of the AWS SDK; the SDK's own sentence is kept. */
function awsError(error: unknown, table: string): CliError {
  const name = error instanceof Error ? error.name : '';
  const message = error instanceof Error ? error.message : String(error);
  if (name === 'ResourceNotFoundException')
    return new CliError(
      EXIT.notFoundOrRefer,
      'no_table',
      `There is no table ${table} in this account and region.`,
      {
        hint: 'Take the name from the stack output TableName, and check AWS_REGION and AWS_PROFILE.',
      },
    );
  if (/credential|token|region/i.test(`${name} ${message}`))
    return new CliError(EXIT.usage, 'no_aws_access', message, {
      hint: 'Sign in to the AWS account of the deployment first (AWS_PROFILE, AWS_REGION).',
    });
  return new CliError(EXIT.failed, 'aws', `${name}: ${message}`);
}

/** Stores the token's hash in the table. The SDK is loaded only here: no other command needs it. */
async function create(table: string, name: string): Promise<string> {
  const [{ documentClient }, { createOperatorToken }] = await Promise.all([
    import('../../shared/store/clients.ts'),
    import('../../shared/store/operator-tokens.ts'),
  ]);
  const db = documentClient();
  try {
    return (await createOperatorToken(db, { table, name })).token;
  } catch (error) {
    throw awsError(error, table);
  } finally {
    db.destroy();
  }
}

export function registerToken(program: Command, io: Io): void {
  const token = program.command('token').description('Operator tokens of a deployment');
  const command = token
    .command('create')
    .description('Make an operator token; it is shown once, and only its hash is stored')
    .requiredOption('--name <name>', 'whose it is: shown as the creator of tasks, and in reviews')
    .option('--table <table>', 'the Tasks table (stack output TableName; or ASSAY_TABLE)')
    .option(...JSON_OPTION);
  action<[Options]>(command, io, async (session, options) => {
    const table = options.table ?? session.io.env['ASSAY_TABLE'];
    const name = oneLine(options.name);
    if (!table)
      throw new CliError(EXIT.usage, 'no_table_name', 'Which table?', {
        hint: 'Give --table or ASSAY_TABLE: the stack output TableName of the deployment.',
      });
    if (name === '' || name.length > 100)
      throw new CliError(EXIT.usage, 'bad_name', '--name must have 1 to 100 characters.');
    const created = await create(table, name);
    if (session.json) session.printJson({ name, table, token: created });
    else {
      session.print(created);
      session.note('Keep it like a password: it is not shown again. Use it as ASSAY_TOKEN.');
    }
    return EXIT.ok;
  });
  examples(command, [
    ['token create --name ci --table Assay-TasksTable', 'with the AWS credentials of the environment'],
  ]);
}
