import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { listUserProcesses } from '../../workspace/process/user-processes.ts';
import {
  buildContainerEnvironment,
  CONFINE_COMMAND,
  canConfine,
  createTraversableFolder,
  getContainerUsers,
  warnAboutSkippedTests,
} from '../support/confinement.ts';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import { agentAssignment, startBox } from './box.ts';
import { type FakeApi, startFakeApi } from './fake-api.ts';

warnAboutSkippedTests(19);
let api: FakeApi;
let work: string;
beforeEach(async () => {
  api = await startFakeApi();
  work = createTraversableFolder();
  mkdirSync(join(work, 'seen'));
  chmodSync(join(work, 'seen'), 0o777);
});
afterEach(() => api.stop());

/** What an agent hands in from a box with the template's capabilities. */
async function attempt(
  script: string,
  repository: TestRepository = createTestRepository({ 'a.txt': 'a\n' }),
  read_credential: string | null = null,
) {
  const assignment = agentAssignment(api, repository.url, ['bash', '-c', script], {
    base_commit: repository.git('rev-parse', 'HEAD'),
    read_credential,
  });
  const env = { ...buildContainerEnvironment('agent', work), HOME: '/nonexistent' };
  const { code, log } = await startBox(['containers/agent/main.ts'], api, assignment, env, CONFINE_COMMAND)
    .ended;
  expect({ code, log }).toMatchObject({ code: 0 });
  for (const { uid } of getContainerUsers('agent')) expect(listUserProcesses(uid)).toEqual([]);
  return { complete: api.bodies('complete')[0], fail: api.bodies('fail')[0] };
}
/** A file that everybody could write: who ran code that was planted. */
const seen = (name: string): string => join(work, 'seen', name);

/** A repository with a submodule at `sub`, which is at a commit that nobody has. */
function withSubmodule(): TestRepository {
  const repository = createTestRepository({
    'a.txt': 'a\n',
    '.gitmodules': '[submodule "sub"]\n\tpath = sub\n\turl = ../sub\n',
  });
  repository.git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},sub`);
  repository.git('commit', '--quiet', '-m', 'with a submodule');
  return repository;
}
/** Makes a repository in a folder whose settings name a program for everything that git looks at. */
const trap = (folder: string, out: string): string =>
  `mkdir -p ${folder} && cd ${folder} && git init -q && echo '* filter=x diff=x' > .gitattributes && echo a > f &&
