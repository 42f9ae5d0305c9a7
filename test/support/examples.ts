import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { patchView } from '../../gates/rules/framework/findings.ts';
import type { Example, PatchView } from '../../gates/rules/framework/rule.ts';
import { changesBetween } from '../../workspace/git/changes.ts';
import type { Store } from '../../workspace/git/store.ts';
import { temporaryFolder } from './repository.ts';

const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;

function commit(
  mark: number,
  parent: number | null,
  files: Example['after'],
  links: Example['links'],
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
export function examplesOf(examples: readonly Example[]): (example: Example) => Promise<PatchView> {
  const dir = temporaryFolder('assay-examples-');
  const git = (args: readonly string[], input = ''): string =>
    execFileSync('git', args, { cwd: dir, input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] });
  git(['init', '--quiet', '--bare']);
  const stream = examples.flatMap(({ before, after, links }, index) => [
    commit(2 * index + 1, null, before, undefined),
    commit(2 * index + 2, 2 * index + 1, after, links),
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
  const store: Store = { dir, format: 'sha1' };
  return async (example) => {
    const at = 2 * examples.indexOf(example);
    const [base = '', patched = ''] = [ids.get(`:${at + 1}`), ids.get(`:${at + 2}`)];
    const changes = await changesBetween(store, base, patched);
    return patchView({ store, base, patched, changes }, []);
  };
}
