import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunFiles } from '../machine/run-environment.ts';
import type { ImageSource } from './image-source.ts';
import type { Confinement } from './task-confinement.ts';

export interface ContainerRequest {
  readonly id: string;
  readonly image: ImageSource;
  readonly command: readonly string[];
  readonly environment: readonly string[];
  readonly confinement: Confinement;
}

export interface ContainerProcess {
  readonly startedAt: string;
  exitCode: number | null;
  readonly ended: Promise<number>;
  /** SIGTERM, and SIGKILL for all of the box after so many milliseconds; 0: at once. */
  stop(graceMs: number): void;
}

const AGENT = join(import.meta.dirname, '../../../cli/demo/agent');
/** File with the authorities that an image trusts. */
export const SYSTEM_BUNDLE = '/etc/ssl/certs/ca-certificates.crt';
/** The users that the images make. */
const USERS = Array.from(
  { length: 64 },
  (_, n) => `work${10_001 + n}:x:${10_001 + n}:${10_001 + n}::/nonexistent:/bin/bash`,
);

/** Arguments of `unshare` for `container.sh`, which starts a program in mounts and processes of its own. */
export const UNSHARED_CONTAINER = [
  ...['--mount', '--pid', '--fork', '--kill-child', '--mount-proc'],
  join(import.meta.dirname, 'container.sh'),
];

/** Starts a container with its output in `boxes/<id>.log`. */
export function startContainerProcess(files: RunFiles, request: ContainerRequest): ContainerProcess {
  const scratch = join(files.boxes, request.id);
  mkdirSync(scratch, { recursive: true });
  const passwd = join(files.folder, 'passwd');
  writeFileSync(passwd, `${readFileSync('/etc/passwd', 'utf8')}${USERS.join('\n')}\n`);
  const { confinement, image } = request;
  const program = confinement.entryPoint.length > 0 ? confinement.entryPoint : image.entryPoint;
  const child = spawn('unshare', [...UNSHARED_CONTAINER, ...program, ...request.command], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    env: {
      PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
      SCRATCH: scratch,
      IMAGE: image.root,
      APP: image.app ?? '',
      NODE: process.execPath,
      PASSWD: passwd,
      AGENT,
      CA_BUNDLE: files.caBundle,
      CAPABILITIES: confinement.capabilities,
      READ_ONLY: String(confinement.readOnly),
      WRITABLE: confinement.writable.join(','),
      WORKDIR: image.workdir,
    },
  });
  const log = createWriteStream(`${scratch}.log`);
  child.stdout?.pipe(log, { end: false });
  child.stderr?.pipe(log, { end: false });
  const variables = [
    'HOME=/root',
    ...image.environment,
    // An image's Node trusts the authority of this run, as its git does.
    ...(image.app === null ? [`NODE_EXTRA_CA_CERTS=${SYSTEM_BUNDLE}`] : []),
    ...confinement.secrets,
    ...request.environment,
  ];
  const pipe = child.stdio[3];
  if (pipe && 'end' in pipe) pipe.end(variables.map((each) => `${each}\0`).join(''));
  const box: ContainerProcess = {
    startedAt: new Date().toISOString(),
    exitCode: null,
    ended: new Promise((resolve) => {
      child.once('close', (code, signal) => {
        box.exitCode = code ?? (signal === 'SIGTERM' ? 143 : 137);
        log.end();
        resolve(box.exitCode);
      });
    }),
    stop: (graceMs) => stop(child, graceMs),
  };
  return box;
}

/** `unshare` hands no signal on; its child is process 1 of the box. */
function stop(child: ChildProcess, graceMs: number): void {
  const kill = (): void => {
    child.kill('SIGKILL');
  };
  if (graceMs === 0) {
    kill();
    return;
  }
  const [first] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').split(' ');
  if (first) process.kill(Number(first), 'SIGTERM');
  setTimeout(kill, graceMs).unref();
}
