import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Gate, GateResult } from '../../gates/core/gate.ts';
import { SandboxFactory } from '../../gates/core/sandbox-factory.ts';
import { createPatchToCheck } from '../../gates/pipeline/create-patch-to-check.ts';
import type { UpstreamBranch } from '../../workspace/git/upstream-branch.ts';
import type { ProcessUser } from '../../workspace/process/process-user.ts';
import { createTraversableFolder } from './confinement.ts';
import { createTemporaryFolder, type TestRepository } from './git-repository.ts';

/**
 * Runs one gate on what a repository has committed since `base`: for what plain files cannot show, such as links, submodules and
 * odd names.
 */
export async function runGateOnRepository(
  gate: Gate,
  repository: TestRepository,
  base: string,
  more: {
    readonly settings?: Readonly<Record<string, unknown>>;
    readonly upstream?: () => Promise<UpstreamBranch | null>;
    readonly timeoutMs?: number;
    /** Users of its rooms; absent: all run as we do. */
    readonly users?: readonly ProcessUser[];
  } = {},
): Promise<GateResult> {
  const store = { dir: join(repository.dir, '.git'), format: 'sha1' } as const;
  const workDir = join(more.users ? createTraversableFolder() : createTemporaryFolder(), 'rooms');
  mkdirSync(workDir, { mode: 0o711 });
  const tree = repository.git('rev-parse', 'HEAD^{tree}');
  const rooms = new SandboxFactory({ store, base, tree, workDir, users: more.users ?? null });
  const subject = await createPatchToCheck({
    store,
    base,
    tree,
    rooms,
    ...(more.upstream ? { upstream: more.upstream } : {}),
  });
  return gate.run(
    { subject, command: null, explicitlyEnabled: true, timeoutMs: more.timeoutMs ?? 60_000 },
    more.settings ?? {},
  );
}
