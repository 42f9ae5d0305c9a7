import type { Severity } from '../scan/detector.ts';
import type { Candidate } from '../scan/rule.ts';
import { isFiller, isPlaceholder, isReference } from '../scan/values.ts';

/** What stands directly before a value, as part of the same word. */
const ATTACHED = /[A-Za-z0-9_-]{0,64}$/;

const startsWith = (text: string, prefixes: readonly string[]): boolean => {
  const upper = text.toUpperCase();
  return prefixes.some((prefix) => upper.startsWith(prefix.toUpperCase()));
};

/** The word that a value is, or is the end of. What else stands in the line has no say. */
const wordOf = ({ text, at, value }: Candidate): string =>
  `${ATTACHED.exec(text.slice(Math.max(0, at - 64), at))?.[0] ?? ''}${value}`;

/** Whether a value that somebody chose is one that says itself that it is none. */
export const isAllowed = (candidate: Candidate, prefixes: readonly string[]): boolean =>
  startsWith(candidate.value, prefixes) ||
  startsWith(wordOf(candidate), prefixes) ||
  isPlaceholder(candidate.value) ||
  isReference(candidate.value) ||
  isFiller(candidate.value);

/** What providers put before the part that is random. */
const PROVIDER = /^(?:AKIA|ASIA|ABIA|ACCA|(?:[A-Za-z0-9]{2,10}[_-]){1,3}|[A-Z]{2}(?=[0-9a-f]{32}$)|SG\.)/;

/**
 * The severity of a value with the shape of a provider's token. One that is marked as not being real is still reported,
 * because the mark is easily taken off again where it is used.
 */
export function tokenSeverity(candidate: Candidate, prefixes: readonly string[]): Severity | null {
  const random = candidate.value.replace(PROVIDER, '');
  if (isFiller(random)) return null;
  const marked =
    startsWith(random, prefixes) || startsWith(wordOf(candidate), prefixes) || isPlaceholder(random);
  // The key of the provider's own manual.
  const manual = candidate.file.kind === 'prose' && /EXAMPLE(?:KEY)?$/.test(candidate.value);
  return marked || manual ? 'medium' : 'high';
}
