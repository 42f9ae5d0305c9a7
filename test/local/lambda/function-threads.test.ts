import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { createOperationCounters } from '../../../local/counters.ts';
import type { FunctionSpec } from '../../../local/lambda/function-spec.ts';
import { functionOf, hostOf } from '../support/functions.ts';
import { temporaryDirectory } from '../support/resources.ts';

const directory = temporaryDirectory();
const hosts: ReturnType<typeof hostOf>[] = [];
let count = 0;

/** A host of functions by name, each from its source. */
function hostFor(sources: Readonly<Record<string, string>>, changes: Partial<FunctionSpec> = {}) {
  const specs = Object.entries(sources).map(([name, source]) =>
    functionOf(directory.path, `${name}-${count++}`, source, {
      name,
      variables: { ASSAY_NAME: name },
      ...changes,
    }),
  );
  const made = hostOf(directory.path, specs);
  hosts.push(made);
  return made;
}

afterEach(async () => {
  await Promise.all(hosts.splice(0).map((made) => made.stop()));
});
afterAll(() => directory.remove());

const THREAD = "const { threadId } = require('node:worker_threads');";

test('functions at rest are in one thread, each with an environment, an output and globals of its own', async () => {
  const source = `${THREAD}
    globalThis.seen = (globalThis.seen ?? '') + process.env.ASSAY_NAME;
    process.env.CHANGED = process.env.ASSAY_NAME;
    exports.handler = async () => {
      console.log('console of ' + process.env.ASSAY_NAME);
      process.stdout.write('half of a ');
      process.stdout.write('line\\n');
      return {
        threadId,
        names: [process.env, globalThis.process.env, require('node:process').env].map((env) => env.ASSAY_NAME),
        changed: process.env.CHANGED,
        seen: globalThis.seen,
        version: process.version,
        isSame: globalThis.process === process && global.process === process,
      };
    };`;
  const { invoke, lines } = hostFor({ one: source, two: source });
  const [one, two] = [(await invoke('one', {})).payload, (await invoke('two', {})).payload] as {
    threadId: number;
  }[];
  expect(one).toMatchObject({ names: ['one', 'one', 'one'], changed: 'one', seen: 'one', isSame: true });
  expect(two).toMatchObject({ names: ['two', 'two', 'two'], changed: 'two', seen: 'two', isSame: true });
  expect(two?.threadId).toBe(one?.threadId);
  expect(one).toMatchObject({ version: process.version });
  expect(lines).toEqual([
    'one: console of one',
    'one: half of a line',
    'two: console of two',
    'two: half of a line',
  ]);
});

/** What functions share: it is asked for a name late, when others may run, and counts how often it was loaded. */
const PART = `let loads = (globalThis.loads = (globalThis.loads ?? 0) + 1);
  exports.tell = async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    console.log('told');
    process.env.TOLD = process.env.ASSAY_NAME;
    return { loads, name: process.env.ASSAY_NAME, required: require('node:process').env.ASSAY_NAME, version: process.version };
  };`;

test('a part that functions have alike is loaded once in a thread, and works with the surroundings of whoever calls it', async () => {
  const source = `const { tell } = require('./part-A1.js');
    exports.handler = async () => ({ ...(await tell()), told: process.env.TOLD });`;
  const specs = ['one', 'two'].map((name) =>
    functionOf(directory.path, `${name}-${count++}`, source, { name, variables: { ASSAY_NAME: name } }),
  );
  for (const spec of specs) writeFileSync(join(spec.directory ?? '', 'part-A1.js'), PART);
  const made = hostOf(directory.path, specs);
  hosts.push(made);
  const answers = await Promise.all([made.invoke('one', {}), made.invoke('two', {})]);
  expect(answers.map(({ payload }) => payload)).toEqual(
    ['one', 'two'].map((name) => ({ loads: 1, name, required: name, told: name, version: process.version })),
  );
  expect(made.lines.toSorted((one, other) => (one < other ? -1 : 1))).toEqual(['one: told', 'two: told']);
});

test('a part that cannot be loaded is tried again by the next function', async () => {
  const source = "require('./part-B2.js'); exports.handler = async () => 1;";
  const part = "if (!process.env.ASSAY_GOOD) throw new Error('no part'); exports.part = 1;";
  const specs = ['bad', 'good'].map((name) =>
    functionOf(directory.path, `${name}-${count++}`, source, {
      name,
      variables: name === 'good' ? { ASSAY_GOOD: '1' } : {},
    }),
  );
  for (const spec of specs) writeFileSync(join(spec.directory ?? '', 'part-B2.js'), part);
  const made = hostOf(directory.path, specs);
  hosts.push(made);
  expect((await made.invoke('bad', {})).error?.errorMessage).toBe('no part');
  expect((await made.invoke('good', {})).payload).toBe(1);
});

