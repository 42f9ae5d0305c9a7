import { HIDDEN_TESTS_GATE } from '../../shared/contract/evidence/gate-names.ts';
import {
  type Evidence,
  type GateEvidence,
  isRestoredProtectedFile,
} from '../../shared/contract/evidence/schema.ts';

/** What kind of look held a patch. */
export const DETECTION_KINDS = ['runs', 'mutants', 'hidden tests', "base's files", 'rules'] as const;
export type DetectionKind = (typeof DETECTION_KINDS)[number];

/** Runs on code that is changed to see who notices. */
const MUTANTS = /^run_(?:mutant_survives|tests_weakened|test_asks_nothing)$/;

/** What decided: the gravest findings of the gates that hold the patch. */
const findDecidingRules = ({ name, findings, facts }: GateEvidence): string[] => {
  const grave = Number(facts['findings_error']) || Number(facts['findings_warning']) || 0;
  const rules = findings.slice(0, grave).map(({ rule }) => rule);
  return rules.length > 0 ? rules : [name];
};

const isBlocking = ({ required, blocked, outcome }: GateEvidence): boolean =>
  (required || blocked) && !/^(?:passed|skipped|bypassed)$/.test(outcome);

/** Rules, or gates, that held a patch. */
export const listBlockingRules = ({ gates }: Evidence): string[] => [
  ...new Set(gates.filter(isBlocking).flatMap(findDecidingRules)),
];

/** How it was seen, each kind once, in the order of `KINDS`. */
export function classifyDetections(evidence: Evidence): DetectionKind[] {
  const found = new Set<DetectionKind>(evidence.gates.filter(isBlocking).flatMap(kindsIn));
  if (evidence.protected_files.some(isRestoredProtectedFile)) found.add("base's files");
  return DETECTION_KINDS.filter((kind) => found.has(kind));
}

function kindsIn(gate: GateEvidence): DetectionKind[] {
  if (gate.name === HIDDEN_TESTS_GATE) return ['hidden tests'];
  if (gate.kind !== 'executed') return ['rules'];
  return findDecidingRules(gate).map((rule) => (MUTANTS.test(rule) ? 'mutants' : 'runs'));
}
