import { execFile, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { GRAMMAR_FILES } from '../../gates/code/parsing/grammar-files.ts';
import { bundleFunctionsAndContainers, REPOSITORY_ROOT } from '../../infra/build.ts';
import {
  CONTAINER_ENTRY_POINTS,
  type ContainerName,
  LAMBDA_ENTRY_POINTS,
  type ServiceFunctionName,
} from '../../infra/bundles.ts';
import { CONTAINER_ENV_NAMES, ECS_CONTAINER_NAMES } from '../../shared/contract/resource-names.ts';
import { COMPLETE_FUNCTION_ENV } from '../support/function-env-values.ts';

const run = promisify(execFile);
// Inside the checkout, as .build/ is: source maps name the sources by their way from here.
mkdirSync(join(REPOSITORY_ROOT, '.cache'), { recursive: true });
const target = mkdtempSync(join(REPOSITORY_ROOT, '.cache', 'build-test-'));
afterAll(() => rmSync(target, { recursive: true }));
const bundles = await bundleFunctionsAndContainers(target);
const functions = Object.keys(LAMBDA_ENTRY_POINTS) as ServiceFunctionName[];
const containers = Object.keys(CONTAINER_ENTRY_POINTS) as ContainerName[];
const read = (folder: string, file: string) => readFileSync(join(folder, file), 'utf8');

const INDEX = /^index\.m?js$/;
const indexOf = (name: ServiceFunctionName): string =>
  readdirSync(bundles.functionDirectory(name)).find((file) => INDEX.test(file)) ?? 'none';
/** All code of a function: one file, or with the parts that it loads when it needs them. */
const codeOf = (name: ServiceFunctionName): string =>
  readdirSync(bundles.functionDirectory(name))
    .filter((file) => /\.m?js$/.test(file))
    .map((file) => read(bundles.functionDirectory(name), file))
    .join('\n');

describe('the bundles of the functions', () => {
  it('each export a handler when Lambda loads them', async () => {
    const files = functions.map((name) => join(bundles.functionDirectory(name), indexOf(name)));
    // Lambda's runtime has it; functions that stream their answer use it when they are loaded.
    const script = `globalThis.awslambda = { streamifyResponse: (handler) => handler }; console.log(JSON.stringify(${JSON.stringify(files)}.map((file) => typeof require(file).handler)))`;
    const { stdout } = await run(process.execPath, ['-e', script], { env: COMPLETE_FUNCTION_ENV });
    expect(JSON.parse(stdout)).toEqual(functions.map(() => 'function'));
  });

  it.each(functions)('%s is less than 300 KB to download', (name) => {
    const code = codeOf(name);
    // Protocols of five providers, of which a deployment loads those that it uses.
    expect(gzipSync(code).length).toBeLessThan((name === 'judge' ? 700 : 300) * 1_024);
  });

  it('are larger by the protocols of providers in the function that judges, and in no other', () => {
    const speaks = functions.filter((name) => /AI_NoObjectGeneratedError/.test(codeOf(name)));
    expect(speaks).toEqual(['judge']);
  });

  it('read YAML where files of a repository are read, and nowhere else', () => {
    const reads = functions.filter((name) => codeOf(name).includes('tag:yaml.org,2002:'));
    // The webhook reads the signals that the body of a pull request names.
    expect(reads).toEqual(['api-webhook', 'resolver']);
  });

  it.each(functions.filter((name) => name !== 'page'))(
    '%s looks for credentials in the environment only',
    (name) => {
      const code = codeOf(name);
      const found = [
        'there are no AWS credentials in the environment',
        'sso_session',
        'credential_process',
      ].map((words) => code.includes(words));
      expect(found).toEqual([true, false, false]);
    },
  );

  it('have the packages that several use in parts that are the same wherever they are, and nothing of our own in them', () => {
    const parts = functions.flatMap((name) => {
      const folder = bundles.functionDirectory(name);
      const files = readdirSync(folder).filter((file) => /^part-.*\.js$/.test(file));
      return files.map((file) => ({
        name,
        file,
        code: read(folder, file),
        map: read(folder, `${file}.map`),
      }));
    });
    const contents = (file: string) =>
      new Set(parts.filter((part) => part.file === file).map(({ code }) => code));
    expect(parts.filter(({ file }) => contents(file).size > 1)).toEqual([]);
    const own = parts.flatMap(({ map, file }) =>
      (JSON.parse(map) as { sources: string[] }).sources
        // One that only hands on what is in others has no source but itself.
        .filter((source) => !source.includes('node_modules/') && source !== file)
        .map((source) => source.replace(/^(\.\.\/)+/, '')),
    );
    expect(new Set(own)).toEqual(new Set(['infra/lambda-credentials.ts']));
    const words = 'ZodError';
    const whole = functions.filter((name) =>
      read(bundles.functionDirectory(name), indexOf(name)).includes(words),
    );
    expect(whole).toEqual(['deliver']);
    // Each has an environment and an output of its own: what keeps something of them is not shared.
    expect(parts.filter(({ map }) => /aws-lambda-powertools\/(?:logger|metrics|batch)\//.test(map))).toEqual(
      [],
    );
  });

  it('hold nothing of AWS where the page is served', () => {
    expect(codeOf('page')).not.toMatch(/there are no AWS credentials|AWS_ACCESS_KEY/);
  });
});

describe('the programs of the containers', () => {
  it.each(containers)(
    '%s has read nothing for secure connections when it waits for its task',
    async (name) => {
      const program = join(bundles.imageDirectory(name), 'main.mjs');
      const tell = "process.on('exit', () => console.log(process.moduleLoadList.join()))";
      const waiting = { [CONTAINER_ENV_NAMES.exitWithParent]: '1', [CONTAINER_ENV_NAMES.warmStart]: '1' };
      const args = ['--import', `data:text/javascript,${encodeURIComponent(tell)}`, program];
      // Its standard input has ended: nobody will tell it what to do.
      const { stdout } = spawnSync(process.execPath, args, { env: waiting, encoding: 'utf8', input: '' });
      expect(stdout).toContain('NativeModule path');
      expect(stdout.split(',').filter((each) => /^NativeModule (tls|https|http|http2)$/.test(each))).toEqual(
        [],
      );
    },
  );

  it.each(containers)('%s says what is wrong in one language', (name) => {
    const code = read(bundles.imageDirectory(name), 'main.mjs');
    expect([code.includes('Invalid input'), code.includes('Input non valido')]).toEqual([true, false]);
  });

  it.each(containers)('%s has its Dockerfile beside it and parses', async (name) => {
    const folder = bundles.imageDirectory(name);
    expect(read(folder, 'Dockerfile')).toContain('COPY main.mjs');
    await expect(run(process.execPath, ['--check', join(folder, 'main.mjs')])).resolves.toBeDefined();
    const own = readdirSync(folder).filter((file) => ['cli-versions.json', 'install-clis.ts'].includes(file));
    // The gates container runs the CLI of a challenger.
    expect(own).toHaveLength(name === 'agent' || name === 'gates' ? 2 : 0);
  });

  it.each(containers)('%s holds no AWS SDK', (name) => {
    expect(read(bundles.imageDirectory(name), 'main.mjs.map').includes('@aws-sdk')).toBe(false);
  });

  it('have the grammars beside them where code is parsed, and nowhere else', () => {
    const grammars = (name: (typeof containers)[number]): string[] =>
      readdirSync(bundles.imageDirectory(name)).filter((file) => file.endsWith('.wasm'));
    expect(new Set(grammars('gates'))).toEqual(new Set(Object.values(GRAMMAR_FILES)));
    expect(grammars('agent')).toEqual([]);
    expect(
      readdirSync(bundles.functionDirectory('deliver')).filter((file) => file.endsWith('.wasm')),
    ).toEqual([]);
  });

  it('hold no gate, rule or parser where the push credential is', () => {
    const sources = (folder: string, map: string): string[] =>
      (JSON.parse(read(folder, map)) as { sources: string[] }).sources.map((each) =>
        each.replace(/^(\.\.\/)+/, ''),
      );
    const foreign = (each: string) => /^(gates|containers)\//.test(each);
    const deliverer = bundles.functionDirectory('deliver');
    const delivers = sources(deliverer, 'index.js.map');
    expect(delivers).toContain('functions/deliver/deliver-work.ts');
    expect(delivers.filter(foreign)).toEqual([]);
    expect(delivers.filter((each) => /tree-sitter|oxc|wasm/.test(each))).toEqual([]);
    const judges = sources(bundles.imageDirectory('gates'), 'main.mjs.map');
    expect(judges.filter((each) => /deliver|push\b/.test(each))).toEqual([]);
    // Whatever it is called: the program that judges knows no way to send anything to a repository.
    expect(read(bundles.imageDirectory('gates'), 'main.mjs')).not.toMatch(/receive-pack|force-with-lease/);
    expect(read(deliverer, 'index.js')).toMatch(/force-with-lease/);
    expect(readdirSync(deliverer)).toContain('Dockerfile');
  });

  it('have the thread that matches regular expressions beside them, and it answers', async () => {
    const folder = bundles.imageDirectory('gates');
    expect(read(folder, 'Dockerfile')).toContain('COPY matcher.mjs');
    expect(read(folder, 'main.mjs')).toContain('matcher.mjs');
    const script = `new (require('node:worker_threads').Worker)(process.argv[1], {
      workerData: { path: process.argv[2], regex: 'COPY [m]atcher' },
    }).once('message', (answer) => console.log(JSON.stringify(answer)));`;
    const program = [join(folder, 'matcher.mjs'), join(folder, 'Dockerfile')];
    const { stdout } = await run(process.execPath, ['-e', script, ...program]);
    expect(JSON.parse(stdout)).toEqual({ search: 'found' });
  });

  it('are enough for every box', () => {
    expect(Object.keys(ECS_CONTAINER_NAMES)).toEqual(expect.arrayContaining(containers));
  });
});

describe('a build', () => {
  const folders = [
    ...functions.map((name) => bundles.functionDirectory(name)),
    ...containers.map((name) => bundles.imageDirectory(name)),
  ];

  it('does not depend on where the checkout is', () => {
    for (const folder of folders)
      for (const file of readdirSync(folder))
        expect(read(folder, file).includes(REPOSITORY_ROOT), `${folder}/${file}`).toBe(false);
  });

  it('leaves what has not changed alone, and removes what does not belong', async () => {
    const [first = ''] = folders;
    const stray = join(first, 'stray.txt');
    writeFileSync(stray, 'left over');
    const times = () => folders.map((folder) => statSync(join(folder, readdirSync(folder)[0] ?? '')).mtimeMs);
    const before = times();
    await bundleFunctionsAndContainers(target);
    expect(times()).toEqual(before);
    expect(existsSync(stray)).toBe(false);
  });

  it('finds every function that there is', () => {
    const entries = readdirSync(join(REPOSITORY_ROOT, 'functions'), {
      recursive: true,
      encoding: 'utf8',
    }).filter((file) =>
      /export const handler\b/.test(
        file.endsWith('.ts') ? read(join(REPOSITORY_ROOT, 'functions'), file) : '',
      ),
    );
    expect(new Set(entries.map((file) => `functions/${file.replaceAll('\\', '/')}`))).toEqual(
      new Set(Object.values(LAMBDA_ENTRY_POINTS)),
    );
  });
});
