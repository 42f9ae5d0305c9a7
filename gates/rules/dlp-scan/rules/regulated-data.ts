import type { RuleDefinition } from '../../framework/rule-family.ts';
import { defineScanRule } from '../../scan/scan-rule.ts';

/** Values of people that laws protect. */
export const REGULATED_DATA_RULES: readonly RuleDefinition[] = [
  defineScanRule({
    id: 'credit_card_number',
    default: 'error',
    summary: 'the number of a payment card',
    rationale: 'Rules of the card companies forbid to keep it in the clear.',
    violatingFile: ['src/pay.py', `card_number = '${['4539', '1488', '0343', '6467'].join(' ')}'`],
    harmlessFile: ['src/pay.py', `card_number = '${['4539', '1488', '0343', '6468'].join(' ')}'`],
  }),
  defineScanRule({
    id: 'us_ssn',
    default: 'error',
    summary: 'a social security number by its name',
    rationale: 'It identifies a person for life, and cannot be changed.',
    violatingFile: ['src/person.py', `ssn = '${['219', '46', '5193'].join('-')}'`],
    harmlessFile: ['src/person.py', 'ssn = person.ssn'],
  }),
  defineScanRule({
    id: 'npi_number',
    default: 'error',
    summary: 'a National Provider Identifier',
    rationale: 'Beside data of patients it is regulated health data.',
    violatingFile: ['src/med.py', `npi_number = ${['1245', '319599'].join('')}`],
    harmlessFile: ['src/med.py', 'npi_number = row.npi'],
  }),
  defineScanRule({
    id: 'icd10_code',
    default: 'error',
    summary: 'a diagnosis',
    rationale: 'Beside a person it is regulated health data.',
    violatingFile: ['src/med.py', 'diagnosis_code = "E11.65"'],
    harmlessFile: ['src/med.py', 'diagnosis_code = models.CharField(max_length=8)'],
  }),
  defineScanRule({
    id: 'mrn',
    default: 'error',
    summary: 'the number of a medical record',
    rationale: 'It leads to a patient, and is regulated health data.',
    violatingFile: ['src/med.py', `mrn = '${['0042', '7719'].join('')}'`],
    harmlessFile: ['src/med.py', 'mrn = patient.mrn'],
  }),
  defineScanRule({
    id: 'dea_number',
    default: 'error',
    summary: 'a registration number of the DEA',
    rationale: 'Prescriptions of medicine can be forged with it.',
    violatingFile: ['src/med.py', `dea_number = '${['BJ', '6125341'].join('')}'`],
    harmlessFile: ['src/med.py', 'dea_number = row.dea'],
  }),
  defineScanRule({
    id: 'health_plan_id',
    default: 'error',
    summary: 'the number of a health plan',
    rationale: 'It leads to a person, and is regulated health data.',
    violatingFile: ['src/med.py', 'member_id: "W00918273"'],
    harmlessFile: ['src/med.py', 'member_id = models.CharField(max_length=20)'],
  }),
  defineScanRule({
    id: 'date_of_birth',
    default: 'error',
    summary: 'a date of birth',
    rationale: 'Beside a name it identifies a person, whoever else has that name.',
    violatingFile: ['src/med.py', 'dob = "1984-03-19"'],
    harmlessFile: ['src/med.py', 'column("date_of_birth", type="date")'],
  }),
];
