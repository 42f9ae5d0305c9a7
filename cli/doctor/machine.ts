import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { configIn } from '../check/options.ts';
import { attention, type CheckResult, type Finding, look, missing, ok } from './check.ts';

const run = promisify(execFile);

/** First line of what a program says of its version; null when it is not here. */
async function versionOf(program: string, argv: readonly string[] = ['--version']): Promise<string | null> {
  try {
    const { stdout, stderr } = await run(program, [...argv], { timeout: 10_000 });
    return (stdout || stderr).trim().split('\n', 1)[0] ?? '';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

async function git(): Promise<Finding> {
  const said = await versionOf('git');
  if (said === null)
    return missing('git is not here', 'Install it: `apt install git`, `brew install git`, git-scm.com.');
  const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(said) ?? [];
  return Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 38)
    ? ok(said)
    : attention(said, 'Merges without a checkout need git 2.38 or later.');
}

async function repository(folder: string): Promise<Finding> {
  try {
    await run('git', ['-C', folder, 'rev-parse', '--git-dir'], { timeout: 10_000 });
    return ok(`${folder} is in a git repository`);
  } catch {
    return attention(
      `${folder} is in no git repository`,
      'Run it in the repository that is to be judged, or `git init`.',
    );
  }
}

async function configuration(folder: string): Promise<Finding> {
  if (!existsSync(join(folder, 'assay.yaml')))
    return attention('there is no assay.yaml', '`assay init` looks at the repository and proposes one.');
  try {
    await configIn(folder);
    return ok('assay.yaml is valid');
  } catch (error) {
    return missing(
      `assay.yaml is wrong: ${error instanceof Error ? error.message : String(error)}`,
      'docs/configuration.md has every key; `assay check` names each that is refused.',
    );
  }
}

/** A program that some commands need, and how one gets it. */
const optional =
  (program: string, what: string, how: string, argv?: readonly string[]) => async (): Promise<Finding> => {
    const said = await versionOf(program, argv);
    return said === null ? attention(`${program} is not here: ${what}`, how) : ok(said);
  };

async function duckdb(): Promise<Finding> {
  try {
    await import('@duckdb/node-api');
    return ok('@duckdb/node-api is here');
  } catch {
    return attention(
      '@duckdb/node-api is not here: `assay query` asks records with it',
      '`npm install @duckdb/node-api` beside Assay; `--athena` does without.',
    );
  }
}

/** Looks at this machine and folder, and changes nothing. */
export const examineMachine = (folder: string): Promise<CheckResult[]> =>
  Promise.all([
    look('node', async () => ok(`Node ${process.versions.node}`)),
    look('git', git),
    look('repository', () => repository(folder)),
    look('configuration', () => configuration(folder)),
    look('duckdb', duckdb),
    look(
      'docker',
      optional(
        'docker',
        'a deploy that builds images needs it',
        'docs.docker.com/get-docker; nothing else needs it.',
      ),
    ),
    look(
      'claude',
      optional(
        'claude',
        'tasks that this machine does need an agent',
        '`npm install -g @anthropic-ai/claude-code`; or another of `assay adapters list`.',
      ),
    ),
  ]);
