import type { CheckFinding, GateEvidence } from '../../shared/contract/evidence/schema.ts';
import type { GateResult } from './gate.ts';

/** `error`: the gate fails. `warning`: a reviewer decides. `info`: a note. `existing`: the base commit has it too. */
export type FindingSeverity = 'error' | 'warning' | 'info' | 'existing';

/** Something that a gate saw in the code. */
export interface GateFinding extends CheckFinding {
  readonly severity: FindingSeverity;
}

/** Most findings that one gate hands on; what counts most comes first. */
const MAX_FINDINGS = 500;
/** How many of them are named in the detail. */
const IN_DETAIL = 5;

const SEVERITIES_WORST_FIRST: readonly FindingSeverity[] = ['error', 'warning', 'info', 'existing'];

/** As evidence has them: what was there before is marked. */
export const toEvidenceFindings = (seen: readonly GateFinding[]): CheckFinding[] =>
  seen.map(({ severity, message, ...finding }) =>
    severity === 'existing'
      ? { ...finding, message: `${message} (was there before the patch)`, baseline: 'unchanged' }
      : { ...finding, message },
  );

/** The result of a gate that looks at code itself. `clean` is its detail when there is nothing to say. */
export function buildGateResult(
  seen: readonly GateFinding[],
  clean: string,
  facts: GateEvidence['facts'] = {},
): GateResult {
  const count = (weight: FindingSeverity): number => seen.filter((each) => each.severity === weight).length;
  const sorted = SEVERITIES_WORST_FIRST.flatMap((weight) => seen.filter((each) => each.severity === weight));
  const counts = {
    findings_error: count('error'),
    findings_warning: count('warning'),
    findings_info: count('info'),
    findings_existing: count('existing'),
  };
  return {
    outcome: counts.findings_error > 0 ? 'failed' : counts.findings_warning > 0 ? 'could_not_run' : 'passed',
    kind: 'checked',
    findings: toEvidenceFindings(sorted.slice(0, MAX_FINDINGS)),
    detail: detailOf(sorted, clean),
    facts: { ...counts, ...facts },
  };
}

function detailOf(sorted: readonly GateFinding[], clean: string): string {
  const worst = sorted[0]?.severity;
  if (worst !== 'error' && worst !== 'warning')
    return sorted.length === 0 ? clean : `${clean}; ${sorted.length} reported`;
  const grave = sorted.filter(({ severity }) => severity === worst);
  const named = grave.slice(0, IN_DETAIL).map(({ file, line, message }) => {
    const place = file === null ? '' : line === null ? `${file}: ` : `${file}:${line}: `;
    return place + message;
  });
  const rest = grave.length > IN_DETAIL ? `; and ${grave.length - IN_DETAIL} more` : '';
  const lead = worst === 'warning' ? 'cannot tell, a person must look: ' : '';
  return `${lead}${named.join('; ')}${rest}`.slice(0, 4_000);
}
