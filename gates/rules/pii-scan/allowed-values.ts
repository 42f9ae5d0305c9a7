import type { PatternCandidate } from '../scan/detection-pattern.ts';
import type { DetectorSeverity } from '../scan/detector.ts';
import { isPlaceholder, isRepetitiveFiller, isVariableReference } from '../scan/value-checks.ts';

/** What stands directly before a value, as part of the same word. */
const ATTACHED = /[A-Za-z0-9_-]{0,64}$/;

const startsWith = (text: string, prefixes: readonly string[]): boolean => {
  const upper = text.toUpperCase();
  return prefixes.some((prefix) => upper.startsWith(prefix.toUpperCase()));
};

/** The word that a value is, or is the end of. What else stands in the line has no say. */
const wordOf = ({ text, at, value }: PatternCandidate): string =>
  `${ATTACHED.exec(text.slice(Math.max(0, at - 64), at))?.[0] ?? ''}${value}`;

/** Values that the makers of a format have published in their manuals for everybody to copy. */
const PUBLISHED = new Set([
  'AKIAIOSFODNN7EXAMPLE',
  'AKIAI44QH8DHBEXAMPLE',
  'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  'je7MtGbClwBF/2Zp9Utk/h3yCo8nvbEXAMPLEKEY',
  // Test keys of Stripe's and Google's manuals, put together so that no scanner finds a key here.
  ...['sk_test_', 'rk_test_'].map((kind) => `${kind}4eC39HqLyjWDarjtT1zdp7dc`),
  `pk_test_${'TYooMQauvdEDq54NiTphI7jx'}`,
  `sk_test_${'BQokikJOvBiI2HlWgH4olfQ2'}`,
  `6LeIxAcTAAAAAJcZVRqyHh71${'UMIEGNQ_MXjiZKhI'}`,
  `6LeIxAcTAAAAAGG-vFI1TnRWx${'MZNFuojJ4WifJWe'}`,
]);
/** The signature of the token that the page about JSON web tokens shows. */
const PUBLISHED_TOKEN =
  /^eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9\.[\w-]+\.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c$/;

export const isPublishedExampleValue = (value: string): boolean =>
  PUBLISHED.has(value) || PUBLISHED_TOKEN.test(value);

/** Whether a value that somebody chose is one that says itself that it is none. */
export const isAllowedPiiValue = (candidate: PatternCandidate, prefixes: readonly string[]): boolean =>
  startsWith(candidate.value, prefixes) ||
  startsWith(wordOf(candidate), prefixes) ||
  isPublishedExampleValue(candidate.value) ||
  isPlaceholder(candidate.value) ||
  isVariableReference(candidate.value) ||
  isRepetitiveFiller(candidate.value);

/** What providers put before the part that is random. */
const PROVIDER = /^(?:AKIA|ASIA|ABIA|ACCA|(?:[A-Za-z0-9]{2,10}[_-]){1,3}|[A-Z]{2}(?=[0-9a-f]{32}$)|SG\.)/;

/**
 * The severity of a value with the shape of a provider's token. One that is marked as not being real is still reported,
 * because the mark is easily taken off again where it is used.
 */
export function classifyTokenSeverity(
  candidate: PatternCandidate,
  prefixes: readonly string[],
): DetectorSeverity | null {
  const random = candidate.value.replace(PROVIDER, '');
  if (isRepetitiveFiller(random)) return null;
  const marked =
    startsWith(random, prefixes) || startsWith(wordOf(candidate), prefixes) || isPlaceholder(random);
  // The key of the provider's own manual.
  const manual = candidate.file.kind === 'prose' && /EXAMPLE(?:KEY)?$/.test(candidate.value);
  return marked || manual || isPublishedExampleValue(candidate.value) ? 'medium' : 'high';
}
