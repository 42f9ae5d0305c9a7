import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hashSources, prepareCloudAssembly } from '../../local/cloud-assembly.ts';
import { temporaryDirectory } from './support/resources.ts';

/** An app that notes each synthesis. */
const APP = `import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
appendFileSync('synthesised', 'x');
writeFileSync('context', process.env.CDK_CONTEXT_JSON);
mkdirSync(process.env.CDK_OUTDIR);
writeFileSync(process.env.CDK_OUTDIR + '/manifest.json', '{}');
`;

let directory: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  directory = temporaryDirectory();
  for (const folder of [
    'infra',
    'functions/api',
    'containers',
    'shared',
    'gates',
    'workspace',
    'page',
    'local',
  ])
    write(`${folder}/a.ts`, folder);
  write('infra/app.ts', APP);
  write('package-lock.json', '{}');
});
afterEach(() => directory.remove());

const path = (file: string): string => join(directory.path, file);
const write = (file: string, text: string): void => {
  mkdirSync(dirname(path(file)), { recursive: true });
  writeFileSync(path(file), text);
};
const hash = (): string => hashSources(directory.path);
const assembly = (settings?: Record<string, string>): Promise<string> =>
  prepareCloudAssembly({ root: directory.path, cache: path('.cache'), settings, onLog: () => {} });

test.each([
  ['changes', 'functions/api/a.ts', 'other'],
  ['is added', 'shared/new.ts', ''],
  ['of the stack changes', 'infra/app.ts', 'other'],
  ['changes which packages are installed', 'package-lock.json', '{"a":1}'],
])('a file that %s makes another assembly', (_what, file, text) => {
  const before = hash();
  write(file, text);
  expect(hash()).not.toBe(before);
});

test.each(['local/a.ts', 'README.md', 'node_modules/x.js'])('%s has no part in the assembly', (file) => {
  const before = hash();
  write(file, 'other');
  expect(hash()).toBe(before);
});

test('the same sources are synthesised once, also by two who start at the same time', async () => {
  const made = await Promise.all([assembly(), assembly()]);
  expect(new Set([...made, await assembly()]).size).toBe(1);
  expect(readFileSync(path('synthesised'), 'utf8')).toBe('x');
  expect(existsSync(join(made[0], 'manifest.json'))).toBe(true);
  write('shared/a.ts', 'other');
  expect(await assembly()).not.toBe(made[0]);
  expect(readFileSync(path('synthesised'), 'utf8')).toBe('xx');
});

test('a synthesis that fails leaves nothing behind, and says what it said', async () => {
  write('infra/app.ts', `${APP}\nconsole.error('AwsSolutions-X1: no'); process.exit(3);`);
  await expect(assembly()).rejects.toThrow(/exit 3.*AwsSolutions-X1: no/s);
  expect(readdirSync(path('.cache')).filter((name) => name.startsWith('assembly-'))).toEqual([]);
  write('infra/app.ts', APP);
  expect(existsSync(await assembly())).toBe(true);
});

test('other settings are another assembly of the same sources, whatever their order', async () => {
  const usual = await assembly();
  const chosen = await assembly({ nudgeWindow: '5', nudgeThreshold: '0.1' });
  expect(JSON.parse(readFileSync(path('context'), 'utf8'))).toEqual({
    'assay:nudgeWindow': '5',
    'assay:nudgeThreshold': '0.1',
  });
  expect(chosen).not.toBe(usual);
  expect(await assembly({ nudgeThreshold: '0.1', nudgeWindow: '5' })).toBe(chosen);
  expect(await assembly({ nudgeWindow: '6', nudgeThreshold: '0.1' })).not.toBe(chosen);
  expect(await assembly()).toBe(usual);
  expect(readFileSync(path('synthesised'), 'utf8')).toBe('xxx');
});
