import { describe, expect, test } from 'vitest';
import { GATE_RULES } from '../../../../gates/rules/rule-registry.ts';
import { LABELLED_TEXTS } from '../../../../lab/bench/data/labelled-texts.ts';
import { ALL_DETECTORS, labelText, measureScanQuality } from '../../../../lab/bench/data/scan-quality.ts';

describe('on the labelled set', () => {
  test('each gate says of each text what its label says', () => {
    const wrong = LABELLED_TEXTS.flatMap((each) => {
      const said = labelText(each);
      // An internal address beside a secret is reported too; the label is about the secret.
      const same =
        said.pii === each.pii &&
        (said.dlp === each.dlp || (each.dlp === 'none' && said.dlp === 'info' && each.pii === 'error'));
      return same ? [] : [`${each.path}: ${each.text.slice(0, 100)}: ${said.pii}, ${said.dlp}`];
    });
    expect(wrong).toEqual([]);
  });

  test('there are enough of both kinds, and every one counts', () => {
    const { positives, negatives, recall, false_positive_rate } = measureScanQuality(LABELLED_TEXTS);
    expect(positives).toBeGreaterThan(150);
    expect(negatives).toBeGreaterThan(75);
    expect([recall, false_positive_rate]).toEqual([1, 0]);
    const upsideDown = LABELLED_TEXTS.map((each) => ({
      ...each,
      text: each.pii === 'none' && each.dlp === 'none' ? 'ssn = 219-46-5193' : 'x',
    }));
    expect(measureScanQuality(upsideDown)).toMatchObject({ recall: 0, false_positive_rate: 1 });
  });
});

test('every rule of ours has its row in the registry, and every row of a scan is looked for', () => {
  const known = new Set(GATE_RULES.map(({ id }) => id));
  const ours = new Set(
    ALL_DETECTORS.map(({ rule }) => rule).filter((rule) => !rule.startsWith('secretlint_')),
  );
  expect([...ours].filter((rule) => !known.has(rule))).toEqual([]);
});
