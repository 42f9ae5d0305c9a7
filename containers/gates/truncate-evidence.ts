import {
  type Evidence,
  isRestoredProtectedFile,
  MAX_OMITTED_REVIEW_CONTEXT_PARTS,
} from '../../shared/contract/evidence/schema.ts';
import { MAX_REQUEST_BODY_BYTES } from '../../shared/contract/resource-names.ts';

/** Room for the rest of the request. */
const LIMIT = MAX_REQUEST_BODY_BYTES - 16 * 1024;

const size = (evidence: Evidence): number => Buffer.byteLength(JSON.stringify(evidence));

/** Cuts lists and texts until the evidence fits into one request. Outcomes are never touched, and each cut says so. */
export function truncateEvidenceToLimit(evidence: Evidence, limit = LIMIT): Evidence {
  let fit = evidence;
  if (size(fit) > limit && evidence.review_context && evidence.review_context.parts.length > 0) {
    const { parts, omitted } = evidence.review_context;
    const names = [...parts.map(({ kind, path }) => `${kind} ${cut(path, 100)}`), ...omitted];
    const left = { parts: [], omitted: names.slice(0, MAX_OMITTED_REVIEW_CONTEXT_PARTS) };
    return truncateEvidenceToLimit({ ...evidence, review_context: left }, limit);
  }
  for (let keep = 1_024; size(fit) > limit && keep >= 1; keep = Math.floor(keep / 4))
    fit = {
      ...evidence,
      changed_files: evidence.changed_files.slice(0, keep * 8),
      ...(evidence.changed_files.length > keep * 8 && { changed_files_total: evidence.changed_files.length }),
      // What was put back decides, and stays as long as there is room for one file.
      protected_files: [...evidence.protected_files]
        .sort((a, b) => Number(isRestoredProtectedFile(b)) - Number(isRestoredProtectedFile(a)))
        .slice(0, keep),
      signals: evidence.signals.map((signal) => ({ ...signal, detail: cut(signal.detail, keep) })),
      gates: evidence.gates.map((gate) => ({
        ...gate,
        detail: cut(gate.detail, keep),
        findings: gate.findings
          .slice(0, keep)
          .map((finding) => ({ ...finding, message: cut(finding.message, keep) })),
        facts: { ...gate.facts, findings_total: gate.findings.length },
      })),
    };
  return fit;
}

const cut = (text: string, keep: number): string =>
  text.length <= keep * 2 ? text : `${text.slice(0, keep)} [cut] ${text.slice(-keep)}`;
