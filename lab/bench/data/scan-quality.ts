import { buildDlpDetectors } from '../../../gates/rules/dlp-scan/dlp-detectors.ts';
import { buildPiiDetectors } from '../../../gates/rules/pii-scan/pii-detectors.ts';
import { classifyFile } from '../../../gates/rules/scan/file-classification.ts';
import { ContentScanner } from '../../../gates/rules/scan/scanner.ts';
import type { LabelledText, ScanLabel } from './labelled-texts.ts';

const PREFIXES = ['FAKE', 'TEST', 'EXAMPLE', 'DUMMY', 'PLACEHOLDER'];

/** The project of the labelled set: Acme's, under Apache-2.0. */
const OWN = {
  spdxIds: new Set(['apache-2.0']),
  copyrightHolders: new Set(['acme ltd']),
  isGnu: false,
  reservesAllRights: false,
};

const piiList = buildPiiDetectors([...PREFIXES, 'LOCALHOST']);
export const piiScanner = new ContentScanner(piiList);
const { detectors, categoryOf } = buildDlpDetectors({
  projectLicense: OWN,
  allowedPrefixes: PREFIXES,
  internalHosts: [],
});
export const dlpScanner = new ContentScanner(detectors);
/** Of both gates. */
export const ALL_DETECTORS = [...piiList, ...detectors];

const label = (fails: readonly boolean[]): ScanLabel =>
  fails.length === 0 ? 'none' : fails.some(Boolean) ? 'error' : 'info';

/** What both gates say of a text, with the categories as they are when nothing is configured. */
export function labelText({ path, text }: Pick<LabelledText, 'path' | 'text'>): {
  readonly pii: ScanLabel;
  readonly dlp: ScanLabel;
} {
  const bytes = Buffer.from(text);
  const file = classifyFile(path);
  return {
    pii: label(piiScanner.scan(bytes, file).matches.map(({ severity }) => severity !== 'medium')),
    dlp: label(
      dlpScanner
        .scan(bytes, file)
        .matches.map(
          ({ rule, severity }) =>
            categoryOf(rule) !== 'proprietary' && !(rule === 'us_ssn' && severity === 'medium'),
        ),
    ),
  };
}

export interface ScanQuality {
  readonly positives: number;
  /** Share of what must fail, or be reported, that does. */
  readonly recall: number;
  readonly negatives: number;
  /** Share of what is nothing that is said to be something. */
  readonly false_positive_rate: number;
  /** Those that are not what their label says. */
  readonly mislabelled: readonly string[];
}

const ORDER: readonly ScanLabel[] = ['none', 'info', 'error'];

/** Measures both gates together on a labelled set: what one of them sees is seen. */
export function measureScanQuality(set: readonly LabelledText[]): ScanQuality {
  const worse = (a: ScanLabel, b: ScanLabel): ScanLabel => (ORDER.indexOf(a) > ORDER.indexOf(b) ? a : b);
  const judged = set.map((each) => {
    const said = labelText(each);
    return { each, want: worse(each.pii, each.dlp), got: worse(said.pii, said.dlp) };
  });
  const positives = judged.filter(({ want }) => want !== 'none');
  const negatives = judged.filter(({ want }) => want === 'none');
  const found = positives.filter(({ want, got }) => ORDER.indexOf(got) >= ORDER.indexOf(want));
  const loud = negatives.filter(({ got }) => got !== 'none');
  return {
    positives: positives.length,
    recall: found.length / positives.length,
    negatives: negatives.length,
    false_positive_rate: loud.length / negatives.length,
    mislabelled: judged
      .filter(({ want, got }) => want !== got)
      .map(({ each, want, got }) => `${each.path}: ${want}, but ${got}: ${each.text.slice(0, 120)}`),
  };
}
