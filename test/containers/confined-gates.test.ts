import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Evidence } from '../../shared/contract/evidence/schema.ts';
import { listUserProcesses } from '../../workspace/process/user-processes.ts';
import {
  buildContainerEnvironment,
  CONFINE_COMMAND,
  canConfine,
  createTraversableFolder,
  getContainerUsers,
  warnAboutSkippedTests,
} from '../support/confinement.ts';
import { createTestRepository } from '../support/git-repository.ts';
import { gatesAssignment, startBox } from './box.ts';
import { type FakeApi, startFakeApi } from './fake-api.ts';

warnAboutSkippedTests(6);
let api: FakeApi;
beforeEach(async () => {
  api = await startFakeApi();
});
afterEach(() => api.stop());

const BASE = {
  'code.sh': 'true\n',
  'test.sh': '. ./code.sh\necho "ok 1 - runs"\n',
};

/** A repository and a patch on it, which is judged by a gates box with the template's capabilities. */
function work(config: string, change: Record<string, string>, base: Record<string, string> = BASE) {
  const repository = createTestRepository({ ...base, 'assay.yaml': `quality_gates:\n${config}` });
  return onRepository(repository, change);
}
function onRepository(repository: ReturnType<typeof createTestRepository>, change: Record<string, string>) {
  const base_commit = repository.git('rev-parse', 'main');
  repository.git('checkout', '--quiet', '--detach', 'main');
  repository.commit(change);
  return {
    repository,
    base_commit,
    tree: repository.git('rev-parse', 'HEAD^{tree}'),
    patch: Buffer.from(`${repository.git('diff', '--binary', '--full-index', 'main', 'HEAD')}\n`),
  };
}

async function judge(of: ReturnType<typeof work>, more: Parameters<typeof gatesAssignment>[3] = {}) {
  api.calls.length = 0;
  const assignment = gatesAssignment(api, of.repository.url, of, more);
  const env = buildContainerEnvironment('gates', createTraversableFolder());
  const { code, log } = await startBox(['containers/gates/main.ts'], api, assignment, env, CONFINE_COMMAND)
    .ended;
  expect({ code, log }).toMatchObject({ code: 0 });
  const { evidence } = (api.bodies('evidence')[0] ?? {}) as { evidence?: Evidence };
  return Object.fromEntries((evidence?.gates ?? []).map((gate) => [gate.name, gate]));
}

/** Shell for: each room that there may be, from inside of one. */
const EACH_ROOM = 'for room in "$PWD"/../../room-{1..40}; do';
/** Runs a script that leaves its group, session, environment, folder and output, and waits until it runs. `$1` is where the rooms are. */
const daemon = (name: string, script: string): string =>
  `cat > "$TMPDIR/${name}" <<'END'\n: > "$0.up"\n${script}\nEND
(cd / && setsid env -i bash "$TMPDIR/${name}" "$OLDPWD/../.." < /dev/null > /dev/null 2>&1 &)
while [ ! -e "$TMPDIR/${name}.up" ]; do sleep 0.01; done\n`;

describe.skipIf(!canConfine)('in a gates box with the capabilities of the template', () => {
  test('a command can do what it needs, and has no capability itself', async () => {
    const script =
      'grep CapEff /proc/self/status; test -w . && git status --short && touch new && test ! -e new.txt\n';
    const { lint } = await judge(
      work('  lint_command: "bash lint.sh"\n', { 'new.txt': 'x\n' }, { ...BASE, 'lint.sh': script }),
    );
    expect(lint?.outcome).toBe('failed');
    expect(lint?.detail).toMatch(/CapEff:\s0{16}/);
  });

  test('a signal is somebody else, too, and cannot look into the supervisor', async () => {
    const of = work('  lint: false\n', { 'a.txt': 'x\n' });
    const ids = getContainerUsers('gates').map(({ uid }) => uid);
    const command = `case " ${ids.join(' ')} " in *" $(id -u) "*) ! cat /proc/$PPID/environ && touch new;; *) false;; esac`;
    await judge(of, { signals: [{ type: 'test_passes', command, timeout_s: 20 }] });
    const { evidence } = (api.bodies('evidence')[0] ?? {}) as { evidence?: Evidence };
    expect(evidence?.signals[0]).toMatchObject({ outcome: 'passed' });
  });

  test('nothing that a command starts outlives it, however it hides', async () => {
    const { tests } = await judge(
      work('  lint: false\n  tests: true\n  test_command: "bash test.sh"\n', {
        'code.sh': `${daemon('stay', 'while :; do sleep 1; done')}${daemon('hop', 'exec perl -e \'$0="init"; while (1) { fork and exit }\'')}`,
      }),
    );
    expect(tests?.outcome).toBe('passed');
    expect(getContainerUsers('gates').flatMap(({ uid }) => listUserProcesses(uid))).toEqual([]);
  });

  test('code of the patch cannot make a required check pass that runs in another room', async () => {
    const { lint, tests } = await judge(
      work(
        '  lint_command: "for i in {1..30}; do grep -q BAD code.sh || exit 0; sleep 0.1; done; exit 1"\n  tests: true\n  test_command: "bash test.sh"\n',
        {
          'code.sh': `: BAD\n${daemon('spoil', `while :; do ${EACH_ROOM.replace('"$PWD"/../..', '"$1"')} echo : > $room/tree/code.sh; done; done`)}${EACH_ROOM} echo : > $room/tree/code.sh; done 2>/dev/null\ntrue\n`,
        },
      ),
    );
    expect([lint?.outcome, tests?.outcome]).toEqual(['failed', 'passed']);
  });

  test('code of the patch cannot poison what is remembered of the base for other tasks', async () => {
    const repository = createTestRepository({
      'sum.js': 'exports.sum = (a, b) => a + b;\n',
      'sum.test.js':
        "const { test } = require('node:test');\ntest('adds', () => require('node:assert').equal(require('./sum.js').sum(1, 2), 3));\n",
      'assay.yaml': 'quality_gates:\n  lint: false\n  tests: true\n  test_command: "node --test"\n',
    });
    const evil = onRepository(repository, {
      'sum.js': `exports.sum = () => 0;
const loop = 'while :; do for room in ' + process.cwd() + '/../../room-{1..40}; do echo "exports.sum = () => 0;" > $room/tree/sum.js; done; done 2>/dev/null';
require('node:child_process').spawn('bash', ['-c', loop], { detached: true, stdio: 'ignore', cwd: '/', env: {} }).unref();
`,
    });
    await judge(evil);
    const { tests } = await judge(onRepository(repository, { 'sum.js': 'exports.sum = (a, b) => a - b;\n' }));
    expect(tests?.outcome).toBe('failed');
    expect(tests?.facts).toMatchObject({ baseline_outcome: 'passed' });
  });

  test('a command learns neither the token nor where the assignment is, and sees no other room', async () => {
    const script = `cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n' | grep -a -e "assay_test[_]token" -e "${api.url}/assign[m]ent"
ls ../.. ..
ls -d ../../room-*/tree ../../room-{1..40}/tree
test ! -e new.txt
`;
    const { lint } = await judge(
      work(
        '  lint_command: "bash lint.sh 2>/dev/null"\n',
        { 'new.txt': 'x\n' },
        { ...BASE, 'lint.sh': script },
      ),
    );
    expect(lint?.outcome).toBe('failed');
    expect(lint?.detail).not.toMatch(/assay_test_token/);
    expect(lint?.detail).not.toContain(`${api.url}/assignment`);
    expect(lint?.detail.match(/room-\d+\/tree/g) ?? []).toHaveLength(1);
  });
});
