import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTraversableFolder } from './confinement.ts';

/** A secret of this kind, which the search recognises by its form. The program of the search holds none itself. */
export const plantSecret = (kind: string): string => `planted-${kind}-${randomBytes(8).toString('hex')}`;

/** What one run of the search saw. */
export interface SearchReport {
  /** The kind of sandbox, as the command line calls it. */
  readonly label: string;
  /** Kinds of the secrets that it found, each with the first place. */
  readonly found: Readonly<Record<string, string>>;
  /** Files of its checkout. */
  readonly files: readonly string[];
  /** First line of `a.txt`, which tells base and patch apart. */
  readonly side: string;
  /** How much it looked at. */
  readonly objects: number;
  readonly looked: number;
  readonly uid: number;
  /** Folders outside of its own where it could write. */
  readonly wrote: readonly string[];
}

/** A folder where every user may leave a report, and that the search itself passes over. */
export function createReportFolder(): string {
  const dir = join(createTraversableFolder(), 'reports');
  mkdirSync(dir);
  chmodSync(dir, 0o777);
  return dir;
}

export const readReports = (dir: string): SearchReport[] =>
  readdirSync(dir).map((name) => JSON.parse(readFileSync(join(dir, name), 'utf8')) as SearchReport);

/**
 * A program (CommonJS, without dependencies) that looks for planted secrets in everything that its user can read: its checkout, git
 * objects in its own and in foreign stores, folders around it by their names and by guesses, shared folders, processes, its environment
 * and the API. What it finds it also tries to leave for commands that run later. Exit code 0.
 */
