import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentCliKind } from '../../shared/contract/agents/adapter-manifests.ts';
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

/** USD that the task of a real agent may cost: two short sessions of the cheapest tier cost a few cents. */
const AGENT_BUDGET_USD = 0.5;

/**
 * Builds the task of the smoke test: one file is written, and a signal checks that the file exists.
 * @param agent CLI that does it with a model, for cents; undefined: a shell, without a model
 */
export function buildSmokeTask(
  { url, base }: SmokeRepository,
  agent: AgentCliKind | undefined,
): TaskSubmissionInput & { readonly id: string } {
  const id = `smoke-${randomUUID().slice(0, 8)}`;
  return {
    id,
    title: 'Smoke test: write one file',
    ...(agent !== undefined && {
      description: `Create the file ${FILE} in the root of the repository. Its only line is: ${id}. Change nothing else.`,
      scope: 'small',
      complexity: 'low',
    }),
    repository: url,
    base_ref: base,
    priority: 1,
    files: [FILE],
    completion_signals: [{ type: 'path_exists', path: FILE }],
    budget: agent === undefined ? { max_attempts: 1 } : { max_attempts: 1, max_cost_usd: AGENT_BUDGET_USD },
    adapter:
      agent === undefined
        ? { kind: 'command', argv: ['sh', '-c', `printf '%s\\n' "$0" > ${FILE}`, '{task_id}'], timeout_s: 60 }
        : { kind: agent, timeout_s: 300 },
  };
}
