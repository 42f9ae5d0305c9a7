import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Command } from './run-with-log.ts';

/** Folder of everything that is kept between runs: images, layers and the root file systems of stand-ins. */
export const getImageCacheFolder = (): string =>
  join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'assay/images');

/** Configuration of an image in the words of the OCI specification; engines of Docker's kind write null for what is not set. */
export interface ImageConfig {
  readonly Env?: readonly string[] | null;
  readonly Entrypoint?: readonly string[] | null;
  readonly WorkingDir?: string;
}

/** Seconds for which superseded images are kept: another checkout may have built them and not yet used them. */
const SUPERSEDED_AGE = 6 * 3_600;

/** Variables with which programs reach registries: proxies and certificate authorities. */
const NETWORK_VARIABLE = /^(?:https?|no|all|ftp)_proxy$|^SSL_CERT_(?:FILE|DIR)$/i;
const pickNetworkVariables = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => NETWORK_VARIABLE.test(name)));

/** Calls of buildah on a storage of our own: chroot isolation and the network of the host need no daemon. */
export class Buildah {
  readonly #environment: NodeJS.ProcessEnv;

  private constructor(folder: string, driver: 'overlay' | 'vfs') {
    const storage = join(folder, driver);
    mkdirSync(storage, { recursive: true });
    const file = join(storage, 'storage.conf');
    writeFileSync(
      file,
      `[storage]\ndriver = "${driver}"\ngraphroot = "${storage}/graph"\nrunroot = "${storage}/run"\n`,
    );
    this.#environment = {
      ...pickNetworkVariables(),
      PATH: process.env['PATH'] ?? '',
      HOME: homedir(),
      TMPDIR: process.env['TMPDIR'] ?? '/tmp',
      CONTAINERS_STORAGE_CONF: file,
      BUILDAH_ISOLATION: 'chroot',
    };
  }

  /** Opens the storage with the overlay driver, or with vfs, which copies each layer, where overlays cannot be mounted. */
  static open(folder: string = getImageCacheFolder()): Buildah {
    const overlay = new Buildah(folder, 'overlay');
    try {
      const container = overlay.call('from', 'scratch');
      try {
        overlay.call('mount', container);
        return overlay;
      } finally {
        overlay.call('rm', container);
      }
    } catch {
      return new Buildah(folder, 'vfs');
    }
  }

  /** Runs a command. @returns what it printed, trimmed @throws Error with what it printed as its error */
  call(...args: string[]): string {
    return execFileSync('buildah', args, {
      encoding: 'utf8',
      env: this.#environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 2 ** 26,
    }).trim();
  }

  hasImage(reference: string): boolean {
    return (
      spawnSync('buildah', ['inspect', '--type', 'image', reference], {
        env: this.#environment,
        stdio: 'ignore',
      }).status === 0
    );
  }

  /**
   * Removes the images that have this one's name, another tag and at least an age in seconds, with the layers that no other image
   * has. One that a container uses stays until the next time.
   */
  removeSuperseded(reference: string, minAge: number = SUPERSEDED_AGE): void {
    const repository = reference.slice(0, reference.lastIndexOf(':') + 1);
    const images = JSON.parse(this.call('images', '--json')) as { names: string[] | null; created: number }[];
    const newest = Date.now() / 1_000 - minAge;
    for (const name of images.flatMap(({ names, created }) => (created <= newest ? (names ?? []) : [])))
      if (name.startsWith(repository) && name !== reference)
        spawnSync('buildah', ['rmi', name], { env: this.#environment, stdio: 'ignore' });
  }

  /** Returns an image's size in bytes, as the sum of its layers. */
  size(reference: string): number {
    const [image] = JSON.parse(this.call('images', '--json', '--no-trunc', reference)) as { size: string }[];
    const [, number = '0', unit = ''] = /^([\d.]+) ?(\w*)$/.exec(image?.size ?? '') ?? [];
    return Math.round(Number(number) * ({ KB: 1e3, MB: 1e6, GB: 1e9 }[unit] ?? 1));
  }

  config(reference: string): ImageConfig {
    const { OCIv1 } = JSON.parse(this.call('inspect', '--type', 'image', reference)) as {
      readonly OCIv1: { readonly config: ImageConfig };
    };
    return OCIv1.config;
  }

  /** Returns the command that builds an image. */
  buildCommand(...args: string[]): Command {
    return {
      program: 'buildah',
      args: ['bud', '--network', 'host', '--isolation', 'chroot', ...args],
      env: this.#environment,
    };
  }

  /** Runs a line of shell in a container of an image. @returns null, or the end of what a failed one printed */
  run(reference: string, user: string, line: string, timeout: number): string | null {
    const container = this.call('from', '--pull=never', reference);
    try {
      const { status, stdout, stderr } = spawnSync(
        'buildah',
        ['run', '--isolation', 'chroot', '--user', user, container, '--', 'sh', '-euc', line],
        { encoding: 'utf8', env: this.#environment, timeout },
      );
      return status === 0 ? null : `${stdout}\n${stderr}`.trim().split('\n').slice(-6).join('\n');
    } finally {
      this.call('rm', container);
    }
  }

  /** Mounts an image. @returns its root folder and a function that takes it away */
  mount(reference: string): { readonly root: string; release(): void } {
    const container = this.call('from', '--pull=never', reference);
    return { root: this.call('mount', container), release: () => void this.call('rm', container) };
  }
}
