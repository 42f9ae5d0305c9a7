import { afterEach, describe, expect, test } from 'vitest';
import { formatJsonPointer } from '../../cli/api-errors.ts';
import { assay, type FakeApi, fakeApi, problem, type Ran, type Reply } from './support.ts';

let api: FakeApi | undefined;
afterEach(() => api?.close());

async function taskOn(reply: Reply, argv: readonly string[] = ['cancel', 't-1']): Promise<Ran> {
  api = await fakeApi(() => reply);
  return assay([...argv, '--url', api.url, '--token', 'secret']);
}

describe('a refusal of the API', () => {
  test.each([
    ['not_found', 404, 5],
    ['no_task', 404, 5],
    ['conflict', 409, 4],
    ['files_locked', 409, 4],
    ['id_taken', 409, 4],
    ['version_mismatch', 412, 4],
    ['invalid', 422, 2],
    ['dependency_cycle', 422, 2],
    ['unauthenticated', 401, 2],
    ['forbidden', 403, 2],
    ['body_too_large', 413, 2],
    ['internal', 500, 1],
    ['a_word_of_tomorrow', 418, 2],
    ['constructor', 500, 1],
  ])('%s (%i) ends with exit code %i and nothing on standard output', async (code, status, exit) => {
    const ran = await taskOn(problem(status, code));
    expect(ran).toMatchObject({ code: exit, stdout: '' });
    expect(ran.stderr).toContain(`title of ${code}`);
  });

  test.each([
    [['cancel', 't-1'], '`assay tasks` lists'],
    [['dlq', 'show', 't-1.agent-1-1'], '`assay dlq list` lists'],
    [['dlq', 'retry', 't-1.agent-1-1', '--reason', 'x'], '`assay dlq list` lists'],
    [['tune', 'apply', 'threshold-1', '--reason', 'x'], '`assay tune list` lists'],
  ])('that there is no such thing points to the list of such things: %j', async (argv, words) => {
    expect((await taskOn(problem(404, 'not_found'), argv)).stderr).toContain(words);
  });

  test('a proposal that is in no listing ends as all that does not exist', async () => {
    const ran = await taskOn(
      [200, { level: 'L1', active_changes: [], proposals: [], history: [] }],
      ['tune', 'show', 'x'],
    );
    expect(ran).toMatchObject({ code: 5, stdout: '' });
    expect(ran.stderr).toContain('There is no proposal x');
  });

  test('names each refused field in words of the task, not as a pointer', async () => {
    const ran = await taskOn(
      problem(422, 'invalid', {
        detail: 'says it all again',
        errors: [
          { pointer: '/tasks/1/completion_signals/0/path', message: 'must not be empty' },
          { pointer: '?limit', message: 'is too big' },
        ],
      }),
    );
    expect(ran.stderr).toBe(
      'error: title of invalid\n' +
        '  tasks[1].completion_signals[0].path must not be empty\n' +
        '  ?limit is too big\n',
    );
  });

  test('says what to do next', async () => {
    const ran = await taskOn(problem(401, 'unauthenticated'));
    expect(ran.stderr).toContain(
      'next: The token comes from --token. Give another with --token or ASSAY_TOKEN',
    );
  });

  test('with --json is one line of JSON on standard error', async () => {
    const ran = await taskOn(problem(409, 'conflict', { detail: 'it is done' }), ['cancel', 't-1', '--json']);
    expect(ran).toMatchObject({ code: 4, stdout: '' });
    expect(JSON.parse(ran.stderr)).toEqual({
      error: {
        code: 'conflict',
        message: 'title of conflict: it is done',
        hint: '`assay task ID` shows the state and the reason.',
        details: [],
        exit_code: 4,
      },
    });
  });

  test('cannot write escape sequences to the terminal', async () => {
    const ran = await taskOn(
      problem(409, 'conflict', { detail: 'evil\u001b[2J\u001b]0;owned\u0007 \u0008\u202etext' }),
    );
    expect(ran.stderr).not.toContain('\u001b');
    expect(ran.stderr).not.toContain('\u0008');
    expect(ran.stderr).not.toContain('\u202e');
    expect(ran.stderr).toContain('evil');
  });
});

describe('a word of API Gateway', () => {
  test.each([
    [401, 'Unauthorized', 2, 'unauthenticated', 'No token was sent.'],
    [403, 'Forbidden', 2, 'unauthenticated', 'The token is not known here, is over, or was revoked.'],
    [429, 'Too Many Requests', 1, 'too_many_requests', 'The API accepts no more requests at the moment.'],
  ])('%i %s is said in ours, with what to do next', async (status, message, exit, code, text) => {
    const ran = await taskOn([status, { message }], ['cancel', 't-1', '--json']);
    expect(ran).toMatchObject({ code: exit, stdout: '' });
    const { error } = JSON.parse(ran.stderr);
    expect(error).toMatchObject({ code, message: text, hint: expect.any(String) });
    if (status !== 429) expect(error.hint).toContain('The token comes from --token');
  });

  test('is not heard in what some other server says', async () => {
    const ran = await taskOn([403, { error: 'no' }]);
    expect(ran.stderr).toContain('without a problem document');
  });
});

describe('an address where nothing listens', () => {
  test('is named together with where it came from', async () => {
    api = await fakeApi(() => 'drop');
    const { url } = api;
    await api.close();
    const ran = await assay(['retry', 't-1'], { env: { ASSAY_URL: url, ASSAY_TOKEN: 'x' } });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(`Nothing answers at ${url} (ECONNREFUSED).`);
    expect(ran.stderr).toContain('The address comes from ASSAY_URL.');
  });
});

describe('a wrong command line', () => {
  test.each([
    [['tsks'], "unknown command 'tsks'"],
    [['tsks'], 'Did you mean tasks?'],
    [['tasks', '--colour'], "unknown option '--colour'"],
    [['task'], "missing required argument 'id'"],
    [['tasks', '--status', 'finished'], 'Allowed choices are blocked, open'],
    [['tasks', '--limit', '0'], '--limit must be a whole number from 1, not 0.'],
    [['watch', 't-1', '--timeout', 'soon'], '--timeout must be seconds'],
    [['up', '--port', '70000'], '--port must be 1 to 65535, or 0 for a free one, not 70000.'],
    [['review', 't-1'], "required option '--reason <text>' not specified"],
    [['review', 't-1', '--reason', 'x'], 'Say either --approve or --reject.'],
    [['token', 'create', '--name', 'ci'], 'Give --table or ASSAY_TABLE'],
    [['token', 'create', '--name', ' ', '--table', 't'], '--name must have 1 to 100 characters.'],
    [['tasks'], 'Give --url and --token, or ASSAY_URL and ASSAY_TOKEN'],
    [['tasks', '--url', 'ftp://x'], '--url is not an http(s) address: ftp://x'],
  ])('%j is exit code 2, with the reason on standard error only', async (argv, reason) => {
    const ran = await assay(argv);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(reason);
  });

  test('with --json is a line of JSON, too', async () => {
    const ran = await assay(['task', '--json']);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(JSON.parse(ran.stderr)).toMatchObject({
      error: { code: 'missingArgument', message: "missing required argument 'id'", exit_code: 2 },
    });
  });
});

test.each([
  ['/title', 'title'],
  ['/tasks/0/files/12', 'tasks[0].files[12]'],
  ['/0/title', '0.title'],
  ['/a~1b~0c', 'a/b~c'],
  ['?limit', '?limit'],
  ['{id}', '{id}'],
  ['', '(body)'],
])('the pointer %s reads %s', (pointer, readable) => {
  expect(formatJsonPointer(pointer)).toBe(readable);
});