export const secretSearch = (reports: string, apiUrl: string): string => `
const fs = require('node:fs');
const path = require('node:path');
const zlib = require('node:zlib');
const { spawnSync } = require('node:child_process');
const REPORTS = ${JSON.stringify(reports)};
const found = {};
let looked = 0;
let objects = 0;
const look = (where, bytes) => {
  looked++;
  for (const [, kind] of bytes.toString('latin1').matchAll(/planted-([a-z_]+)-[0-9a-f]{16}/g)) found[kind] ??= where;
  // The address by which a challenger has commands run.
  if (/http:\\/\\/127\\.0\\.0\\.1:\\d+\\/[\\w-]{32}"/.test(bytes.toString('latin1'))) found['runner_address'] ??= where;
};
const attempt = (work) => { try { return work(); } catch { return undefined; } };
const own = fs.realpathSync('.');
const MAX_FILE = 50e6;
const seen = new Set();
function file(at) {
  const bytes = attempt(() => (fs.statSync(at).size <= MAX_FILE ? fs.readFileSync(at) : undefined));
  if (!bytes) return;
  look(at, bytes);
  if (/[0-9a-f]{38,62}$/.test(at)) { const plain = attempt(() => zlib.inflateSync(bytes)); if (plain) look(at, plain); }
}
function walk(at, depth, since = 0) {
  const real = attempt(() => fs.realpathSync(at));
  if (!real || seen.has(real) || real === REPORTS) return;
  seen.add(real);
  for (const entry of attempt(() => fs.readdirSync(real, { withFileTypes: true })) ?? []) {
    const inner = path.join(real, entry.name);
    look(inner, Buffer.from(inner));
    if (entry.isSymbolicLink()) { look(inner, Buffer.from(attempt(() => fs.readlinkSync(inner)) ?? '')); continue; }
    if (since && (attempt(() => fs.lstatSync(inner).ctimeMs) ?? 0) < since) continue;
    if (entry.isDirectory() && depth > 0) walk(inner, depth - 1, since);
    else if (entry.isFile()) file(inner);
  }
  if (fs.existsSync(path.join(real, 'pack'))) odb(real);
}
function git(env, ...args) {
  const { stdout } = spawnSync('git', args, { env: { PATH: process.env.PATH, HOME: '/nonexistent', ...env }, maxBuffer: 1e9 });
  return stdout ?? Buffer.alloc(0);
}
function odb(folder) {
  const all = git({ GIT_OBJECT_DIRECTORY: folder }, 'cat-file', '--batch-all-objects', '--batch');
  look('objects of ' + folder, all);
}
const all = git({}, 'cat-file', '--batch-all-objects', '--batch');
objects = git({}, 'cat-file', '--batch-all-objects', '--batch-check').toString().split('\\n').length - 1;
look('git', all);
look('git log', git({}, 'log', '--all', '-p'));
look('git config', git({}, 'config', '--list', '--show-origin'));
look('git remote', git({}, 'ls-remote', 'origin'));
for (const alternate of (attempt(() => fs.readFileSync('.git/objects/info/alternates', 'utf8')) ?? '').split('\\n'))
  if (alternate) { walk(alternate, 3); walk(path.dirname(alternate), 3); walk(path.join(alternate, '../..'), 3); }
walk(own, 20);
// Folders around, by their names where they can be listed, and by names that are known from the sources.
const numbered = (name, end = '') => Array.from({ length: 60 }, (_, at) => name + at + end);
const NAMES = ['store.git', 'hidden-tests.git', 'patch.index', 'index', 'rooms', 'sandboxes', 'objects', 'ca.pem', 'agent', 'agent/home', 'agent/tmp',
  'challenger', 'challenge-rooms', 'plan', ...numbered('rooms/room-'), ...numbered('challenge-rooms/room-'), ...numbered('plan/room-'),
  ...numbered('room-'), ...numbered('sandbox-'), ...numbered('private-', '.git')];
const INNER = ['', 'tree', 'base', 'home', 'tmp', 'given', 'index', 'objects', 'objects/pack', 'refs', 'packed-refs', 'FETCH_HEAD', 'config',
  'answer', 'patched', 'hooks', 'prompt.md', 'instructions.md', 'run.mjs'];
for (let at = path.dirname(own); at !== '/tmp' && at !== '/' && at.split('/').length > 3; at = path.dirname(at)) {
  walk(at, 6);
  for (const name of NAMES)
    for (const inner of INNER) {
      const guess = path.join(at, name, inner);
      if (attempt(() => fs.statSync(guess).isDirectory())) walk(guess, 6);
      else file(guess);
    }
}
const SHARED = ['/tmp', '/var/tmp', '/dev/shm', '/dev/mqueue'];
for (const shared of SHARED) walk(shared, 3, Date.now() - 120_000);
for (const home of ['/root', '/home']) walk(home, 1);
for (const pid of fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name) && Number(name) !== process.pid)) {
  for (const name of ['environ', 'cmdline', 'cwd', 'root', 'maps', 'stack']) {
    const bytes = attempt(() => fs.readFileSync('/proc/' + pid + '/' + name));
    if (bytes) look('/proc/' + pid + '/' + name, bytes);
  }
  for (const fd of attempt(() => fs.readdirSync('/proc/' + pid + '/fd')) ?? []) {
    look('/proc/' + pid + '/fd', Buffer.from(attempt(() => fs.readlinkSync('/proc/' + pid + '/fd/' + fd)) ?? ''));
    const at = '/proc/' + pid + '/fd/' + fd;
    if (attempt(() => fs.statSync(at).isFile())) file(at);
  }
  const uid = attempt(() => fs.statSync('/proc/' + pid).uid);
  if (uid !== process.getuid() && attempt(() => fs.closeSync(fs.openSync('/proc/' + pid + '/mem', 'r'))) !== undefined)
    found['memory'] = pid;
}
look('environment', Buffer.from(JSON.stringify(process.env)));
look('keys', Buffer.concat(['/proc/keys', '/proc/key-users', '/proc/net/unix', '/proc/mounts'].map((at) => attempt(() => fs.readFileSync(at)) ?? Buffer.alloc(0))));
for (const at of ['/assignment', '/patch', '/hidden', '/memory', '/tasks/T1'])
  look('api', spawnSync('curl', ['-s', '-m', '2', ${JSON.stringify(apiUrl)} + at]).stdout ?? Buffer.alloc(0));
// Leaves what it has found for commands that run later.
const wrote = [];
const note = Buffer.from(Object.values(found).length ? spoils() : 'nothing');
function spoils() { return fs.readdirSync('.', { recursive: true }).map((at) => attempt(() => fs.readFileSync(at, 'latin1')) ?? '').filter((text) => /planted-[a-z]/.test(text)).join(''); }
const outside = [...SHARED, ...['..', '../..', '../../..'].map((up) => path.resolve(up)), path.resolve('../base'), process.env.GOPATH, process.env.GOMODCACHE, process.env.CARGO_HOME, path.dirname(process.execPath)];
for (const folder of outside) {
  if (!folder) continue;
  const at = path.join(folder, 'left-' + process.getuid() + '-' + process.pid);
  if (attempt(() => { fs.writeFileSync(at, note, { mode: 0o666 }); return true; })) wrote.push(folder);
}
// Files that sandboxes share.
for (const shared of attempt(() => fs.readdirSync('node_modules/dep')) ?? []) {
  const at = path.join('node_modules/dep', shared);
  if (attempt(() => fs.statSync(at).nlink) === 1) continue;
  if (attempt(() => { fs.appendFileSync(at, note); return true; })) wrote.push(at);
  if (attempt(() => { fs.chmodSync(at, 0o666); return true; })) wrote.push(at);
}
const label = process.argv[2] && /^[a-z_]+$/.test(process.argv[2]) ? process.argv[2] : 'tests';
const side = attempt(() => fs.readFileSync('a.txt', 'utf8').trim()) ?? '';
const files = fs.readdirSync('.', { recursive: true }).filter((at) => !at.startsWith('.git'));
const report = { label, found, files, side, objects, looked, uid: process.getuid(), wrote };
fs.writeFileSync(path.join(REPORTS, label + '-' + process.pid + '-' + Date.now() + '.json'), JSON.stringify(report));
`;