test('what is beside a function that takes too long may finish, and then both begin anew', async () => {
  const wait = 'await new Promise((resolve) => setTimeout(resolve, ms));';
  const source = `${THREAD} exports.handler = async ({ ms }) => { ${wait} return threadId; };`;
  const slow = functionOf(directory.path, `slow-${count++}`, source, { name: 'slow', timeoutMs: 200 });
  const other = functionOf(directory.path, `other-${count++}`, source, { name: 'other' });
  const made = hostOf(directory.path, [slow, other]);
  hosts.push(made);
  const before = await made.invoke('other', { ms: 0 });
  const [late, fine] = await Promise.all([
    made.invoke('slow', { ms: 60_000 }),
    made.invoke('other', { ms: 400 }),
  ]);
  expect(late.error?.errorType).toBe('Sandbox.Timedout');
  expect(fine).toEqual(before);
  const after = [await made.invoke('slow', { ms: 0 }), await made.invoke('other', { ms: 0 })];
  expect(after[0]?.payload).toBe(after[1]?.payload);
  expect(after[0]?.payload).not.toBe(before.payload);
});

test('what is beside a function that dies is answered with an error, and is there again when it is called', async () => {
  const { invoke } = hostFor({
    dies: "exports.handler = () => new Promise(() => setTimeout(() => { throw new Error('late'); }, 50));",
    other: 'exports.handler = ({ hang }) => hang ? new Promise(() => {}) : 7;',
  });
  await invoke('other', {});
  const [dead, beside] = await Promise.all([invoke('dies', {}), invoke('other', { hang: true })]);
  expect(dead.error?.errorMessage).toBe('late');
  expect(beside.error).toBeDefined();
  expect((await invoke('other', {})).payload).toBe(7);
});

test('what was compiled is kept for the next thread, once for each bundle', async () => {
  const source = 'exports.handler = async () => 1; // kept';
  const kept = (): string[] =>
    readdirSync(join(directory.path, 'compiled')).filter((name) => name.endsWith('.function'));
  const specs = [functionOf(directory.path, `kept-${count++}`, source, { name: 'kept' })];
  const before = kept().length;
  for (let run = 0; run < 2; run++) {
    const made = hostOf(directory.path, specs);
    expect((await made.invoke('kept', {})).payload).toBe(1);
    await made.stop();
    expect(kept().length).toBe(before + 1);
  }
});

test('an ES module has a thread of its own, with its environment and its output, once somebody calls it', async () => {
  const source = `import { threadId } from 'node:worker_threads';
    export const handler = async () => {
      console.log('said');
      return { threadId, name: process.env.ASSAY_NAME, foreign: process.env.PATH_OF_TEST ?? null };
    };`;
  const shared = functionOf(
    directory.path,
    `shared-${count++}`,
    `${THREAD} exports.handler = () => threadId;`,
    {
      name: 'shared',
    },
  );
  const module = functionOf(directory.path, `module-${count++}`, '', {
    name: 'module',
    variables: { ASSAY_NAME: 'm' },
  });
  rmSync(join(module.directory ?? '', 'index.js'));
  writeFileSync(join(module.directory ?? '', 'index.mjs'), source);
  const counters = createOperationCounters();
  const made = hostOf(directory.path, [shared, module], { counters });
  hosts.push(made);
  const { payload } = await made.invoke('module', {});
  expect(payload).toMatchObject({ name: 'm', foreign: null });
  expect((payload as { threadId: number }).threadId).not.toBe((await made.invoke('shared', {})).payload);
  expect(made.lines).toEqual(['module: said']);
});

test('a host that stops answers what is under way in it with an error', async () => {
  const { invoke, stop } = hostFor({
    one: 'exports.handler = ({ hang }) => (hang ? new Promise(() => {}) : 1);',
    other: 'exports.handler = async () => 2;',
  });
  await Promise.all([invoke('one', {}), invoke('other', {})]);
  const pending = invoke('one', { hang: true });
  await stop();
  expect((await pending).error?.errorType).toBe('Runtime.Stopped');
});
