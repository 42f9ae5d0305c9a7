import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunFiles } from '../machine/run-environment.ts';
import type { Confinement } from './task-confinement.ts';

export interface ContainerRequest {
  readonly id: string;
  /** Folder of what the image adds to its base. */
  readonly image: string;
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
/** The users that the images make. */
const USERS = Array.from(
  { length: 64 },
  (_, n) => `work${10_001 + n}:x:${10_001 + n}:${10_001 + n}::/nonexistent:/bin/bash`,
);

/** Starts a container: `box.sh` in processes and mounts of its own, its output in `boxes/<id>.log`. */
export function startContainerProcess(files: RunFiles, request: ContainerRequest): ContainerProcess {
  const scratch = join(files.boxes, request.id);
  mkdirSync(scratch, { recursive: true });
  const passwd = join(files.folder, 'passwd');
  writeFileSync(passwd, `${readFileSync('/etc/passwd', 'utf8')}${USERS.join('\n')}\n`);
  const { env, entryPoint } = dockerfile(join(request.image, 'Dockerfile'));
  const { confinement } = request;
  const program = confinement.entryPoint.length > 0 ? confinement.entryPoint : entryPoint;
  const child = spawn(
    'unshare',
    [
      ...['--mount', '--pid', '--fork', '--kill-child', '--mount-proc', join(import.meta.dirname, 'box.sh')],
      ...[scratch, request.image, process.execPath, files.caBundle, AGENT, passwd],
      ...[confinement.capabilities, String(confinement.readOnly), confinement.writable.join(',')],
      ...[...program, ...request.command],
    ],
    { stdio: ['ignore', 'pipe', 'pipe', 'pipe'], env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' } },
  );
  const log = createWriteStream(`${scratch}.log`);
  child.stdout?.pipe(log, { end: false });
  child.stderr?.pipe(log, { end: false });
  const variables = [
    'PATH=/usr/local/bin:/usr/bin:/bin',
    'HOME=/root',
    ...env,
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

/** What of an image's configuration counts here. */
function dockerfile(path: string): { env: string[]; entryPoint: string[] } {
  const text = readFileSync(path, 'utf8');
  const [, words = '[]'] = /^ENTRYPOINT (\[.*\])$/m.exec(text) ?? [];
  return {
    env: [...text.matchAll(/^ENV (\w+=\S*)$/gm)].map(([, pair = '']) => pair),
    entryPoint: JSON.parse(words) as string[],
  };
}
