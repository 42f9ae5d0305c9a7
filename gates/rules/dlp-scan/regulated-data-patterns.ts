import { UNLABELLED_SSN_PATTERN } from '../pii-scan/personal-data-patterns.ts';
import type { DetectionPattern } from '../scan/detection-pattern.ts';
import { DETECTOR_RANK } from '../scan/detector.ts';
import { isCardNumber, isPublishedTestCard, isSocialSecurityNumber } from '../scan/value-checks.ts';
import { buildLabelledValuePattern } from './labelled-value-pattern.ts';

/** What can follow a label that is short enough to be part of many words. */
const AFTER_LABEL = ['"', "'", ':', '=', ' ', '_', '-', '#', '\\', ']', ')', 'n', '\t'];

const base = { before: 0, after: 200, rank: DETECTOR_RANK.labelled, inBinary: true } as const;

/** Values of people, by what they are called. */
export function buildRegulatedDataPatterns(prefixes: readonly string[]): DetectionPattern[] {
  const marked = (value: string, text: string, at: number): boolean => {
    const word = `${/[A-Za-z0-9_-]{0,40}$/.exec(text.slice(Math.max(0, at - 40), at))?.[0] ?? ''}${value}`;
    return prefixes.some((prefix) => word.toUpperCase().startsWith(prefix.toUpperCase()));
  };
  const rules: DetectionPattern[] = [
    {
      ...base,
      rule: 'credit_card_number',
      title: 'number of a payment card',
      severity: 'critical',
      anchors: ['card', ...['cc', 'pan'].flatMap((label) => AFTER_LABEL.map((next) => `${label}${next}`))],
      pattern: buildLabelledValuePattern(
        '(?:credit|debit|payment)?[ _-]?card(?:[ _-]?(?:number|no|num))?|cc(?:[ _-]?(?:number|no|num))?|pan',
        String.raw`\d(?:[ -]?\d){12,18}`,
      ),
      before: 20,
      rateCandidate: ({ value }) =>
        isPublishedTestCard(value) ? 'medium' : isCardNumber(value) ? 'critical' : null,
    },
    {
      ...base,
      rule: 'us_ssn',
      title: 'social security number',
      severity: 'critical',
      anchors: ['ssn', 'social security', 'social_security', 'social-security', 'socialsecurity'],
      pattern: buildLabelledValuePattern(
        'ssn|social[ _-]?security(?:[ _-]?(?:number|no|num))?',
        String.raw`(?<area>\d{3})[- ]?(?<group>\d{2})[- ]?(?<serial>\d{4})`,
      ),
      rateCandidate: ({ groups }) =>
        isSocialSecurityNumber(groups['area'] ?? '', groups['group'] ?? '', groups['serial'] ?? '')
          ? 'critical'
          : null,
    },
    {
      ...base,
      rule: 'npi_number',
      title: 'National Provider Identifier',
      severity: 'high',
      anchors: ['npi', 'national provider'],
      pattern: buildLabelledValuePattern(
        'npi(?:[ _-]?(?:number|no|num|id))?|national provider identifier',
        String.raw`\d{10}`,
      ),
    },
    {
      ...base,
      rule: 'icd10_code',
      title: 'diagnosis (ICD-10)',
      severity: 'high',
      anchors: ['icd', 'diagnosis'],
      pattern: buildLabelledValuePattern(
        'icd[ _-]?10(?:[ _-]?(?:cm|pcs))?(?:[ _-]?codes?)?|diagnosis(?:[ _-]?codes?)?',
        String.raw`[A-TV-Z]\d[0-9A-B](?:\.[0-9A-Z]{1,4})?`,
      ),
    },
    {
      ...base,
      rule: 'mrn',
      title: 'number of a medical record',
      severity: 'high',
      anchors: ['mrn', 'medical', 'patient'],
      pattern: buildLabelledValuePattern(
        'mrn|medical[ _-]?record(?:[ _-]?(?:number|no|num|id))?|patient[ _-]?id',
        String.raw`(?:mrn[- ]?)?\d{6,12}`,
      ),
    },
    {
      ...base,
      rule: 'dea_number',
      title: 'DEA registration number',
      severity: 'high',
      anchors: ['dea'],
      pattern: buildLabelledValuePattern(
        'dea(?:[ _-]?(?:number|no|num|registration|id))?',
        String.raw`[A-Z]{2}\d{7}`,
      ),
    },
    {
      ...base,
      rule: 'health_plan_id',
      title: 'number of a health plan',
      severity: 'medium',
      anchors: ['health', 'member', 'insurance', 'medicare', 'beneficiary'],
      pattern: buildLabelledValuePattern(
        'health[ _-]?(?:plan|insurance)(?:[ _-]?(?:beneficiary|member))?[ _-]?(?:id|number|no|num)|(?:insurance|member|beneficiary|medicare)[ _-]?(?:id|number|no|num)',
        String.raw`(?=[A-Z]{0,19}\d)[A-Z0-9]{8,20}`,
      ),
    },
    {
      ...base,
      rule: 'date_of_birth',
      title: 'date of birth',
      severity: 'medium',
      anchors: ['dob', 'birth'],
      before: 12,
      pattern: buildLabelledValuePattern(
        'dob|date[ _-]?of[ _-]?birth|birth[ _-]?dat(?:e|um)|birthday',
        String.raw`(?:19|20)\d{2}(?<gap>[-/])(?:0[1-9]|1[0-2])\k<gap>(?:0[1-9]|[12]\d|3[01])`,
      ),
    },
  ];
  return [
    ...rules.map(
      (rule): DetectionPattern => ({
        ...rule,
        rateCandidate: (candidate) =>
          marked(candidate.value, candidate.text, candidate.at)
            ? null
            : rule.rateCandidate
              ? rule.rateCandidate(candidate)
              : rule.severity,
      }),
    ),
    {
      rule: 'us_ssn',
      severity: 'critical',
      ...UNLABELLED_SSN_PATTERN,
      rateCandidate: (candidate) =>
        marked(candidate.value, candidate.text, candidate.at)
          ? null
          : UNLABELLED_SSN_PATTERN.rateCandidate(candidate),
    },
  ];
}
