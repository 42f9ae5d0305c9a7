import type { Row } from '../../framework/family.ts';
import { scanned } from '../../scan/row.ts';

/** What is about a person. */
export const PERSONAL: readonly Row[] = [
  scanned({
    id: 'email_address',
    default: 'report',
    says: 'an e-mail address',
    why: "It may be an example; where it is a real person's, it does not belong in a repository.",
    has: ['src/team.ts', `const lead = '${['ada.lovelace', 'engines.io'].join('@')}';`],
    hasNot: ['src/team.ts', 'const lead = "someone@example.com";'],
  }),
  scanned({
    id: 'phone_number',
    default: 'report',
    says: 'a phone number',
    why: "It may be an example; where it is a real person's, it does not belong in a repository.",
    has: ['docs/contact.md', `Call ${['(415)', '555-0132'].join(' ')}.`],
    hasNot: ['docs/contact.md', 'Call 112.'],
  }),
  scanned({
    id: 'ssn',
    default: 'block',
    says: 'a social security number',
    why: 'It identifies a person for life, and cannot be changed.',
    has: ['src/person.ts', `verify('${['219', '46', '5193'].join('-')}')`],
    hasNot: ['src/person.ts', `verify('${['000', '46', '5193'].join('-')}')`],
  }),
];
