import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { REPOSITORY_ROOT } from '../../infra/build.ts';
import { NODE } from '../../package/manifest.ts';
import { ASSAY_VERSION } from '../../shared/lib/version.ts';
import { createTemporaryFolder, createTestRepository } from '../support/git-repository.ts';

/** Environment of somebody who has none of this checkout: no variable of npm or of these tests. */
const env = Object.fromEntries(
  Object.entries({ ...process.env, NO_COLOR: '1' }).filter(
    ([name]) => !/^(npm_|INIT_CWD|FORCE_COLOR|NODE_OPTIONS|NODE_COMPILE_CACHE|VITEST)/i.test(name),
  ),
);
const folder = createTemporaryFolder('assay-installed-');
const installed = join(folder, 'node_modules/assay');
const bin = join(installed, 'bin/assay.js');

/** A Node of the oldest version that is supported, where there is one: `NODE_22=/path/to/node npx vitest run …`. */
const oldest = process.env['NODE_22'];

const assay = (args: readonly string[], cwd = folder, node = process.execPath) =>
  spawnSync(node, [bin, ...args], { cwd, env, encoding: 'utf8' });

const sample = () => {
  const repository = createTestRepository({
    'assay.yaml': 'version: 1\nquality_gates:\n  tests: true\n  test_command: node --test\n',
    'add.mjs': 'export const add = (a, b) => a + b;\n',
    'add.test.mjs':
      "import test from 'node:test';\nimport assert from 'node:assert';\nimport { add } from './add.mjs';\ntest('adds', () => assert.equal(add(1, 2), 3));\n",
  });
  repository.write({ 'add.mjs': 'export const add = (a, b) => a - b;\n' });
  return repository;
};

beforeAll(() => {
  const packed = execFileSync(process.execPath, ['package/build.ts', '--pack', folder], {
    cwd: REPOSITORY_ROOT,
    env,
    encoding: 'utf8',
  }).trim();
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  // Offline: it has no dependencies.
  execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', packed], {
    cwd: folder,
    env,
    stdio: 'pipe',
    shell: process.platform === 'win32',
  });
});

test('npx finds the command, and it says its version', () => {
  const { stdout } = spawnSync('npx', ['--no-install', 'assay', '--version'], {
    cwd: folder,
    env,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  expect(stdout).toBe(`${ASSAY_VERSION}\n`);
});

test.each([
  { name: 'this Node', node: process.execPath },
  ...(oldest === undefined ? [] : [{ name: `Node ${NODE}`, node: oldest }]),
])('it judges what stands in any repository, on $name', ({ node }) => {
  const { dir } = sample();
  const { stdout, status } = assay(['check', '--base', 'main', '--json'], dir, node);
  expect(status).toBe(1);
  const { verdict, gates } = JSON.parse(stdout);
  expect(verdict).toBe('fail');
  expect(gates).toContainEqual(expect.objectContaining({ name: 'tests', outcome: 'failed' }));
});

test.runIf(process.platform === 'linux')(
  'it starts within a tenth of a second of CPU, once it has been compiled',
  () => {
    const measured = `
    const { spawnSync } = require('node:child_process');
    spawnSync(process.execPath, [${JSON.stringify(bin)}, '--version']);
    const times = require('node:fs').readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
    console.log((Number(times[13]) + Number(times[14])) * 10);`;
    // The least of some: what else the machine does can only count against us. Of what has ended, in milliseconds.
    const spent = Array.from({ length: 6 }, () =>
      Number(execFileSync(process.execPath, ['-e', measured], { env, encoding: 'utf8' })),
    );
    expect(Math.min(...spent)).toBeLessThanOrEqual(100);
  },
);

test('what it leaves out it names, with what to do', () => {
  const query = assay(['query', 'why-tasks-fail', '--records', folder]);
  expect(query.status).toBe(2);
  expect(query.stderr).toContain('This command needs the package @duckdb/node-api.');
  const up = assay(['up']);
  expect(up.status).toBe(2);
  expect(up.stderr).toContain('not part of the installed package');
  expect(up.stderr).not.toContain('Starting');
  expect(existsSync(join(folder, '.assay-data'))).toBe(false);
  expect(assay(['--help']).stdout).toMatch(/no Docker\s+\(in a\s+clone only\)/);
  const status = assay(['status']);
  expect([status.status, status.stderr]).toEqual([
    2,
    expect.stringContaining('`npm run -s assay -- up` in a clone'),
  ]);
  const demo = assay(['demo']);
  expect([demo.status, demo.stderr]).toEqual([2, expect.stringContaining('`npm run demo` shows it')]);
});

test('a team adds the construct to a stack of its own, with types', () => {
  const app = join(folder, 'team');
  mkdirSync(join(app, 'node_modules'), { recursive: true });
  for (const name of ['aws-cdk-lib', 'constructs', '@aws-cdk'])
    if (existsSync(join(REPOSITORY_ROOT, 'node_modules', name)))
      symlinkSync(join(REPOSITORY_ROOT, 'node_modules', name), join(app, 'node_modules', name), 'junction');
  symlinkSync(installed, join(app, 'node_modules/assay'), 'junction');
  writeFileSync(join(app, 'package.json'), '{ "type": "module" }\n');
  writeFileSync(
    join(app, 'app.ts'),
    `import { App, CfnOutput, Stack } from 'aws-cdk-lib';
import { Assay, type AssayProps } from 'assay';
import type { AssayConfig } from 'assay/config';

export const config: AssayConfig = { version: 1, quality_gates: { tests: true } };
const props: AssayProps = { alarmEmail: 'team@example.com', vcpus: 12, onDelete: 'destroy' };
const app = new App({ outdir: 'cdk.out' });
const stack = new Stack(app, 'Team');
const assay = new Assay(stack, 'Assay', props);
new CfnOutput(stack, 'Url', { value: assay.apiUrl });
new CfnOutput(stack, 'Bus', { value: assay.eventBus.eventBusName });
let second = '';
try { new Assay(stack, 'Second'); } catch (error) { second = String(error); }
let wrong = '';
// @ts-expect-error: it is no setting
try { new Assay(new Stack(app, 'Other'), 'Assay', { vcpu: 12 }); } catch (error) { wrong = String(error); }
app.node.tryRemoveChild('Other');
app.synth();
console.log(JSON.stringify({ second, wrong }));
`,
  );
  const options = '--noEmit --strict --skipLibCheck --preserveSymlinks --module nodenext --target es2024';
  execFileSync(
    join(REPOSITORY_ROOT, 'node_modules/.bin/tsc'),
    [...options.split(' '), '--types', '', 'app.ts'],
    {
      cwd: app,
      env,
      stdio: 'inherit',
    },
  );
  const said = execFileSync(process.execPath, ['--preserve-symlinks', 'app.ts'], {
    cwd: app,
    env: { ...env, CDK_VALIDATION: 'false' },
    encoding: 'utf8',
  });
  const { second, wrong } = JSON.parse(said);
  expect(second).toContain('Team has an Assay already');
  expect(wrong).toContain('vcpu is not a setting');
  const template = JSON.parse(readFileSync(join(app, 'cdk.out/Team.template.json'), 'utf8'));
  const types = Object.values(template.Resources).map((each) => (each as { Type: string }).Type);
  expect(types.filter((type) => type === 'AWS::StepFunctions::StateMachine')).toHaveLength(2);
  expect(types).toContain('AWS::ApiGatewayV2::Api');
});
