import { COMPLETE_PATCH_GATE } from '../../shared/contract/evidence/gate-names.ts';
import type { GateEvidence } from '../../shared/contract/evidence/schema.ts';
import { toDisplayPath } from '../../workspace/git/path-encoding.ts';

/** A path of the working tree that no check has looked at, and the reason, which follows the path in a sentence. */
export interface UncheckedPath {
  readonly path: string;
  readonly reason: string;
}

/** How many paths the detail names. */
const NAMED = 5;

/** States that the patch leaves out what stands in the working tree: a reviewer decides. Null: it holds everything. */
export function buildMissingPathsEvidence(missing: readonly UncheckedPath[]): GateEvidence | null {
  if (missing.length === 0) return null;
  const findings = missing.map(({ path, reason }) => ({
    file: toDisplayPath(path),
    line: null,
    rule: 'not_in_patch',
    message: `${reason}: no check has looked at it`,
  }));
  const named = findings.slice(0, NAMED).map(({ file, message }) => `${file} ${message}`);
  const more = findings.length > NAMED ? `; and ${findings.length - NAMED} more` : '';
  return {
    name: COMPLETE_PATCH_GATE,
    outcome: 'could_not_run',
    kind: 'checked',
    required: true,
    blocked: false,
    cached: false,
    findings,
    detail: `the patch does not hold everything: ${named.join('; ')}${more}`.slice(0, 4_000),
    duration_ms: 0,
    metadata: { paths_missing: missing.length },
  };
}
