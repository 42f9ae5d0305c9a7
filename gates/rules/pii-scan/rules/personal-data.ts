import type { RuleDefinition } from '../../framework/rule-family.ts';
import { defineScanRule } from '../../scan/scan-rule.ts';

/** What is about a person. */
export const PERSONAL_DATA_RULES: readonly RuleDefinition[] = [
  defineScanRule({
    id: 'email_address',
    default: 'info',
    summary: 'an e-mail address',
    rationale: "It may be an example; where it is a real person's, it does not belong in a repository.",
    violatingFile: ['src/team.ts', `const lead = '${['ada.lovelace', 'engines.io'].join('@')}';`],
    harmlessFile: ['src/team.ts', 'const lead = "someone@example.com";'],
  }),
  defineScanRule({
    id: 'phone_number',
    default: 'info',
    summary: 'a phone number',
    rationale: "It may be an example; where it is a real person's, it does not belong in a repository.",
    violatingFile: ['docs/contact.md', `Call ${['(415)', '555-0132'].join(' ')}.`],
    harmlessFile: ['docs/contact.md', 'Call 112.'],
  }),
  defineScanRule({
    id: 'ssn',
    default: 'error',
    summary: 'a social security number',
    rationale: 'It identifies a person for life, and cannot be changed.',
    violatingFile: ['src/person.ts', `verify('${['219', '46', '5193'].join('-')}')`],
    harmlessFile: ['src/person.ts', `verify('${['000', '46', '5193'].join('-')}')`],
  }),
];
