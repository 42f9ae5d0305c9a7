import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../shared/lib/sha256.ts';
import type { Buildah } from './buildah.ts';
import { hasProgram } from './builder.ts';

const SCRIPT = join(import.meta.dirname, 'stand-in-root.sh');
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const HOST_CA = 'NODE_EXTRA_CA_CERTS=/usr/local/share/host-ca.crt';

/** Recipe of the stand-in for one official image. */
interface StandIn {
  /** Reference in Dockerfiles; the groups are the version and Debian's suite. */
  readonly reference: RegExp;
  /** Programs of this machine that it is made with. */
  readonly needs: readonly string[];
  /** Base of the stand-in: nothing, or the stand-in of Node's image. */
  readonly on: 'scratch' | 'node';
  arguments(version: string, suite: string): readonly string[];
  readonly config: readonly string[];
}

const STAND_INS: Readonly<Record<'node' | 'golang' | 'rust' | 'lambda', StandIn>> = {
  node: {
    reference: /^node:(?<version>[\d.]+)-(?<suite>\w+)-slim$/,
    needs: ['debootstrap', 'npm'],
    on: 'scratch',
    arguments: (_version, suite) => [process.execPath, suite],
    config: ['--env', `PATH=${PATH}`, '--env', HOST_CA, '--cmd', 'node'],
  },
  golang: {
    reference: /^golang:(?<version>[\d.]+)-(?<suite>\w+)$/,
    needs: ['go'],
    on: 'scratch',
    arguments: (version) => [version],
    config: ['--env', `PATH=/usr/local/go/bin:${PATH}`],
  },
  rust: {
    reference: /^rust:(?<version>[\d.]+)-slim-(?<suite>\w+)$/,
    needs: ['rustup'],
    on: 'node',
    arguments: (version) => [version],
    config: [
      ...['--env', 'RUSTUP_HOME=/usr/local/rustup', '--env', 'CARGO_HOME=/usr/local/cargo'],
      ...['--env', `PATH=/usr/local/cargo/bin:${PATH}`],
    ],
  },
  lambda: {
    reference: /^public\.ecr\.aws\/lambda\/nodejs:(?<version>\d+)$/,
    needs: [],
    on: 'node',
    arguments: () => [],
    config: [
      ...['--env', `PATH=/var/lang/bin:${PATH}`, '--env', 'LAMBDA_TASK_ROOT=/var/task'],
      ...['--workingdir', '/var/task', '--entrypoint', '["/lambda-entrypoint.sh"]'],
    ],
  },
};

/** Name of an image as buildah knows it without a registry's configuration. */
const qualified = (reference: string): string =>
  reference.includes('/') ? reference : `docker.io/library/${reference}`;

const find = (reference: string): [StandIn, string, string] | null => {
  for (const each of Object.values(STAND_INS)) {
    const groups = each.reference.exec(reference)?.groups;
    if (groups) return [each, groups['version'] ?? '', groups['suite'] ?? ''];
  }
  return null;
};

/**
 * Makes the stand-in of a base image under the name that Dockerfiles have for it. It is kept by a hash of its recipe.
 * @param node reference of Node's image, which others are made from
 * @param deadline when making it is given up, in milliseconds since 1970
 * @returns null, or why there is none
 */
export function provideStandIn(
  buildah: Buildah,
  reference: string,
  node: string,
  deadline: number,
): string | null {
  const found = find(reference);
  if (found === null) return `there is no recipe of a stand-in for ${reference}`;
  const [standIn, version, suite] = found;
  if (standIn === STAND_INS.node && version !== process.versions.node)
    return `${reference} needs Node ${version}, and this is ${process.versions.node}`;
  const missing = standIn.needs.filter((program) => !hasProgram(program));
  if (missing.length > 0) return `${reference} needs ${missing.join(', ')}`;
  const recipe = sha256(`${readFileSync(SCRIPT, 'utf8')}${standIn.config.join(' ')}${reference}`);
  const kept = `localhost/stand-in/${reference.replaceAll(/[/:]/g, '-')}:${recipe.slice(0, 16)}`;
  if (!buildah.hasImage(kept)) {
    if (standIn.on === 'node') {
      const problem = provideStandIn(buildah, node, node, deadline);
      if (problem !== null) return problem;
    }
    const given = standIn.arguments(version, suite);
    const problem = make(buildah, kept, standIn, given, qualified(node), deadline);
    if (problem !== null) return `${reference}: ${problem}`;
  }
  buildah.call('tag', kept, qualified(reference));
  buildah.removeSuperseded(kept);
  return null;
}

/** @returns null, or the end of what the script printed as its error */
function make(
  buildah: Buildah,
  name: string,
  standIn: StandIn,
  given: readonly string[],
  node: string,
  deadline: number,
): string | null {
  const kind = Object.entries(STAND_INS).find(([, each]) => each === standIn)?.[0] ?? '';
  const container = buildah.call('from', '--pull=never', standIn.on === 'node' ? node : 'scratch');
  try {
    const root = buildah.call('mount', container);
    // `timeout` ends what the script runs, too; 0 is no limit.
    const seconds = Number.isFinite(deadline) ? Math.max(1, Math.ceil((deadline - Date.now()) / 1_000)) : 0;
    execFileSync('timeout', ['--kill-after=5', `${seconds}`, SCRIPT, kind, root, ...given], {
      stdio: ['ignore', 'ignore', 'pipe'],
      maxBuffer: 2 ** 26,
    });
    buildah.call('config', ...standIn.config, container);
    buildah.call('commit', '--quiet', container, name);
    return null;
  } catch (error) {
    const { stderr } = error as { readonly stderr?: Buffer | string };
    return `${stderr ?? error}`.trim().split('\n').slice(-3).join('; ');
  } finally {
    buildah.call('rm', container);
  }
}
