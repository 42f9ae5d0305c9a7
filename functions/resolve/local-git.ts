import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { candidateRefNames } from '../../shared/contract/repository/base-ref.ts';
import {
  type RemoteRefsReader,
  RepositoryUnavailableError,
} from '../../shared/use-cases/cascade/resolve-base-commit.ts';
import { parseGitPackets } from './pkt-line.ts';
import type { GitTransport } from './read-remote-files.ts';
import { ResponseTooLargeError } from './response-too-large.ts';
import { parseAdvertisedRefs } from './smart-http.ts';

const TIMEOUT_MS = 15_000;
const MAX_BYTES = 8 * 1_048_576;

/** No configuration of the system or the user, and no questions. */
const ENVIRONMENT = {
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_SSH_COMMAND: 'ssh -oBatchMode=yes',
  GIT_ALLOW_PROTOCOL: 'file:ssh',
};

/** Git's own words for what went wrong. */
function saidOf(error: unknown): string {
  const { stderr = '', message } = error as Error & { readonly stderr?: string | Buffer };
  const said = String(stderr)
    .split('\n')
    .find((line) => line.startsWith('fatal: '));
  return said?.slice('fatal: '.length) ?? message;
}

/** Asks git itself. Embedded default only: there are file:// and ssh:// repositories, and a git, which a function on AWS has not. */
export const readLocalRefs: RemoteRefsReader = async (repository, ref) => {
  const names = candidateRefNames(ref).flatMap((name) => [name, `${name}^{}`]);
  const isFile = repository.startsWith('file:');
  // The owner of a file:// repository is not always who we are; git would refuse to read it.
  const serve = isFile ? ['--upload-pack=git -c safe.directory=* upload-pack'] : [];
  try {
    const { stdout } = await promisify(execFile)('git', ['ls-remote', ...serve, '--', repository, ...names], {
      env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', ...ENVIRONMENT },
      timeout: TIMEOUT_MS,
      maxBuffer: MAX_BYTES,
    });
    return parseAdvertisedRefs(stdout.split('\n').map((line) => line.replace('\t', ' ')));
  } catch (error) {
    throw new RepositoryUnavailableError(saidOf(error), !isFile);
  }
};

/** The same requests as over HTTP, put to the program that a server of git runs; for `file://` alone. */
export const sendRequestToLocalGitProcess: GitTransport = async (repository, request) => {
  if (!repository.startsWith('file:'))
    throw new RepositoryUnavailableError(
      'single files are read over https, and from file:// repositories',
      false,
    );
  const settings = ['-c', 'safe.directory=*', '-c', 'uploadpack.allowFilter=true'];
  try {
    const run = promisify(execFile)(
      'git',
      [...settings, 'upload-pack', '--stateless-rpc', fileURLToPath(repository)],
      {
        env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', ...ENVIRONMENT, GIT_PROTOCOL: 'version=2' },
        timeout: TIMEOUT_MS,
        maxBuffer: MAX_BYTES,
        encoding: 'buffer',
      },
    );
    // Git may have said no, and gone, before it has read everything: its exit says so.
    run.child.stdin?.on('error', () => {});
    run.child.stdin?.end(request);
    return parseGitPackets((await run).stdout);
  } catch (error) {
    if (error instanceof RangeError)
      throw new ResponseTooLargeError(`git answered with more than ${MAX_BYTES} bytes`);
    throw new RepositoryUnavailableError(saidOf(error), false);
  }
};
