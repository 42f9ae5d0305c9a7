import { truncateText } from '../../lib/truncate.ts';
import { describeSignal } from '../submission/signals.ts';
import { HIDDEN_TESTS_GATE } from './gate-names.ts';
import type { CheckFinding, Evidence } from './schema.ts';

/** Most that are named on a task; the evidence has all. */
export const MAX_NAMED_FAILED_CHECKS = 20;
/** Characters of a name and of what is said of it. */
const MAX_TEXT_LENGTH = 240;
/** Characters at the end of a command's output, where runners say what failed. */
const LOOKED_AT = 1_000;

export interface FailedCheck {
  readonly check: string;
  readonly message: string;
}

const formatLocation = ({ file, line }: CheckFinding): string =>
  file === null ? '' : `${file}${line === null ? '' : `:${line}`} `;

const describeFinding = (check: string, finding: CheckFinding): FailedCheck => ({
  check,
  message: truncateText(
    `${formatLocation(finding)}${finding.rule}: ${finding.message}`.replace(/\s+/g, ' '),
    MAX_TEXT_LENGTH,
  ),
});

/**
 * The last lines of an output that are kept, on one line: whole ones, of a line that is too long whole words. Cut anywhere, the same failure
 * would begin otherwise whenever a time took a digit more, and half of a number would be read as another.
 */
function lastLines(output: string): string {
  let kept = '';
  for (const line of output.split('\n').reverse()) {
    const more = `${line} ${kept}`.replace(/\s+/g, ' ').trim();
    if (more.length > MAX_TEXT_LENGTH) return kept || more.slice(-MAX_TEXT_LENGTH).replace(/^\S*\s/, '');
    kept = more;
  }
  return kept;
}

const compare = (a: FailedCheck, b: FailedCheck): number => {
  const [one, other] = [`${a.check}\n${a.message}`, `${b.check}\n${b.message}`];
  return one < other ? -1 : one > other ? 1 : 0;
};

/** What failed in a tree, by name: findings of the gates that block it, and signals. Of hidden tests nothing is named. */
export function listFailedChecks(evidence: Pick<Evidence, 'signals' | 'gates'>): FailedCheck[] {
  const gates = evidence.gates.filter(
    ({ name, outcome, blocked, required }) =>
      outcome === 'failed' && (blocked || required) && name !== HIDDEN_TESTS_GATE,
  );
  const found = [
    ...evidence.signals
      .filter(({ outcome }) => outcome === 'failed')
      .map(({ signal, detail }) => ({
        check: truncateText(describeSignal(signal), MAX_TEXT_LENGTH),
        message: lastLines(detail.slice(-LOOKED_AT)),
      })),
    ...gates.flatMap(({ name, findings, detail }) => {
      const own = findings.filter(({ baseline }) => baseline !== 'unchanged');
      return own.length > 0
        ? own.map((each) => describeFinding(name, each))
        : [{ check: name, message: truncateText(detail.replace(/\s+/g, ' '), MAX_TEXT_LENGTH) }];
    }),
  ];
  const named = new Map(found.map((each) => [`${each.check}\n${each.message}`, each]));
  return [...named.values()].sort(compare);
}