git -c user.name=x -c user.email=x add . && git -c user.name=x -c user.email=x commit -qm x &&
for key in filter.x.clean filter.x.smudge filter.x.process core.fsmonitor diff.x.textconv diff.x.command core.sshCommand core.pager; do
  git config $key "sh -c 'id -u >> ${out}; cat'"; done; git config filter.x.required true; echo b > f; cd - >/dev/null\n`;

describe.skipIf(!canConfine)('in an agent box with the capabilities of the template', () => {
  test('an agent hands in what it left', async () => {
    const { complete } = await attempt('echo b > a.txt; git status --short > status; echo done');
    expect(complete?.['summary']).toBe('done');
    expect(complete?.['patch']).toContain('+b\n');
    expect(complete?.['patch']).toContain('+ M a.txt\n');
  });

  test('an agent is somebody else, in a checkout and a home of its own, where git works', async () => {
    const [user] = getContainerUsers('agent');
    const { complete } = await attempt(
      'id -u; ls -ldn . | cut -d" " -f3; git status --short && touch "$HOME/x" "$TMPDIR/y" && grep -c "CapEff:.0*$" /proc/self/status',
    );
    expect(complete?.['summary']).toBe(`${user?.uid}\n${user?.uid}\n1`);
  });

  test('an agent cannot change, replace or move the folder of tool hooks', async () => {
    const tries = [
      'touch ../hooks/x',
      'rm -rf ../hooks',
      'mv ../hooks ../other',
      'chmod 777 ../hooks',
      'mkdir ../own',
    ];
    const { complete } = await attempt(
      `${tries.map((line) => `${line} 2> /dev/null && echo could`).join('; ')}; echo tried`,
    );
    expect(complete?.['summary']).toBe('tried');
  });

  test('an agent finds no credential for the repository, neither in its own process nor in those of others', async () => {
    const search = `cd /; grep -rlsa 'ghs_'0123 /proc/[0-9]*/environ /proc/[0-9]*/cmdline ${work} "$HOME" "$TMPDIR" /tmp/assay-* 2>/dev/null
      for p in /proc/[0-9]*; do cat $p/mem >/dev/null 2>&1 && echo "$p has readable memory"; done
      git -C "$OLDPWD" config --list --show-origin | grep -i extraheader
      env | grep -c 'ghs_'0123 | grep -v '^0$'; echo searched`;
    const { complete } = await attempt(
      search,
      createTestRepository({ 'a.txt': 'a\n' }),
      'Basic ghs_0123456789',
    );
    expect(complete?.['summary']).toBe('searched');
  });

  test.each([
    ['a submodule', 'sub'],
    ['a folder of its own', 'own'],
  ])('a program that it names in the settings of %s never runs as root', async (_, folder) => {
    const out = seen('filter');
    const { fail } = await attempt(`echo > a.txt; ${trap(folder, out)}`, withSubmodule());
    expect(fail).toMatchObject({
      failure_code: 'work_not_deliverable',
      reason: expect.stringContaining(folder),
    });
    const ran = existsSync(out) ? readFileSync(out, 'utf8').trim().split('\n') : [];
    expect(ran).not.toContain('0');
  });

  test('neither does one that it names in the settings of the checkout, or of whoever runs git', async () => {
    const out = seen('own');
    const { complete } = await attempt(
      `${trap('.', out)} cp .git/config ~/.gitconfig; mkdir -p ~/.config/git; cp .git/config ~/.config/git/config; rm -f ${out}; echo done`,
    );
    expect(String(complete?.['patch'])).toContain('+++ b/f');
    expect(existsSync(out)).toBe(false);
  });

  test.each([
    [
      'moves a submodule',
      'git init -q sub; git -C sub -c user.name=x -c user.email=x commit -q --allow-empty -m x',
    ],
    ['takes a submodule away', 'rmdir sub'],
    ['puts a file in the place of a submodule', 'rmdir sub; echo x > sub'],
  ])('an agent that %s is told that it cannot', async (_, script) => {
    const { fail, complete } = await attempt(script, withSubmodule());
    expect(complete).toBeUndefined();
    expect(fail).toMatchObject({
      failure_code: 'work_not_deliverable',
      reason: expect.stringMatching(/sub is a submodule/),
    });
  });

  test.each([
    ['a file', 'rm -rf .git; echo "gitdir: /nonexistent" > .git'],
    ['a link', 'rm -rf .git; ln -s / .git'],
    ['a pipe', 'rm -rf .git; mkfifo .git'],
    [
      'borrowed objects, another work tree and a broken index',
      'echo /nonexistent > .git/objects/info/alternates; git config core.worktree /; echo x > .git/index; echo x > .git/HEAD',
    ],
  ])(
    'an agent that leaves %s where the repository was hands in its files all the same',
    async (_, script) => {
      const { complete } = await attempt(`${script}; echo b > a.txt`);
      expect(String(complete?.['patch']).match(/^diff --git .*$/gm)).toEqual(['diff --git a/a.txt b/a.txt']);
    },
  );

  test.each([
    ['that nobody may read', 'mkdir d; echo x > d/x; chmod 000 d'],
    [
      'too deep for a path',
      'd=$(printf "x%.0s" {1..200}); for i in {1..25}; do mkdir $d; cd $d; done; echo x > x',
    ],
  ])('work in a folder %s is not left out without a word', async (_, script) => {
    const { complete, fail } = await attempt(`echo b > a.txt; ${script}`);
    expect(complete).toBeUndefined();
    expect(fail).toMatchObject({
      failure_code: 'work_not_deliverable',
      reason: expect.stringContaining('could not open directory'),
    });
  });

  test('pipes, sockets, links out of the checkout and a file of a terabyte do not hold it up or lead it astray', async () => {
    const secret = seen('secret');
    writeFileSync(secret, 'secret of root\n', { mode: 0o600 });
    const { complete } = await attempt(
      `mkfifo p; ln -s ${secret} l; ln ${secret} h 2>/dev/null; ln -s / root; mkdir d; ln -s ../.. d/up; printf 'big\\n' > .gitignore; truncate -s 1T big; echo b > a.txt`,
    );
    const patch = String(complete?.['patch']);
    expect(patch).not.toContain('secret of root');
    expect(patch).toContain('+++ b/l');
  });

  test('an agent learns neither its token nor where its assignment is', async () => {
    const { complete } = await attempt(
      `{ cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr '\\0' '\\n' | grep -a -e "assay_test[_]token" -e "${api.url}/assign[m]ent"
      for pid in $PPID $$; do head -c 100 /proc/$pid/mem; cat /proc/$pid/maps; ls -l /proc/$pid/fd; done; } > dump 2>/dev/null; echo looked`,
    );
    expect(complete?.['summary']).toBe('looked');
    expect(complete?.['patch']).not.toMatch(/assay_test_token/);
    expect(complete?.['patch']).not.toContain(`${api.url}/assignment`);
  });

  test('the URL of its assignment is worth nothing to an agent who knows it, and stands in no environment of its own', async () => {
    const { complete } = await attempt(
      `env > variables; for pid in /proc/self $$ $PPID; do tr '\\0' '\\n' < /proc/$pid/environ; done >> variables 2>/dev/null
      node -e 'for (const method of ["GET", "DELETE"]) fetch(process.argv[1], { method }).then(async (a) => console.log(method, a.status, await a.text()))' ${api.url}/assignment > answers; sort answers`,
    );
    expect(complete?.['summary']).toMatch(/^DELETE 204 \S*\nGET 404 \{\}$/);
    expect(complete?.['patch']).toContain('+++ b/variables');
    expect(complete?.['patch']).not.toMatch(/assay_test_token|=http.*\/assignment/);
  });

  test('nothing that an agent starts is there when its work is taken', async () => {
    const { complete } = await attempt(
      `echo 'echo $$ > ${seen('pid')}; while :; do echo x >> late; done' > "$TMPDIR/d"; echo late > late
(setsid env -i bash "$TMPDIR/d" > /dev/null 2>&1 &)
cat > "$TMPDIR/hop" <<'END'
$0 = "[kworker/0:0]"; while (1) { fork and exit }
END
(cd / && setsid env -i perl "$TMPDIR/hop" > /dev/null 2>&1 &)
while [ ! -s ${seen('pid')} ]; do sleep 0.01; done; echo done`,
    );
    expect(complete?.['summary']).toBe('done');
  });
});
