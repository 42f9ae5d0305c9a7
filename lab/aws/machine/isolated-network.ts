import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { AWS_HOSTS, FORGE_ADDRESS, FORGE_HOST, type RunFiles } from './run-environment.ts';

const run = (program: string, ...args: string[]): void => {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
};

/** Fills the empty network and the private mounts that this process was started with; the machine around it sees nothing of it. */
export function setUpNetwork({ hosts }: RunFiles): void {
  run('ip', 'link', 'set', 'lo', 'up');
  run('ip', 'address', 'add', `${FORGE_ADDRESS}/32`, 'dev', 'lo');
  writeFileSync(hosts, `127.0.0.1 localhost\n${FORGE_ADDRESS} ${FORGE_HOST}\n`);
  addHostNames(hosts, AWS_HOSTS);
  run('mount', '--bind', hosts, '/etc/hosts');
}

/** Further names of the emulator, such as that of an API, which is known once it is made. */
export function addHostNames(hosts: string, names: readonly string[]): void {
  // Written in place: another file would not be the one that is mounted.
  writeFileSync(
    hosts,
    `${readFileSync(hosts, 'utf8')}${names.map((name) => `127.0.0.1 ${name}\n`).join('')}`,
  );
}
