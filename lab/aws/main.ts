import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { SKIPPED_EXIT_CODE } from '../../test/checks/check-steps.ts';
import { findProgram } from '../../test/support/test-tools.ts';
import { type BuiltImages, openBuiltImages, writeBuiltImages } from './engine/built-images.ts';
import { createCertificates } from './machine/certificates.ts';
import {
  EMULATED_REGION,
  ENDPOINT_OVERRIDES,
  getRunFiles,
  ROOT_CREDENTIALS,
  RUN_FOLDER_VARIABLE,
  type RunFiles,
} from './machine/run-environment.ts';
import { installPythonTool, type PythonTool } from './python-tools.ts';

const ROOT = join(import.meta.dirname, '../..');
const HELP = `Deploys the template on an emulator of AWS that checks permissions, runs the demo's tasks there, and has linters read the template.

  npm run test:aws                     all of it, some minutes
  npm run test:aws -- <text> …         only the files whose name contains one of the texts
  npm run test:aws -- --keep <folder>  logs of emulator, boxes and deployment stay there

Exit codes: 0 all is well, 1 something is not, 2 wrong usage, ${SKIPPED_EXIT_CODE}: it cannot run here.
`;

/** A machine of its own: network, mounts and processes. What it started ends with it, and it can reach nothing but itself. */
const MACHINE = ['--mount', '--net', '--pid', '--fork', '--kill-child', '--mount-proc'];
const PROGRAMS = ['python3', 'unshare', 'setpriv', 'ip', 'openssl', 'git', 'mount'];
const TOOLS: readonly PythonTool[] = ['emulator', 'cfn-lint', 'checkov'];

/** Why the emulator cannot run here; null when it can. */
function hindrance(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it needs Linux and root';
  const missing = PROGRAMS.filter((program) => findProgram(program) === null);
  if (missing.length > 0) return `it needs ${missing.join(', ')}`;
  try {
    execFileSync('unshare', [...MACHINE, 'true'], { stdio: 'ignore' });
  } catch {
    return 'this machine grants no namespaces';
  }
  const absent = TOOLS.filter((tool) => !installPythonTool(tool));
  return absent.length === 0 ? null : `the registry did not give ${absent.join(', ')}`;
}

function main(): number {
  const { values, positionals } = parseArgs({
    options: { help: { type: 'boolean' }, keep: { type: 'string' } },
    allowPositionals: true,
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const why = hindrance();
  if (why !== null) {
    process.stdout.write(`SKIPPED the template on an emulator of AWS: ${why}\n`);
    return SKIPPED_EXIT_CODE;
  }
  const kept = values.keep === undefined ? null : resolve(values.keep);
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'assay-aws-'));
  try {
    mkdirSync(folder, { recursive: true });
    const files = getRunFiles(folder);
    createCertificates(files);
    const { images, close } = openBuiltImages(files);
    try {
      writeBuiltImages(files, images);
      process.stdout.write(describeBuiltImages(images));
      return runTests(files, positionals);
    } finally {
      close();
    }
  } finally {
    if (kept === null) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Says where containers run; a line that begins with SKIPPED is counted by `npm run check`. */
const describeBuiltImages = ({ missing, toolchain }: BuiltImages): string =>
  missing !== null
    ? `SKIPPED containers inside the built images: ${missing}\n`
    : `containers and delivery run inside the built images${toolchain === null ? '' : `, and a task on the toolchain ${toolchain}`}\n`;

function runTests(files: RunFiles, only: readonly string[]): number {
  mkdirSync(files.home, { recursive: true });
  const vitest = join(ROOT, 'node_modules/.bin/vitest');
  const config = join(import.meta.dirname, 'vitest.config.ts');
  const ran = spawnSync(
    'unshare',
    [...MACHINE, vitest, 'run', '--config', config, '--reporter=verbose', ...only],
    {
      cwd: ROOT,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        PATH: process.env['PATH'] ?? '',
        NO_COLOR: '1',
        ...(process.env['ASSAY_EMULATOR_LOG'] && { ASSAY_EMULATOR_LOG: process.env['ASSAY_EMULATOR_LOG'] }),
        HOME: files.home,
        [RUN_FOLDER_VARIABLE]: files.folder,
        AWS_REGION: EMULATED_REGION,
        AWS_ACCESS_KEY_ID: ROOT_CREDENTIALS.accessKeyId,
        AWS_SECRET_ACCESS_KEY: ROOT_CREDENTIALS.secretAccessKey,
        NODE_EXTRA_CA_CERTS: files.ca,
        ...ENDPOINT_OVERRIDES,
        // It is never asked: the emulator says of each image that it is there (lacks.aws.ts).
        CDK_DOCKER: 'false',
      },
    },
  );
  return ran.status ?? 1;
}

process.exitCode = main();
