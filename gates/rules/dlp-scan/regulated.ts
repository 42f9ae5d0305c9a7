import { BARE_SSN } from '../pii-scan/personal.ts';
import { RANK } from '../scan/detector.ts';
import type { Rule } from '../scan/rule.ts';
import { isCardNumber, isSsn } from '../scan/values.ts';
import { labelled } from './label.ts';

/** What can follow a label that is short enough to be part of many words. */
const AFTER_LABEL = ['"', "'", ':', '=', ' ', '_', '-', '#', '\\', ']', ')', 'n', '\t'];

const base = { before: 0, after: 200, rank: RANK.labelled, inBinary: true } as const;

/** Values of people, by what they are called. */
export function regulatedRules(prefixes: readonly string[]): Rule[] {
  const marked = (value: string, text: string, at: number): boolean => {
    const word = `${/[A-Za-z0-9_-]{0,40}$/.exec(text.slice(Math.max(0, at - 40), at))?.[0] ?? ''}${value}`;
    return prefixes.some((prefix) => word.toUpperCase().startsWith(prefix.toUpperCase()));
  };
  const rules: Rule[] = [
    {
      ...base,
      rule: 'credit_card_number',
      title: 'number of a payment card',
      severity: 'critical',
      anchors: ['card', ...['cc', 'pan'].flatMap((label) => AFTER_LABEL.map((next) => `${label}${next}`))],
      pattern: labelled(
        '(?:credit|debit|payment)?[ _-]?card(?:[ _-]?(?:number|no|num))?|cc(?:[ _-]?(?:number|no|num))?|pan',
        String.raw`\d(?:[ -]?\d){12,18}`,
      ),
      before: 20,
      accept: ({ value }) => (isCardNumber(value) ? 'critical' : null),
    },
    {
      ...base,
      rule: 'us_ssn',
      title: 'social security number',
      severity: 'critical',
      anchors: ['ssn', 'social security', 'social_security', 'social-security', 'socialsecurity'],
      pattern: labelled(
        'ssn|social[ _-]?security(?:[ _-]?(?:number|no|num))?',
        String.raw`(?<area>\d{3})[- ]?(?<group>\d{2})[- ]?(?<serial>\d{4})`,
      ),
      accept: ({ groups }) =>
        isSsn(groups['area'] ?? '', groups['group'] ?? '', groups['serial'] ?? '') ? 'critical' : null,
    },
    {
      ...base,
      rule: 'npi_number',
      title: 'National Provider Identifier',
      severity: 'high',
      anchors: ['npi', 'national provider'],
      pattern: labelled(
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
      pattern: labelled(
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
      pattern: labelled(
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
      pattern: labelled('dea(?:[ _-]?(?:number|no|num|registration|id))?', String.raw`[A-Z]{2}\d{7}`),
    },
    {
      ...base,
      rule: 'health_plan_id',
      title: 'number of a health plan',
      severity: 'medium',
      anchors: ['health', 'member', 'insurance', 'medicare', 'beneficiary'],
      pattern: labelled(
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
      pattern: labelled(
        'dob|date[ _-]?of[ _-]?birth|birth[ _-]?dat(?:e|um)|birthday',
        String.raw`(?:19|20)\d{2}(?<gap>[-/])(?:0[1-9]|1[0-2])\k<gap>(?:0[1-9]|[12]\d|3[01])`,
      ),
    },
  ];
  return [
    ...rules.map(
      (rule): Rule => ({
        ...rule,
        accept: (candidate) =>
          marked(candidate.value, candidate.text, candidate.at)
            ? null
            : rule.accept
              ? rule.accept(candidate)
              : rule.severity,
      }),
    ),
    {
      rule: 'us_ssn',
      severity: 'critical',
      ...BARE_SSN,
      accept: (candidate) =>
        marked(candidate.value, candidate.text, candidate.at) ? null : BARE_SSN.accept(candidate),
    },
  ];
}
