import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { refNames } from '../../shared/task/base-ref.ts';
import { type RemoteRefs, RepositoryUnavailable } from '../../shared/use-cases/base.ts';
import { advertised } from './smart-http.ts';

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

/** Asks git itself. Embedded default only: there are file:// and ssh:// repositories, and a git, which a function on AWS has not. */
export const localGit: RemoteRefs = async (repository, ref) => {
  const names = refNames(ref).flatMap((name) => [name, `${name}^{}`]);
  const isFile = repository.startsWith('file:');
  // The owner of a file:// repository is not always who we are; git would refuse to read it.
  const serve = isFile ? ['--upload-pack=git -c safe.directory=* upload-pack'] : [];
  try {
    const { stdout } = await promisify(execFile)('git', ['ls-remote', ...serve, '--', repository, ...names], {
      env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', ...ENVIRONMENT },
      timeout: TIMEOUT_MS,
      maxBuffer: MAX_BYTES,
    });
    return advertised(stdout.split('\n').map((line) => line.replace('\t', ' ')));
  } catch (error) {
    const { stderr = '', message } = error as Error & { readonly stderr?: string };
    const said = stderr.split('\n').find((line) => line.startsWith('fatal: '));
    throw new RepositoryUnavailable(said?.slice('fatal: '.length) ?? message, !isFile);
  }
};
