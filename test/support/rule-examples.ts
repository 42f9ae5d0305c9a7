import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PatchView, RuleExample } from '../../gates/rules/framework/rule.ts';
import { createPatchForRules } from '../../gates/rules/framework/run-rules.ts';
import { listFileChanges } from '../../workspace/git/file-changes.ts';
import type { GitStore } from '../../workspace/git/git-store.ts';
import { createTemporaryFolder } from './git-repository.ts';

const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;

function commit(
  mark: number,
  parent: number | null,
  files: RuleExample['after'],
  links: RuleExample['symlinks'],
): string {
  const lines = [
    `commit refs/heads/e${mark}\nmark :${mark}\ncommitter Ada <ada@example.org> 0 +0000\n${data('')}`,
    ...(parent === null ? [] : [`from :${parent}\n`]),
    ...Object.entries(files).map(([path, text]) =>
      text === null ? `D ${path}\n` : `M 100644 inline ${path}\n${data(text)}`,
    ),
    ...Object.entries(links ?? {}).map(([path, target]) => `M 120000 inline ${path}\n${data(target)}`),
  ];
  return lines.join('');
}

/** All examples in one repository, written by one process. Gives the patch of each as rules see it. */
export function createExamplePatches(
  examples: readonly RuleExample[],
): (example: RuleExample) => Promise<PatchView> {
  const dir = createTemporaryFolder('assay-examples-');
  const git = (args: readonly string[], input = ''): string =>
    execFileSync('git', args, { cwd: dir, input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] });
  git(['init', '--quiet', '--bare']);
  const stream = examples.flatMap(({ before, after, symlinks }, index) => [
    commit(2 * index + 1, null, before, undefined),
    commit(2 * index + 2, 2 * index + 1, after, symlinks),
  ]);
  const marks = join(dir, 'marks');
  git(['fast-import', '--quiet', `--export-marks=${marks}`], stream.join(''));
  const ids = new Map(
    readFileSync(marks, 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(' ') as [string, string]),
  );
  // One store for all: the processes that read it stay for the next example.
  const store: GitStore = { dir, format: 'sha1' };
  return async (example) => {
    const at = 2 * examples.indexOf(example);
    const [base = '', patched = ''] = [ids.get(`:${at + 1}`), ids.get(`:${at + 2}`)];
    const changes = await listFileChanges(store, base, patched);
    return createPatchForRules({ store, base, patched, changes }, []);
  };
}
