import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { findGitDir, listHistoryCommits } from './history-commits.ts';
import { replayCommits } from './replay-commits.ts';
import { type RepositoryReplay, renderRepositoryReplays, replayListedRepository } from './replay-list.ts';
import { renderReplayTable, summarizeReplay } from './replay-report.ts';
import { REPOSITORY_HALVES, readRepositoryList } from './repository-list.ts';

const HELP = `Usage: npm run replay -- GITDIR [options]
       npm run replay -- --list FILE [options]

Judges real commits of a repository, each against its parent, as if it were a patch, and prints what is held, by rule, with a place.
Without --tests every run of tests is taken as passed: what is shown is what reading holds.

Options:
  --commits <n>     newest commits that are judged (default 50)
  --from <ref>      where to begin (default HEAD)
  --tests <line>    really run the tests with this command
  --setup <line>    runs before the command of --tests
  --parallel <n>    commits at once (default 2)
  --json            print one JSON document
  --list <file>     repositories, such as lab/repositories.yaml: \`assay init --write\`, then \`assay check\` of honest commits, with
                    nothing edited; prints verdicts, causes and the cost relative to the suite (default of --commits: 5)
  --half <half>     only those of the list that may be looked at (look) or not (held_out)
  --only <text>     only those whose name contains this
  --mirror <folder> take git folders from FOLDER/owner+name/repo where they are there, and clone the others
  --help            this text

Examples:
  npm run replay -- ../click --commits 100
  npm run replay -- ../click --commits 20 --tests "python3 -m pytest -q"
  npm run replay -- --list lab/repositories.yaml --half look --commits 3`;

function fail(message: string): never {
  process.stderr.write(`error: ${message}\n(add --help for usage and examples)\n`);
  process.exit(2);
}

function readOptions() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        commits: { type: 'string' },
        from: { type: 'string', default: 'HEAD' },
        tests: { type: 'string' },
        setup: { type: 'string' },
        parallel: { type: 'string', default: '2' },
        json: { type: 'boolean', default: false },
        list: { type: 'string' },
        half: { type: 'string' },
        only: { type: 'string', default: '' },
        mirror: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    return fail((error as Error).message);
  }
}

const whole = (name: string, text: string): number => {
  const value = Number(text);
  return Number.isInteger(value) && value > 0 ? value : fail(`--${name} takes a whole number from 1`);
};

const { values, positionals } = readOptions();
if (values.help) {
  process.stdout.write(`${HELP}\n`);
  process.exit(0);
}
if (values.list !== undefined) {
  const half = values.half === undefined ? null : REPOSITORY_HALVES.find((each) => each === values.half);
  if (half === undefined) fail(`--half takes one of ${REPOSITORY_HALVES.join(', ')}`);
  const chosen = readRepositoryList(values.list).filter(
    (each) => (half === null || each.half === half) && each.name.includes(values.only),
  );
  if (chosen.length === 0) fail(`no repository of ${values.list} fits`);
  const replays: RepositoryReplay[] = [];
  for (const [index, repository] of chosen.entries()) {
    process.stderr.write(`${index + 1} of ${chosen.length}: ${repository.name}\n`);
    replays.push(
      await replayListedRepository(repository, {
        commits: whole('commits', values.commits ?? '5'),
        mirror: values.mirror ?? null,
      }),
    );
  }
  process.stdout.write(
    `${values.json ? JSON.stringify(replays, null, 2) : renderRepositoryReplays(replays)}\n`,
  );
  process.exit(0);
}
const [path, more] = positionals;
if (path === undefined || more !== undefined) fail('one repository is needed');
if (!existsSync(path)) fail(`there is no ${path}`);

const command = [values.setup, values.tests ?? 'true'].filter((each) => each !== undefined).join(' && ');
// Nothing is said of tests; files that steer checks are allowed, as a task would that names them, and counted.
const config = `version: 1
protected: { allow: ['**'] }
quality_gates:
  lint: false
  tests: true
  test_command: ${JSON.stringify(command)}
  timeout_s: 900
`;
const dir = findGitDir(path);
const commits = listHistoryCommits(dir, whole('commits', values.commits ?? '50'), values.from);
if (commits.length === 0) fail('no commit with one parent that changes more than prose');
const { stderr } = process;
const all = await replayCommits({
  dir,
  commits,
  config,
  parallel: whole('parallel', values.parallel),
  onDone: (done, of) => {
    if (stderr.isTTY) stderr.write(done < of ? `\r${done} of ${of} commits judged` : '\r\x1b[K');
  },
});
const report = summarizeReplay(all);
process.stdout.write(`${values.json ? JSON.stringify(report, null, 2) : renderReplayTable(report)}\n`);
