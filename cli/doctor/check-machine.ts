import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AGENT_CLI_MANIFESTS, DEFAULT_AGENT_CLI } from '../../shared/contract/agents/adapter-manifests.ts';
import { readAssayConfig } from '../check/check-inputs.ts';
import {
  createAttentionFinding,
  createMissingFinding,
  createOkFinding,
  type DoctorCheck,
  type DoctorFinding,
  performDoctorCheck,
} from './doctor-check.ts';

const run = promisify(execFile);

/** Returns the first line that a program prints for its version; null: not installed. */
async function installedVersion(
  program: string,
  argv: readonly string[] = ['--version'],
): Promise<string | null> {
  try {
    const { stdout, stderr } = await run(program, [...argv], { timeout: 10_000 });
    return (stdout || stderr).trim().split('\n', 1)[0] ?? '';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

async function checkGit(): Promise<DoctorFinding> {
  const version = await installedVersion('git');
  if (version === null)
    return createMissingFinding(
      'git is not installed',
      'Install it: `apt install git`, `brew install git`, git-scm.com.',
    );
  const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(version) ?? [];
  return Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 38)
    ? createOkFinding(version)
    : createAttentionFinding(version, 'Merges without a checkout need git 2.38 or later.');
}

async function checkRepository(folder: string): Promise<DoctorFinding> {
  try {
    await run('git', ['-C', folder, 'rev-parse', '--git-dir'], { timeout: 10_000 });
    return createOkFinding(`${folder} is in a git repository`);
  } catch {
    return createAttentionFinding(
      `${folder} is in no git repository`,
      'Run it in the repository of the tasks, or run `git init`.',
    );
  }
}

async function checkConfiguration(folder: string): Promise<DoctorFinding> {
  if (!existsSync(join(folder, 'assay.yaml')))
    return createAttentionFinding('there is no assay.yaml', '`assay init` proposes one for the repository.');
  try {
    await readAssayConfig(folder);
    return createOkFinding('assay.yaml is valid');
  } catch (error) {
    return createMissingFinding(
      `assay.yaml is not valid: ${error instanceof Error ? error.message : String(error)}`,
      'docs/reference/configuration.md lists every key; `assay check` names each invalid one.',
    );
  }
}

/** Returns the check of a program that only some commands need. */
const checkOptionalProgram =
  (program: string, purpose: string, advice: string, argv?: readonly string[]) =>
  async (): Promise<DoctorFinding> => {
    const version = await installedVersion(program, argv);
    return version === null
      ? createAttentionFinding(`${program} is not installed: ${purpose}`, advice)
      : createOkFinding(version);
  };

async function checkDuckdb(): Promise<DoctorFinding> {
  try {
    await import('@duckdb/node-api');
    return createOkFinding('@duckdb/node-api is installed');
  } catch {
    return createAttentionFinding(
      '@duckdb/node-api is not installed: `assay query` needs it',
      '`npm install @duckdb/node-api` beside Assay; `--athena` does not need it.',
    );
  }
}

const defaultCli = AGENT_CLI_MANIFESTS[DEFAULT_AGENT_CLI].install;

/** Checks this machine and a folder. Changes nothing. */
export const checkLocalMachine = (folder: string): Promise<DoctorCheck[]> =>
  Promise.all([
    performDoctorCheck('node', async () => createOkFinding(`Node ${process.versions.node}`)),
    performDoctorCheck('git', checkGit),
    performDoctorCheck('repository', () => checkRepository(folder)),
    performDoctorCheck('configuration', () => checkConfiguration(folder)),
    performDoctorCheck('duckdb', checkDuckdb),
    performDoctorCheck(
      'docker',
      checkOptionalProgram(
        'docker',
        'deployments that build images need it',
        'docs.docker.com/get-docker; nothing else needs it.',
      ),
    ),
    performDoctorCheck(
      defaultCli.program,
      checkOptionalProgram(
        defaultCli.program,
        'tasks on this machine need an agent CLI',
        `\`npm install -g ${defaultCli.package}\`, or another one of \`assay adapters list\`.`,
      ),
    ),
  ]);
