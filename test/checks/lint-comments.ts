import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { SKIPPED_EXIT_CODE } from './check-steps.ts';
import { checkComments, parseAddedLines } from './comment-language.ts';

const HELP = `Usage: npm run lint:comments -- [--base COMMIT]

Checks the comments of lines that were added since a base commit against the language guide of CONTRIBUTING.md.
Default base: the parent of HEAD. A branch: --base "$(git merge-base HEAD origin/main)".
Exit code 0: no finding. 1: findings, one a line. 77: skipped, because git has no base commit here.`;
/** Samples: their comments belong to the code that tests and rules read. */
const EXCLUDED = [':!test/fixtures', ':!lab/adversarial/corpus', ':!lab/adversarial/unseen'];
const SOURCES = ['*.ts', '*.tsx', '*.js', '*.mjs', '*.cjs'];

/** Returns the output of a git command, or null if git fails. */
function git(...args: string[]): string | null {
  try {
    return execFileSync('git', args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 1 << 29,
    });
  } catch {
    return null;
  }
}

const commitOf = (name: string): string | null =>
  git('rev-parse', '--verify', '--quiet', `${name}^{commit}`)?.trim() ?? null;

function main(): number {
  const { values } = parseArgs({
    options: { base: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const base = commitOf(values.base ?? 'HEAD~1');
  const diff =
    base === null
      ? null
      : git(
          'diff',
          '-U0',
          '-M',
          '--no-prefix',
          '--no-color',
          '--no-ext-diff',
          '--relative',
          base,
          '--',
          ...SOURCES,
          ...EXCLUDED,
        );
  if (base === null || diff === null) {
    console.log('SKIPPED comments of new lines: git has no base commit here (shallow clone, or no checkout)');
    return SKIPPED_EXIT_CODE;
  }
  const files = [...parseAddedLines(diff)].filter(([path]) => existsSync(path));
  const findings = files.flatMap(([path, lines]) => checkComments(path, readFileSync(path, 'utf8'), lines));
  for (const { path, line, message } of findings) console.log(`${path}:${line}: comment ${message}`);
  console.log(
    `${findings.length} findings in the comments of ${files.length} files changed since ${base.slice(0, 12)}`,
  );
  return findings.length === 0 ? 0 : 1;
}

process.exitCode = main();
