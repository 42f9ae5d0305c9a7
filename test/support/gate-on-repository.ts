import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Gate, GateResult } from '../../gates/core/gate.ts';
import { Rooms } from '../../gates/core/rooms.ts';
import { makeSubject } from '../../gates/pipeline/make-subject.ts';
import type { Upstream } from '../../workspace/git/upstream.ts';
import type { RunAs } from '../../workspace/process/run-as.ts';
import { openFolder } from './confined.ts';
import { type Repository, temporaryFolder } from './repository.ts';

/**
 * Runs one gate on what a repository has committed since `base`: for what plain files cannot show, such as links, submodules and
 * odd names.
 */
export async function gateOnRepository(
  gate: Gate,
  repository: Repository,
  base: string,
  more: {
    readonly settings?: Readonly<Record<string, unknown>>;
    readonly upstream?: () => Promise<Upstream | null>;
    readonly timeoutMs?: number;
    /** Users of its rooms; absent: all run as we do. */
    readonly users?: readonly RunAs[];
  } = {},
): Promise<GateResult> {
  const store = { dir: join(repository.dir, '.git'), format: 'sha1' } as const;
  const workDir = join(more.users ? openFolder() : temporaryFolder(), 'rooms');
  mkdirSync(workDir, { mode: 0o711 });
  const rooms = new Rooms({ store, base, workDir, users: more.users ?? null });
  const tree = repository.git('rev-parse', 'HEAD^{tree}');
  const subject = await makeSubject({
    store,
    base,
    tree,
    rooms,
    ...(more.upstream ? { upstream: more.upstream } : {}),
  });
  return gate.run(
    { subject, command: null, asked: true, timeoutMs: more.timeoutMs ?? 60_000 },
    more.settings ?? {},
  );
}
