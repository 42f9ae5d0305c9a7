import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from './build.ts';
import { buildStackName } from './deployment.ts';

/** A check of `assay doctor --aws --json`. */
export interface CheckResult {
  readonly check: string;
  readonly outcome: string;
  readonly detail: string;
  readonly advice: string | null;
}

export interface DeployArguments {
  /** For `cdk deploy`. */
  readonly cdk: readonly string[];
  readonly stack: string;
  /** Repository of the smoke test. @default - no smoke test */
  readonly repository: string | null;
  /** Whether the arguments choose models of their own: doctor knows only the default ones before the deployment. */
  readonly choosesModels: boolean;
}

/** `--repository URL` or `--repository=URL`. */
const REPOSITORY = /^--repository(?:=(.*))?$/s;
/** A context value in any form of the CDK: `-c name=…`, `--context name=…`, `--context=name=…`. */
const SETTING = /^(?:-c=?|--context=)?assay:(\w+)=(.*)$/s;

/**
 * Reads `[--repository URL]` and what `cdk deploy` takes, such as `-c assay:alarmEmail=…` or `--require-approval never`.
 * @throws Error for --repository without a URL
 */
export function parseDeployArguments(argv: readonly string[]): DeployArguments {
  const at = argv.findIndex((each) => REPOSITORY.test(each));
  const attached = REPOSITORY.exec(argv[at] ?? '')?.[1];
  const repository = at < 0 ? null : (attached ?? argv[at + 1] ?? '');
  if (repository === '' || repository?.startsWith('-'))
    throw new Error('--repository needs the URL of a repository.');
  const cdk = argv.toSpliced(at < 0 ? 0 : at, at < 0 ? 0 : attached === undefined ? 2 : 1);
  // As with the CDK, the last value of a name counts.
  const settings = new Map(
    cdk.flatMap((each) => {
      const [, name = '', value = ''] = SETTING.exec(each) ?? [];
      return name === '' ? [] : [[name, value] as const];
    }),
  );
  const stack = buildStackName({
    stackName: settings.get('stackName') ?? 'Assay',
    stage: settings.get('stage'),
  });
  const choosesModels = ['models', 'modelGateway', 'tierModels', 'defaultAdapter'].some((name) =>
    settings.has(name),
  );
  return { cdk, stack, repository, choosesModels };
}

/** Returns the outputs of the stack. @throws Error if the deployment was of another one, such as by `context` of cdk.json */
export function readDeployOutputs(
  text: string,
  stack: string,
): Readonly<Record<'ApiUrl' | 'TableName', string>> {
  const all = JSON.parse(text) as Readonly<Record<string, Readonly<Record<string, string>>>>;
  const { ApiUrl, TableName } = all[stack] ?? {};
  if (ApiUrl === undefined || TableName === undefined)
    throw new Error(
      `Deployed was ${Object.keys(all).join(', ') || 'nothing'} and not ${stack}: name it with -c assay:stackName=… and -c assay:stage=….`,
    );
  return { ApiUrl, TableName };
}

/** Checks without which a deployment, or its first task, would fail. */
const BLOCKING = ['credentials', 'bootstrap', 'ecs_role', 'model_access'];

/** Returns one sentence for each thing that would fail. */
export const listDeployProblems = (
  checks: readonly CheckResult[],
  { choosesModels }: DeployArguments,
): string[] =>
  checks
    .filter(({ check }) => BLOCKING.includes(check) && !(choosesModels && check === 'model_access'))
    .filter(({ outcome }) => outcome === 'missing')
    .map(
      ({ check, detail, advice }) => `${check}: ${detail}${advice === null ? '' : `. Do this: ${advice}`}`,
    );

/** Returns one sentence for each of these checks that could not be carried out: the deployment may still fail by it. */
export const listUncheckedPrerequisites = (checks: readonly CheckResult[]): string[] =>
  checks
    .filter(({ check, outcome }) => BLOCKING.includes(check) && outcome === 'could_not_run')
    .map(({ check, detail }) => `${check}: ${detail}`);

/** Runs a program, whose output is shown unless it is wanted. Returns its exit code and what it printed. */
async function run(
  program: string,
  argv: readonly string[],
  { captures = false, env = {} }: { readonly captures?: boolean; readonly env?: Record<string, string> } = {},
): Promise<{ readonly code: number; readonly text: string }> {
  const child = spawn(program, [...argv], {
    cwd: REPOSITORY_ROOT,
    env: { ...process.env, ...env },
    stdio: ['inherit', captures ? 'pipe' : 'inherit', 'inherit'],
  });
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, text }));
  });
}

const assay = (argv: readonly string[], options?: Parameters<typeof run>[2]) =>
  run(process.execPath, ['cli/assay.js', ...argv], options);

/** Of the token of the smoke test: nobody revokes it, so it may do no more and live no longer than that test. */
export const buildSmokeTokenCommand = (table: string): readonly string[] => [
  ...['token', 'create', '--name', 'deploy', '--role', 'submit', '--expires', '1h'],
  ...['--table', table, '--json'],
];

async function examine(stack: string): Promise<readonly CheckResult[]> {
  const { text } = await assay(['doctor', '--aws', '--fix', '--stack', stack, '--json'], { captures: true });
  return (JSON.parse(text) as { readonly checks: readonly CheckResult[] }).checks;
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(argv: readonly string[]): Promise<number> {
  const given = parseDeployArguments(argv);
  say('1 of 3: assay doctor --aws --fix');
  const checks = await examine(given.stack);
  const problems = listDeployProblems(checks, given);
  const unchecked = listUncheckedPrerequisites(checks);
  if (unchecked.length > 0)
    say(`This could not be checked, and may fail:\n${unchecked.map((each) => `- ${each}`).join('\n')}`);
  if (problems.length > 0) {
    say(`Nothing was deployed, because this would fail:\n${problems.map((each) => `- ${each}`).join('\n')}`);
    return 1;
  }
  say('2 of 3: cdk deploy');
  const folder = mkdtempSync(join(tmpdir(), 'assay-deploy-'));
  let text: string;
  try {
    const outputs = join(folder, 'outputs.json');
    const cdk = join(REPOSITORY_ROOT, 'node_modules/aws-cdk/bin/cdk');
    const { code } = await run(process.execPath, [cdk, 'deploy', '--outputs-file', outputs, ...given.cdk]);
    if (code !== 0) return code;
    text = readFileSync(outputs, 'utf8');
  } finally {
    rmSync(folder, { recursive: true });
  }
  const { ApiUrl: url, TableName: table } = readDeployOutputs(text, given.stack);
  // Again, because only now there is a table to protect, and images, secrets and subscriptions to look at.
  for (const { check, outcome, detail, advice } of await examine(given.stack))
    if (outcome !== 'ok') say(`${outcome} ${check}: ${detail}${advice === null ? '' : `. ${advice}`}`);
  const smoke = `assay token create --name you --table ${table}; assay smoke --repository <a repository of yours>`;
  if (given.repository === null) {
    say(`3 of 3: no smoke test without --repository. ASSAY_URL=${url}; next: ${smoke}`);
    return 0;
  }
  say('3 of 3: assay smoke');
  const made = await assay(buildSmokeTokenCommand(table), { captures: true });
  if (made.code !== 0) return made.code;
  const { token } = JSON.parse(made.text) as { readonly token: string };
  return (
    await assay(['smoke', '--repository', given.repository], { env: { ASSAY_URL: url, ASSAY_TOKEN: token } })
  ).code;
}

if (import.meta.main)
  process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  });
