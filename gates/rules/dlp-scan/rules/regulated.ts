import type { Row } from '../../framework/family.ts';
import { scanned } from '../../scan/row.ts';

/** Values of people that laws protect. */
export const REGULATED: readonly Row[] = [
  scanned({
    id: 'credit_card_number',
    default: 'block',
    says: 'the number of a payment card',
    why: 'Rules of the card companies forbid to keep it in the clear.',
    has: ['src/pay.py', `card_number = '${['4539', '1488', '0343', '6467'].join(' ')}'`],
    hasNot: ['src/pay.py', `card_number = '${['4539', '1488', '0343', '6468'].join(' ')}'`],
  }),
  scanned({
    id: 'us_ssn',
    default: 'block',
    says: 'a social security number by its name',
    why: 'It identifies a person for life, and cannot be changed.',
    has: ['src/person.py', `ssn = '${['219', '46', '5193'].join('-')}'`],
    hasNot: ['src/person.py', 'ssn = person.ssn'],
  }),
  scanned({
    id: 'npi_number',
    default: 'block',
    says: 'a National Provider Identifier',
    why: 'Beside data of patients it is regulated health data.',
    has: ['src/med.py', `npi_number = ${['1245', '319599'].join('')}`],
    hasNot: ['src/med.py', 'npi_number = row.npi'],
  }),
  scanned({
    id: 'icd10_code',
    default: 'block',
    says: 'a diagnosis',
    why: 'Beside a person it is regulated health data.',
    has: ['src/med.py', 'diagnosis_code = "E11.65"'],
    hasNot: ['src/med.py', 'diagnosis_code = models.CharField(max_length=8)'],
  }),
  scanned({
    id: 'mrn',
    default: 'block',
    says: 'the number of a medical record',
    why: 'It leads to a patient, and is regulated health data.',
    has: ['src/med.py', `mrn = '${['0042', '7719'].join('')}'`],
    hasNot: ['src/med.py', 'mrn = patient.mrn'],
  }),
  scanned({
    id: 'dea_number',
    default: 'block',
    says: 'a registration number of the DEA',
    why: 'Prescriptions of medicine can be forged with it.',
    has: ['src/med.py', `dea_number = '${['BJ', '6125341'].join('')}'`],
    hasNot: ['src/med.py', 'dea_number = row.dea'],
  }),
  scanned({
    id: 'health_plan_id',
    default: 'block',
    says: 'the number of a health plan',
    why: 'It leads to a person, and is regulated health data.',
    has: ['src/med.py', 'member_id: "W00918273"'],
    hasNot: ['src/med.py', 'member_id = models.CharField(max_length=20)'],
  }),
  scanned({
    id: 'date_of_birth',
    default: 'block',
    says: 'a date of birth',
    why: 'Beside a name it identifies a person, whoever else has that name.',
    has: ['src/med.py', 'dob = "1984-03-19"'],
    hasNot: ['src/med.py', 'column("date_of_birth", type="date")'],
  }),
];
