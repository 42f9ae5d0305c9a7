import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Variables that name a file of certificates. */
export const CERTIFICATE_VARIABLES = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'GIT_SSL_CAINFO'] as const;

/**
 * Variables of the supervisor that commands of a repository may see: where tools and their caches are, and the
 * locale. Everything else (credentials, the assignment, NODE_OPTIONS, test-runner variables) stays out.
 */
const PASSED_ON = [
  'PATH',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'TZ',
  'JAVA_HOME',
  'GOROOT',
  'GOPATH',
  'GOMODCACHE',
  'GOFLAGS',
  'GOTOOLCHAIN',
  'CARGO_HOME',
  'RUSTUP_HOME',
  'PYENV_ROOT',
  'NVM_DIR',
  'SSL_CERT_DIR',
  ...CERTIFICATE_VARIABLES,
] as const;

const FALLBACK_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export interface CommandEnvironmentOptions {
  readonly home: string;
  readonly tmp: string;
  /** Further variables by value; wins over everything. */
  readonly overrides?: Readonly<Record<string, string>>;
  /** Further names that are passed on when set. */
  readonly passedThrough?: readonly string[];
}

/** The environment of a command of the repository: an allow-list, never the supervisor's own. */
export function buildCommandEnvironment(
  options: CommandEnvironmentOptions,
  source: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  const environment: Record<string, string> = {
    PATH: FALLBACK_PATH,
    CI: 'true',
    NO_COLOR: '1',
    TERM: 'dumb',
  };
  for (const name of [...PASSED_ON, ...(options.passedThrough ?? [])]) {
    const value = source[name];
    if (value !== undefined) environment[name] = value;
  }
  // rustup finds its toolchains through the home, which commands do not share with the supervisor.
  const toolchains = join(source['HOME'] ?? '/nonexistent', '.rustup');
  if (!('RUSTUP_HOME' in environment) && existsSync(toolchains)) environment['RUSTUP_HOME'] = toolchains;
  return { ...environment, HOME: options.home, TMPDIR: options.tmp, ...options.overrides };
}
