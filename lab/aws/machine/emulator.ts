import { spawn } from 'node:child_process';
import { mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { getToolBinFolder } from '../python-tools.ts';
import { EMULATED_ACCOUNT, EMULATED_REGION, ROOT_CREDENTIALS, type RunFiles } from './run-environment.ts';

const START_MS = 60_000;

/**
 * Starts the emulator with its permission checks on, over TLS, on the port and under the names that AWS has. It runs functions as
 * processes of this machine's Node, and boxes through what it takes for Docker.
 * Nothing of it is worth keeping at the end.
 */
export async function startEmulator(files: RunFiles): Promise<{ stop(): void }> {
  mkdirSync(files.emulator, { recursive: true });
  // Its worker scripts are CommonJS, also where this folder lies in a package of modules.
  writeFileSync(join(files.emulator, 'package.json'), '{}\n');
  const log = openSync(files.emulatorLog, 'a');
  const child = spawn(join(getToolBinFolder('emulator'), 'ministack'), [], {
    cwd: files.emulator,
    stdio: ['ignore', log, log],
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: files.emulator,
      TMPDIR: files.emulator,
      AUTH: 'true',
      BIND_HOST: '127.0.0.1',
      // With TLS it listens on 443 in addition, which is where AWS is.
      GATEWAY_PORT: '4566',
      MINISTACK_HOST: `${EMULATED_REGION}.amazonaws.com`,
      MINISTACK_ACCOUNT_ID: EMULATED_ACCOUNT,
      MINISTACK_REGION: EMULATED_REGION,
      USE_SSL: '1',
      MINISTACK_SSL_CERT: files.certificate,
      MINISTACK_SSL_KEY: files.key,
      S3_DATA_DIR: join(files.emulator, 's3'),
      STATE_DIR: join(files.emulator, 'state'),
      LOG_LEVEL: process.env['ASSAY_EMULATOR_LOG'] ?? 'INFO',
      DOCKER_HOST: `unix://${files.dockerSocket}`,
      AWS_ACCESS_KEY_ID: ROOT_CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: ROOT_CREDENTIALS.secretAccessKey,
      // Empty, and so not set by the emulator either: functions call the names of AWS, as they do there.
      AWS_ENDPOINT_URL: '',
      NODE_EXTRA_CA_CERTS: files.ca,
    },
  });
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code) => resolve(`exit code ${code}`));
  });
  let over: string | null = null;
  void ended.then((how) => {
    over = how;
  });
  const limit = Date.now() + START_MS;
  // A server says by answering that it is there, and by nothing else.
  while (!(await answers())) {
    if (over !== null) throw new Error(`the emulator has ended: ${String(over)}; see ${files.emulatorLog}`);
    if (Date.now() > limit) throw new Error(`the emulator did not start; see ${files.emulatorLog}`);
    await pause(100);
  }
  return { stop: () => void child.kill('SIGKILL') };
}

const answers = (): Promise<boolean> =>
  fetch('https://127.0.0.1/_ministack/health').then(
    (response) => response.ok,
    () => false,
  );
