import { firstOf } from '../../lib/cut.ts';
import { describeSignal } from '../submission/signals.ts';
import { HIDDEN_TESTS } from './names.ts';
import type { Evidence, Finding } from './schema.ts';

/** Most that are named on a task; the evidence has all. */
export const MOST_NAMED = 20;
/** Characters of a name and of what is said of it. */
const KEPT = 240;
/** Characters at the end of a command's output, where runners say what failed. */
const LOOKED_AT = 1_000;

export interface Failing {
  readonly check: string;
  readonly what: string;
}

const placeOf = ({ file, line }: Finding): string =>
  file === null ? '' : `${file}${line === null ? '' : `:${line}`} `;

const ofFinding = (check: string, finding: Finding): Failing => ({
  check,
  what: firstOf(`${placeOf(finding)}${finding.rule}: ${finding.message}`.replace(/\s+/g, ' '), KEPT),
});

/**
 * The last lines of an output that are kept, on one line: whole ones, of a line that is too long whole words. Cut anywhere, the same failure
 * would begin otherwise whenever a time took a digit more, and half of a number would be read as another.
 */
function endOf(output: string): string {
  let kept = '';
  for (const line of output.split('\n').reverse()) {
    const more = `${line} ${kept}`.replace(/\s+/g, ' ').trim();
    if (more.length > KEPT) return kept || more.slice(-KEPT).replace(/^\S*\s/, '');
    kept = more;
  }
  return kept;
}

const compare = (a: Failing, b: Failing): number => {
  const [one, other] = [`${a.check}\n${a.what}`, `${b.check}\n${b.what}`];
  return one < other ? -1 : one > other ? 1 : 0;
};

/** What failed in a tree, by name: findings of the gates that block it, and signals. Of hidden tests nothing is named. */
export function failingIn(evidence: Pick<Evidence, 'signals' | 'gates'>): Failing[] {
  const gates = evidence.gates.filter(
    ({ name, outcome, blocked, required }) =>
      outcome === 'failed' && (blocked || required) && name !== HIDDEN_TESTS,
  );
  const found = [
    ...evidence.signals
      .filter(({ outcome }) => outcome === 'failed')
      .map(({ signal, detail }) => ({
        check: firstOf(describeSignal(signal), KEPT),
        what: endOf(detail.slice(-LOOKED_AT)),
      })),
    ...gates.flatMap(({ name, findings, detail }) => {
      const own = findings.filter(({ baseline }) => baseline !== 'unchanged');
      return own.length > 0
        ? own.map((each) => ofFinding(name, each))
        : [{ check: name, what: firstOf(detail.replace(/\s+/g, ' '), KEPT) }];
    }),
  ];
  const named = new Map(found.map((each) => [`${each.check}\n${each.what}`, each]));
  return [...named.values()].sort(compare);
}
