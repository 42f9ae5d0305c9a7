import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

interface Pinned {
  readonly package: string;
  readonly version: string;
  readonly program: string;
}

/**
 * Installs agent CLIs in exactly the pinned versions, each into a folder of its own, and links their programs into one.
 * The image runs this, and so does the run of the real CLIs: both have the same.
 * Usage: node install-clis.ts PINS.json FOLDER BIN KIND...
 */
function install(kind: string, pinned: Pinned, folder: string, bin: string): string {
  const target = join(folder, kind);
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, 'package.json'), '{"private":true}\n');
  const wanted = `${pinned.package}@${pinned.version}`;
  execFileSync(
    'npm',
    ['install', '--no-audit', '--no-fund', '--loglevel=error', '--save-exact', wanted],
    // Not by --prefix: npm looks for its global configuration below that, and would not see the image's registry.
    { cwd: target, stdio: ['ignore', 'inherit', 'inherit'] },
  );
  const link = join(bin, pinned.program);
  rmSync(link, { force: true });
  symlinkSync(join(target, 'node_modules/.bin', pinned.program), link);
  // One that cannot start must break this, not a task; and another version may take other flags or bill differently.
  // Some unpack themselves into the home at their first start.
  const home = mkdtempSync(join(tmpdir(), 'cli-home-'));
  const said = execFileSync(link, ['--version'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, HOME: home, XDG_CACHE_HOME: home },
  });
  rmSync(home, { recursive: true, force: true });
  if (!said.includes(pinned.version)) throw new Error(`${wanted} says that it is ${said.trim()}`);
  return wanted;
}

const [file = '', folder = '', bin = '', ...kinds] = process.argv.slice(2);
const versions = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, Pinned>>;
mkdirSync(bin, { recursive: true });
for (const kind of kinds) {
  const pinned = Object.hasOwn(versions, kind) ? versions[kind] : undefined;
  if (!pinned)
    throw new Error(`there is no agent CLI ${kind}; known are ${Object.keys(versions).join(', ')}`);
  process.stdout.write(`${install(kind, pinned, resolve(folder), resolve(bin))}\n`);
}
