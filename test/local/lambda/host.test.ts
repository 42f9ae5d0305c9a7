import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { createOperationCounters } from '../../../local/counters.ts';
import { functionArn } from '../../../local/lambda/function-spec.ts';
import { FUNCTION_ENV_NAMES } from '../../../shared/contract/resource-names.ts';
import { functionOf, hostOf } from '../support/functions.ts';
import { temporaryDirectory } from '../support/resources.ts';

const directory = temporaryDirectory();
const hosts: ReturnType<typeof hostOf>[] = [];

/** A host with one function of the given source. */
const host = (source: string, changes = {}, options = {}): ReturnType<typeof hostOf> => {
  const spec = functionOf(directory.path, `f${hosts.length}`, source, { name: 'f', ...changes });
  const made = hostOf(directory.path, [spec], options);
  hosts.push(made);
  return made;
};

afterEach(async () => {
  await Promise.all(hosts.map((made) => made.stop()));
});
afterAll(() => directory.remove());

test('a function gets its event and a context, and its answer comes back as JSON', async () => {
  const { invoke } = host(`exports.handler = async (event, context) => ({
    event, gone: undefined, name: context.functionName, arn: context.invokedFunctionArn,
    left: context.getRemainingTimeInMillis() > 1000, id: typeof context.awsRequestId,
  });`);
  const expected = { event: { a: [1, null] }, name: 'f', arn: functionArn('f'), left: true, id: 'string' };
  expect(await invoke('f', { a: [1, null] })).toEqual({ payload: expected });
  expect(await invoke(functionArn('f'), { a: [1, null] })).toEqual({ payload: expected });
});

test('a function sees the variables of the template, loopback endpoints, and nothing of this process', async () => {
  process.env['ASSAY_TEST_SECRET'] = 'visible';
  const { invoke } = host('exports.handler = async () => process.env;', { variables: { ASSAY_TABLE: 'T' } });
  const { payload } = await invoke('f', {});
  delete process.env['ASSAY_TEST_SECRET'];
  const own = /^(AWS_|ASSAY_|_HANDLER$|LAMBDA_TASK_ROOT$|TZ$|LANG$|PATH$)/;
  expect(Object.keys(payload as object).filter((name) => !own.test(name))).toEqual([]);
  expect(payload).not.toHaveProperty('ASSAY_TEST_SECRET');
  expect(payload).toMatchObject({
    ASSAY_TABLE: 'T',
    AWS_LAMBDA_FUNCTION_NAME: 'f',
    AWS_REGION: 'us-east-1',
    AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1',
    AWS_ENDPOINT_URL_SFN: 'http://127.0.0.1:4',
    [FUNCTION_ENV_NAMES.allowFileRepositories]: 'true',
  });
});

describe('a function that fails answers as in Lambda when it', () => {
  test.each([
    [
      'throws',
      'exports.handler = async () => { throw new RangeError("too far"); };',
      'RangeError',
      'too far',
    ],
    ['throws something odd', 'exports.handler = async () => { throw "odd"; };', 'string', 'odd'],
    ['cannot be loaded', 'throw new SyntaxError("broken");', 'SyntaxError', 'broken'],
    ['has no handler', 'exports.other = 1;', 'Runtime.HandlerNotFound', 'index.handler is undefined'],
    ['ends its process', 'exports.handler = () => process.exit(3);', 'Runtime.ExitError', 'code 3'],
    [
      'throws outside of its handler',
      'exports.handler = () => new Promise(() => setTimeout(() => { throw new Error("late"); }));',
      'Error',
      'late',
    ],
    [
      'answers too much',
      'exports.handler = async () => "x".repeat(7 * 1024 * 1024);',
      'Function.ResponseSizeTooLarge',
      'exceeded',
    ],
  ])('%s', async (_when, source, errorType, errorMessage) => {
    const { error, payload } = await host(source).invoke('f', {});
    expect(error).toMatchObject({ errorType, errorMessage: expect.stringContaining(errorMessage) });
    expect(payload).toMatchObject({ errorType });
  });

  test('does not exist', async () => {
    const { error } = await host('exports.handler = async () => 1;').invoke('g', {});
    expect(error?.errorType).toBe('ResourceNotFoundException');
  });
});

test('a function that takes too long is killed, even in a loop without end, and the next call works', async () => {
  const source = 'exports.handler = async ({ hang }) => { while (hang); return "fine"; };';
  const { invoke } = host(source, { timeoutMs: 200 });
  const { error } = await invoke('f', { hang: true });
  expect(error?.errorType).toBe('Sandbox.Timedout');
  expect(error?.errorMessage).toContain('Task timed out after 0.20 seconds');
  expect(await invoke('f', { hang: false })).toEqual({ payload: 'fine' });
});

test('an instance takes one invocation at a time, and a busy function gets more, up to the limit', async () => {
  const arrived = join(directory.path, 'arrived');
  mkdirSync(arrived);
  // Nobody leaves before a second instance is there.
  const source = `let busy = 0;
    const { readdirSync, writeFileSync } = require('node:fs');
    const thread = require('node:worker_threads').threadId;
    exports.handler = async () => {
      busy += 1;
      const seen = busy;
      writeFileSync(${JSON.stringify(`${arrived}/`)} + thread, '');
      while (readdirSync(${JSON.stringify(arrived)}).length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
      busy -= 1;
      return { seen, thread };
    };`;
  const counters = createOperationCounters();
  const { invoke } = host(source, {}, { maxInstances: 3, counters });
  const results = await Promise.all(Array.from({ length: 9 }, () => invoke('f', {})));
  const payloads = results.map(({ payload }) => payload as { seen: number; thread: number });
  expect(payloads.map(({ seen }) => seen)).toEqual(Array(9).fill(1));
  const threads = new Set(payloads.map(({ thread }) => thread));
  expect(threads.size).toBeGreaterThan(1);
  expect(threads.size).toBeLessThanOrEqual(3);
  const { Lambda: counted = {} } = counters.snapshot();
  expect(counted).toMatchObject({ Invocations: 9 });
  // The last one may have started too late for any work.
  expect(counted['ColdStarts']).toBeGreaterThanOrEqual(threads.size);
});

test('a function is loaded when it is called first, and its state stays between calls', async () => {
  const counters = createOperationCounters();
  const source = 'let calls = 0; exports.handler = async () => (calls += 1);';
  const { invoke } = host(source, {}, { counters });
  expect(counters.snapshot()).toEqual({});
  await invoke('f', {});
  expect((await invoke('f', {})).payload).toBe(2);
  expect(counters.snapshot()).toMatchObject({ Lambda: { ColdStarts: 1 }, 'Lambda invocations': { f: 2 } });
});

test('a host that stops waits for the functions that it was loading, and does not let them finish', async () => {
  const mark = join(directory.path, 'loading');
  const { invoke, stop } = host(
    `require('node:fs').writeFileSync(${JSON.stringify(mark)}, ''); while (true);`,
  );
  let over = false;
  const loading = invoke('f', {}).then(() => {
    over = true;
  });
  await vi.waitFor(() => expect(existsSync(mark)).toBe(true), { timeout: 10_000, interval: 5 });
  await stop();
  await new Promise(setImmediate);
  expect(over).toBe(true);
  await loading;
});

test('what a function prints is handed on line by line', async () => {
  const made = host('exports.handler = async () => { console.log("one\\ntwo"); console.error("three"); };');
  await made.invoke('f', {});
  await expect.poll(() => made.lines.toSorted()).toEqual(['f: one', 'f: three', 'f: two']);
});
