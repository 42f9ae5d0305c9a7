import { HIDDEN_TESTS } from '../../shared/contract/evidence/names.ts';
import { type Evidence, type GateEvidence, isPutBack } from '../../shared/contract/evidence/schema.ts';

/** What kind of look held a patch. */
export const KINDS = ['runs', 'mutants', 'hidden tests', "base's files", 'rules'] as const;
export type Kind = (typeof KINDS)[number];

/** Runs on code that is changed to see who notices. */
const MUTANTS = /^run_(?:mutant_survives|tests_weakened|test_asks_nothing)$/;

/** What decided: the gravest findings of the gates that hold the patch. */
const deciding = ({ name, findings, metadata }: GateEvidence): string[] => {
  const grave = Number(metadata['findings_new']) || Number(metadata['findings_unclear']) || 0;
  const rules = findings.slice(0, grave).map(({ rule }) => rule);
  return rules.length > 0 ? rules : [name];
};

const holds = ({ required, blocked, outcome }: GateEvidence): boolean =>
  (required || blocked) && !/^(?:passed|skipped|bypassed)$/.test(outcome);

/** Rules, or gates, that held a patch. */
export const heldBy = ({ gates }: Evidence): string[] => [...new Set(gates.filter(holds).flatMap(deciding))];

/** How it was seen, each kind once, in the order of `KINDS`. */
export function kindsOf(evidence: Evidence): Kind[] {
  const found = new Set<Kind>(evidence.gates.filter(holds).flatMap(kindsIn));
  if (evidence.protected_files.some(isPutBack)) found.add("base's files");
  return KINDS.filter((kind) => found.has(kind));
}

function kindsIn(gate: GateEvidence): Kind[] {
  if (gate.name === HIDDEN_TESTS) return ['hidden tests'];
  if (gate.kind !== 'executed_by_us') return ['rules'];
  return deciding(gate).map((rule) => (MUTANTS.test(rule) ? 'mutants' : 'runs'));
}
