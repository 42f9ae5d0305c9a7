import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EMULATED_ACCOUNT, EMULATED_REGION, type RunFiles } from '../machine/run-environment.ts';
import { replaceImageFunctions } from './image-functions.ts';
import { RESOURCE_GAPS, type TemplateResource } from './resource-gaps.ts';

/** What the bootstrap makes for images. */
export const BOOTSTRAP_REPOSITORY = `cdk-hnb659fds-container-assets-${EMULATED_ACCOUNT}-${EMULATED_REGION}`;

const ROOT = join(import.meta.dirname, '../../..');

/** Runs the CDK's command line as docs/how-to/deploy.md says it is run. @throws Error with the end of what it printed. */
export async function runCdk(files: RunFiles, ...args: string[]): Promise<string> {
  const log = createWriteStream(files.deployLog, { flags: 'a' });
  const child = spawn(join(ROOT, 'node_modules/.bin/cdk'), args, {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, CDK_DISABLE_CLI_TELEMETRY: 'true', CI: 'true' },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
      log.write(chunk);
    });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  log.end();
  if (code !== 0) throw new Error(`cdk ${args.join(' ')} ended with ${code}:\n${output.slice(-4_000)}`);
  return output;
}

export const bootstrapAccount = (files: RunFiles): Promise<string> =>
  runCdk(files, 'bootstrap', `aws://${EMULATED_ACCOUNT}/${EMULATED_REGION}`, '--no-notices');

/** Deploys the stack with settings, without what the emulator does not know. @returns its outputs. */
export async function deployStack(
  files: RunFiles,
  settings: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const context = Object.entries(settings).flatMap(([name, value]) => ['--context', `${name}=${value}`]);
  await runCdk(files, 'synth', '--quiet', '--strict', '--no-notices', '--output', files.assembly, ...context);
  const template = join(files.assembly, 'Assay.template.json');
  await copyFile(template, files.template);
  const whole = withoutLacking(JSON.parse(await readFile(template, 'utf8')) as Template);
  await writeFile(template, JSON.stringify(await replaceImageFunctions(files, whole)));
  const outputs = join(files.folder, 'outputs.json');
  await runCdk(
    files,
    'deploy',
    ...['--app', files.assembly, '--require-approval', 'never', '--no-notices', '--outputs-file', outputs],
  );
  const { Assay } = JSON.parse(await readFile(outputs, 'utf8')) as { Assay: Record<string, string> };
  return Assay;
}

interface Template {
  readonly Resources: Record<string, TemplateResource>;
}
const withoutLacking = (template: Template): Template => ({
  ...template,
  Resources: Object.fromEntries(
    Object.entries(template.Resources).filter(
      ([, resource]) => !RESOURCE_GAPS.some(({ matches }) => matches(resource)),
    ),
  ),
});
