import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLoopbackUrl } from '../../shared/contract/repository/loopback.ts';
import type { TaskSubmissionInput } from '../../shared/contract/submission/schema.ts';
import { createDemoRepository } from '../demo/demo-repository.ts';
import { CLI_EXIT_CODES, CliError } from '../exit.ts';

const FILE = 'assay-smoke.txt';
/** Branch whose gates, lint and tests, pass. */
const BUILT_IN_BASE = 'next';

export interface SmokeRepository {
  readonly url: string;
  readonly base: string;
  remove(): void;
}

/** Returns the named repository, else a built-in one, which only containers on this machine can read. */
export function prepareSmokeRepository(
  api: string,
  named: string | undefined,
  base: string,
): SmokeRepository {
  if (named !== undefined) return { url: named, base, remove: () => {} };
  if (!isLoopbackUrl(api))
    throw new CliError(
      CLI_EXIT_CODES.usage,
      'no_repository',
      `The containers of ${api} cannot read repositories of this machine.`,
      {
        hint: 'Name a repository that this deployment may push to: --repository https://…',
      },
    );
  const folder = mkdtempSync(join(tmpdir(), 'assay-smoke-'));
  const { url } = createDemoRepository(join(folder, 'repository.git'));
  return {
    url,
    base: BUILT_IN_BASE,
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}

/** A task that a shell does without a model: it writes one file, and a signal checks that the file exists. */
export const buildSmokeTask = ({
  url,
  base,
}: SmokeRepository): TaskSubmissionInput & { readonly id: string } => ({
  id: `smoke-${randomUUID().slice(0, 8)}`,
  title: 'Smoke test: write one file',
  repository: url,
  base_ref: base,
  priority: 1,
  files: [FILE],
  completion_signals: [{ type: 'path_exists', path: FILE }],
  budget: { max_attempts: 1 },
  adapter: {
    kind: 'command',
    argv: ['sh', '-c', `printf '%s\\n' "$0" > ${FILE}`, '{task_id}'],
    timeout_s: 60,
  },
});
