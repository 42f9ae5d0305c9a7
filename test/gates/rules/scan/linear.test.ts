import { describe, expect, test } from 'vitest';
import { buildDlpDetectors, buildDlpPatterns } from '../../../../gates/rules/dlp-scan/dlp-detectors.ts';
import { buildPiiDetectors, buildPiiPatterns } from '../../../../gates/rules/pii-scan/pii-detectors.ts';
import {
  DISABLED_SECRETLINT_RULES,
  SECRETLINT_RULE_KEYWORDS,
} from '../../../../gates/rules/pii-scan/secretlint.ts';
import { DEOBFUSCATION_RULES } from '../../../../gates/rules/scan/deobfuscation.ts';
import { createDetector } from '../../../../gates/rules/scan/detection-pattern.ts';
import { classifyFile } from '../../../../gates/rules/scan/file-classification.ts';
import { ContentScanner } from '../../../../gates/rules/scan/scanner.ts';
import { buildWorstCaseLine, buildWorstCaseTexts } from '../../../../lab/bench/data/worst-case-text.ts';
import { longestMatch } from './regex-bounds.ts';

const DLP = {
  projectLicense: {
    spdxIds: new Set<string>(),
    copyrightHolders: new Set<string>(),
    isGnu: false,
    reservesAllRights: false,
  },
  allowedPrefixes: ['FAKE'],
  internalHosts: ['*.shop.example', 'db.*.example'],
};
const RULES = [...buildPiiPatterns(['FAKE']), ...Object.values(buildDlpPatterns(DLP)).flat()];
const DETECTORS = [...buildPiiDetectors(['FAKE']), ...buildDlpDetectors(DLP).detectors];

/** What two pieces of a file share; nothing that a pattern matches may be longer. */
const OVERLAP = 16_384;

const byName = <T extends { readonly rule: string }>(list: readonly T[]): [string, T][] =>
  list.map((each, index) => [`${each.rule} (${index})`, each]);

describe('the pattern of', () => {
  test.each(byName(RULES))(
    '%s has no repetition without a limit, and reaches no further than it says',
    (_, rule) => {
      const longest = longestMatch(rule.pattern.source);
      expect(longest).toBeLessThan(OVERLAP);
      // A number has its place found by its digits, and its whole length is given to the pattern.
      if (rule.anchors !== 'digits')
        expect(rule.before + rule.after).toBeGreaterThan(0.5 * Math.min(longest, rule.after));
    },
  );

  test('a repetition without a limit is seen wherever it stands', () => {
    for (const source of ['a*', 'a+', 'a{2,}', '(?:a{1,3}b+){1,2}', '[^"]+', '(?<=x*)y', 'a|b*'])
      expect(longestMatch(source)).toBe(Number.POSITIVE_INFINITY);
    expect(longestMatch('(?:ab?){1,3}|\\d{4}(?<gap>[ -])\\k<gap>[\\]x]')).toBe(7);
  });
});

const MEGABYTE = 1_048_576;

const FILE = classifyFile('a.conf');

/** CPU time in milliseconds: what else the machine does must not count. */
function cost(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

describe('a line of 1 MB that is made to be slow', () => {
  test.each(byName(DETECTORS))('for %s takes work that grows with its length only', (_, each) => {
    const scanner = new ContentScanner([each]);
    const [unit = ''] = buildWorstCaseTexts(each);
    const some = scanner.scan(buildWorstCaseLine(unit, MEGABYTE / 8), FILE).scannedWorkBytes;
    const all = scanner.scan(buildWorstCaseLine(unit, MEGABYTE), FILE).scannedWorkBytes;
    // What was given to patterns, counted: each byte a limited number of times.
    expect(all).toBeLessThanOrEqual(3 * MEGABYTE);
    expect(all).toBeLessThanOrEqual(8 * some + 65_536);
  });

  test.each(byName(RULES))('for %s takes no part of the time that grows faster than it', (_, rule) => {
    const scanner = new ContentScanner([createDetector(rule)]);
    for (const unit of buildWorstCaseTexts(createDetector(rule)).slice(0, 2)) {
      // Eight times the text, and by far not 64 times the time. Tried again, as a machine can have a moment of its own.
      const ratio = (): number => {
        const small = cost(() => scanner.scan(buildWorstCaseLine(unit, MEGABYTE / 32), FILE));
        return cost(() => scanner.scan(buildWorstCaseLine(unit, MEGABYTE / 4), FILE)) / Math.max(small, 1);
      };
      expect(ratio() < 32 || ratio() < 32 || ratio() < 32, unit).toBe(true);
    }
  });

  test('for all rules and every way to write a text differently at once does too', () => {
    const scanner = new ContentScanner(DETECTORS);
    const units = [
      '" + "a',
      "'' + ''",
      'a"b"',
      '\\x41',
      '\\u0041',
      `['a', 'b'].join(`,
      'QUtJQQ',
      '41424344',
      'password = "',
    ];
    for (const unit of units) {
      const all = scanner.scan(buildWorstCaseLine(unit, MEGABYTE), FILE).scannedWorkBytes;
      const some = scanner.scan(buildWorstCaseLine(unit, MEGABYTE / 8), FILE).scannedWorkBytes;
      expect(all).toBeLessThanOrEqual(8 * some + 262_144);
    }
    expect(DEOBFUSCATION_RULES.length).toBeGreaterThan(0);
  });
});

describe('the rules of secretlint', () => {
  test('are each known, so that a new one in the preset is looked at before it is used', async () => {
    const { rules } = await import('@secretlint/secretlint-rule-preset-recommend');
    const names = (rules as readonly { readonly meta: { readonly id: string } }[]).map(({ meta }) =>
      meta.id.replace('@secretlint/secretlint-rule-', ''),
    );
    expect(names.sort()).toEqual(
      [...Object.keys(SECRETLINT_RULE_KEYWORDS), ...DISABLED_SECRETLINT_RULES, 'filter-comments'].sort(),
    );
  });

  test('are never given more than a few kilobytes at once', () => {
    for (const detector of DETECTORS.filter(({ rule }) => rule.startsWith('secretlint_')))
      expect(detector.maxWindowBytes).toBeLessThanOrEqual(8_192);
  });
});
