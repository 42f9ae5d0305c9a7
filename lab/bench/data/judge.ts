import { dlpDetectors } from '../../../gates/rules/dlp-scan/detectors.ts';
import { piiDetectors } from '../../../gates/rules/pii-scan/detectors.ts';
import { factsOf } from '../../../gates/rules/scan/file-facts.ts';
import { Scanner } from '../../../gates/rules/scan/scanner.ts';
import type { Label, Labelled } from './labelled.ts';

const PREFIXES = ['FAKE', 'TEST', 'EXAMPLE', 'DUMMY', 'PLACEHOLDER'];

/** The project of the labelled set: Acme's, under Apache-2.0. */
const OWN = {
  licenses: new Set(['apache-2.0']),
  owners: new Set(['acme ltd']),
  gnu: false,
  reserved: false,
};

const piiList = piiDetectors([...PREFIXES, 'LOCALHOST']);
export const pii = new Scanner(piiList);
const { detectors, categoryOf } = dlpDetectors({ own: OWN, prefixes: PREFIXES, hosts: [] });
export const dlp = new Scanner(detectors);
/** Of both gates. */
export const DETECTORS = [...piiList, ...detectors];

const label = (fails: readonly boolean[]): Label =>
  fails.length === 0 ? 'silent' : fails.some(Boolean) ? 'fails' : 'reported';

/** What both gates say of a text, with the categories as they are when nothing is configured. */
export function judge({ path, text }: Pick<Labelled, 'path' | 'text'>): {
  readonly pii: Label;
  readonly dlp: Label;
} {
  const bytes = Buffer.from(text);
  const file = factsOf(path);
  return {
    pii: label(pii.scan(bytes, file).seen.map(({ severity }) => severity !== 'medium')),
    dlp: label(
      dlp
        .scan(bytes, file)
        .seen.map(
          ({ rule, severity }) =>
            categoryOf(rule) !== 'proprietary' && !(rule === 'us_ssn' && severity === 'medium'),
        ),
    ),
  };
}

export interface Quality {
  readonly positives: number;
  /** Share of what must fail, or be reported, that does. */
  readonly recall: number;
  readonly negatives: number;
  /** Share of what is nothing that is said to be something. */
  readonly false_positive_rate: number;
  /** Those that are not what their label says. */
  readonly wrong: readonly string[];
}

const ORDER: readonly Label[] = ['silent', 'reported', 'fails'];

/** Measures both gates together on a labelled set: what one of them sees is seen. */
export function qualityOn(set: readonly Labelled[]): Quality {
  const worse = (a: Label, b: Label): Label => (ORDER.indexOf(a) > ORDER.indexOf(b) ? a : b);
  const judged = set.map((each) => {
    const said = judge(each);
    return { each, want: worse(each.pii, each.dlp), got: worse(said.pii, said.dlp) };
  });
  const positives = judged.filter(({ want }) => want !== 'silent');
  const negatives = judged.filter(({ want }) => want === 'silent');
  const found = positives.filter(({ want, got }) => ORDER.indexOf(got) >= ORDER.indexOf(want));
  const loud = negatives.filter(({ got }) => got !== 'silent');
  return {
    positives: positives.length,
    recall: found.length / positives.length,
    negatives: negatives.length,
    false_positive_rate: loud.length / negatives.length,
    wrong: judged
      .filter(({ want, got }) => want !== got)
      .map(({ each, want, got }) => `${each.path}: ${want}, but ${got}: ${each.text.slice(0, 120)}`),
  };
}
