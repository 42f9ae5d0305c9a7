import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import {
  DROPPED_LINUX_CAPABILITIES,
  FARGATE_DEFAULT_CAPABILITIES,
} from '../../infra/container-capabilities.ts';
import { CONTAINER_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { type ProcessUser, parseProcessUsers } from '../../workspace/process/process-user.ts';
import { createTemporaryFolder } from './git-repository.ts';
import { isReachableByAnyUser } from './world-readable.ts';

const dropped: readonly string[] = DROPPED_LINUX_CAPABILITIES;
const kept = FARGATE_DEFAULT_CAPABILITIES.filter((name) => !dropped.includes(name)).map((name) =>
  name.toLowerCase(),
);

/** Starts a program with the capabilities that the template leaves a box, and no way to more. */
export const CONFINE_COMMAND: readonly string[] = [
  'setpriv',
  `--bounding-set=-all,${kept.map((name) => `+${name}`).join(',')}`,
  '--inh-caps=-all',
  '--no-new-privs',
  '--',
];

/** Whether this machine lets us do so. */
export const canConfine = ((): boolean => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  try {
    execFileSync(CONFINE_COMMAND[0] ?? '', [...CONFINE_COMMAND.slice(1), 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** Says aloud that tests are left out, and how many: what is skipped is not tested. */
export function warnAboutSkippedTests(tests: number): void {
  if (!canConfine)
    console.warn(
      `SKIPPED ${tests} tests of boxes with the template's capabilities: they need root and setpriv`,
    );
}

/** As in the image, but with numbers of this process's own: others on this machine test with these users too, and everything of theirs is ended. */
const shifted = (value: string): string =>
  value.replace(/\d+/g, (number) => String(Number(number) + 1_000_000 + (process.pid % 32_768) * 1_024));

const inImage = (box: 'agent' | 'gates'): string =>
  new RegExp(`^ENV ${CONTAINER_ENV_NAMES.runAs}=(.*)$`, 'm').exec(
    readFileSync(`containers/${box}/Dockerfile`, 'utf8'),
  )?.[1] ?? '';

export const getContainerUsers = (box: 'agent' | 'gates'): readonly ProcessUser[] =>
  parseProcessUsers(shifted(inImage(box))) ?? [];

/** A folder that everybody can walk through, as `/work` of the images is. */
export function createTraversableFolder(): string {
  const dir = createTemporaryFolder('assay-work-');
  chmodSync(dir, 0o711);
  return dir;
}

let reachable: string | null = null;
/** A folder with this very Node, for everybody: where the checkout lies in a closed folder, a copy. */
function nodeForAll(): string {
  if (reachable !== null) return reachable;
  const own = realpathSync(process.execPath);
  if (isReachableByAnyUser(own)) reachable = dirname(own);
  else {
    reachable = join(createTraversableFolder(), 'bin');
    mkdirSync(reachable, { mode: 0o755 });
    copyFileSync(own, join(reachable, 'node'));
    chmodSync(join(reachable, 'node'), 0o755);
  }
  return reachable;
}

/** What a box has in its environment besides what every test gives it; the programs are those that every user can reach. */
export const buildContainerEnvironment = (box: 'agent' | 'gates', work: string): Record<string, string> => ({
  [CONTAINER_ENV_NAMES.runAs]: shifted(inImage(box)),
  TMPDIR: work,
  PATH: [nodeForAll(), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
});
