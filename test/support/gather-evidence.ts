import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type GatherEvidenceOptions, gatherEvidence } from '../../gates/pipeline/gather-evidence.ts';
import type { Evidence } from '../../shared/contract/evidence/schema.ts';
import { CompletionSignal } from '../../shared/contract/submission/signals.ts';
import { captureWorkingTree } from '../../workspace/git/working-tree.ts';
import { createTemporaryFolder, type TestRepository } from './git-repository.ts';

/** Gathers evidence on what stands in a repository's folder, against its `main`. */
export async function gatherEvidenceOn(
  repository: TestRepository,
  signals: readonly unknown[] = [],
  more: Partial<GatherEvidenceOptions> = {},
): Promise<Evidence> {
  const at = createTemporaryFolder();
  const workDir = join(at, 'rooms');
  mkdirSync(workDir);
  try {
    return await gatherEvidence({
      ...(await captureWorkingTree(repository.dir, 'main', at)),
      signals: signals.map((signal) => CompletionSignal.parse(signal)),
      workDir,
      ...more,
    });
  } finally {
    rmSync(at, { recursive: true, force: true });
  }
}

/** `name: outcome` of each gate. */
export const listGateOutcomes = (evidence: Evidence): string[] =>
  evidence.gates.map(({ name, outcome }) => `${name}: ${outcome}`);
