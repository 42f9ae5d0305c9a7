import type { DetectionPattern, PatternCandidate } from '../scan/detection-pattern.ts';
import { DETECTOR_RANK } from '../scan/detector.ts';
import { isCardNumber, isSocialSecurityNumber } from '../scan/value-checks.ts';

/** Domains that are nobody's, addresses that are no person's, and what only looks like an address: `icon@2x.png`. */
const NO_DOMAIN =
  /(?:^|\.)(?:example(?:\.(?:com|org|net))?|test|invalid|localhost|local|noreply\.github\.com|png|jpe?g|gif|svg|webp|ico|[cm]?[jt]sx?|css|scss|json|md|py|go|rs|ya?ml|html?|min|map|lock|service|target|socket)$/i;
const NO_PERSON = /^(?:test|user|admin|noreply|no-reply|donotreply|git|hg|svn|root|postmaster|www|npm|pkg)$/i;

/** Digits with something other than a number around them. */
const ALONE = String.raw`(?<![\w.+-]|[\w.]-)`;

const date = /^(?:19|20)\d{2}[ -](?:0\d|1[0-2])/;

/** A social security number without a label. What both gates say of it is decided here. */
export const UNLABELLED_SSN_PATTERN = {
  title: 'social security number',
  anchors: 'digits',
  before: 1,
  after: 1,
  rank: DETECTOR_RANK.shape,
  inBinary: false,
  pattern: new RegExp(
    String.raw`${ALONE}(?<area>\d{3})(?<gap>[- ])(?<group>\d{2})\k<gap>(?<serial>\d{4})(?![\w-]|\.\d)`,
  ),
  /** Tests, and texts for people, have them as examples: there it is reported, elsewhere it fails. */
  rateCandidate: ({ groups, file }: PatternCandidate) =>
    isSocialSecurityNumber(groups['area'] ?? '', groups['group'] ?? '', groups['serial'] ?? '')
      ? file.isTest || file.kind === 'prose'
        ? ('medium' as const)
        : ('high' as const)
      : null,
} as const satisfies Partial<DetectionPattern>;

/** Rules for what is about a person. They are reported, and do not fail, but for the number in `BARE_SSN`. */
export const PERSONAL_DATA_PATTERNS: readonly DetectionPattern[] = [
  {
    rule: 'email_address',
    title: 'e-mail address',
    severity: 'medium',
    anchors: ['@'],
    before: 66,
    after: 330,
    rank: DETECTOR_RANK.shape,
    inBinary: false,
    pattern:
      /(?<=(?<![A-Za-z0-9._%+/:-])(?<head>[A-Za-z0-9._%+-]{1,64}))@(?<domain>(?:[A-Za-z0-9-]{1,63}\.){1,4}[A-Za-z]{2,24})(?![A-Za-z0-9-])/,
    rateCandidate: ({ groups }) =>
      NO_DOMAIN.test(groups['domain'] ?? '') || NO_PERSON.test(groups['head'] ?? '') ? null : 'medium',
  },
  {
    rule: 'phone_number',
    title: 'phone number',
    severity: 'medium',
    anchors: 'digits',
    before: 1,
    after: 1,
    rank: DETECTOR_RANK.shape,
    inBinary: false,
    pattern: new RegExp(
      String.raw`${ALONE}(?:\+?\d{1,3}[ .-]?)?(?:\(\d{3}\)[ .-]?|\d{3}[ .-])\d{3}[ .-]\d{4}(?![\w-]|\.\d)`,
    ),
  },
  { rule: 'ssn', severity: 'high', ...UNLABELLED_SSN_PATTERN },
  {
    rule: 'credit_card_number',
    title: 'number of a payment card',
    severity: 'medium',
    anchors: 'digits',
    before: 1,
    after: 1,
    rank: DETECTOR_RANK.shape,
    inBinary: false,
    pattern: new RegExp(
      String.raw`${ALONE}(?:\d{13,19}|\d{4}(?<gap>[ -])\d{4}\k<gap>\d{4}\k<gap>\d{1,7}|\d{4}(?<other>[ -])\d{6}\k<other>\d{4,5})(?![\w-]|\.\d)`,
    ),
    rateCandidate: ({ value }) => (isCardNumber(value) && !date.test(value) ? 'medium' : null),
  },
];
