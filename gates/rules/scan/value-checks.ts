/** Whether digits pass the check of card numbers (ISO/IEC 7812). */
export function hasValidLuhnChecksum(number: string): boolean {
  let sum = 0;
  let double = false;
  for (let at = number.length - 1; at >= 0; at--) {
    const code = number.charCodeAt(at) - 48;
    if (code < 0 || code > 9) continue;
    const digit = double ? code * 2 : code;
    sum += digit > 9 ? digit - 9 : digit;
    double = !double;
  }
  return sum % 10 === 0;
}

/** Beginnings of the numbers that are given out: Visa, Mastercard, American Express, Diners, Discover, JCB, UnionPay, Maestro. */
const ISSUERS = /^(?:4|5[0-8]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)|3[4-9]|3[05]|6)/;

/** Whether it is the number of a payment card, by length, issuer and check digit. */
export function isCardNumber(text: string): boolean {
  const digits = text.replace(/\D/g, '');
  return (
    digits.length >= 13 &&
    digits.length <= 19 &&
    ISSUERS.test(digits) &&
    hasValidLuhnChecksum(digits) &&
    !/^(\d)\1+$/.test(digits)
  );
}

/** Card numbers that payment providers publish for tests. They are nobody's. */
const TEST_CARDS: ReadonlySet<string> = new Set([
  ...['4242424242424242', '4000056655665556', '5555555555554444', '2223003122003222', '5200828282828210'],
  ...['5105105105105100', '378282246310005', '371449635398431', '6011111111111117', '6011000990139424'],
  ...['3056930009020004', '36227206271667', '30569309025904', '38520000023237', '3566002020360505'],
  ...['6200000000000005', '6205500000000000004', '4111111111111111', '4012888888881881', '4000000000000002'],
  ...['4000000000009995', '4000000000000069', '4000000000000119', '4000000000000127', '4000002500003155'],
  ...['4000002760003184', '4000000000003220', '4000000000000077', '4000000000000341', '4222222222222'],
  ...['5424000000000015', '5431111111111111', '5500000000000004', '2222400070000005', '340000000000009'],
  ...['370000000000002', '374245455400126', '6011000000000004', '3530111333300000', '4917610000000000'],
  ...['4005519200000004', '4009348888881881', '4012000033330026', '4012000077777777', '4500600000000061'],
]);

/** Whether a card number is one that a payment provider has published for tests. */
export const isPublishedTestCard = (text: string): boolean => TEST_CARDS.has(text.replace(/\D/g, ''));

/** Whether three groups of digits can be a social security number: some were never given out. */
export const isSocialSecurityNumber = (area: string, group: string, serial: string): boolean =>
  area !== '000' && area !== '666' && area < '900' && group !== '00' && serial !== '0000';

/** Shannon entropy in bits per character. */
export function computeEntropy(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** Nothing but one or two characters again and again, or `***`. */
export const isRepetitiveFiller = (value: string): boolean =>
  new Set(value.replace(/[^A-Za-z0-9]/g, '').toLowerCase()).size <= 2;

const MARKERS = new Set(
  'your yours insert enter replace replaceme changeme change here goes todo fixme placeholder example sample dummy fake mock redacted removed hidden masked omitted xxx xxxx xxxxx xxxxxx'.split(
    ' ',
  ),
);
const FILL_WORDS = new Set(
  'my the a an some me with this that it is for of and or to in put add set new old own very super real actual secret secrets token tokens password passwd pwd passphrase pass api apikey app application client access auth key keys value string id name user username default none null undefined test admin root service account env variable prod production dev staging local db database'.split(
    ' ',
  ),
);

/** The words of a value: parts between other characters, and parts of `camelCase`. */
const wordsOf = (value: string): string[] =>
  value
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');

/** A text that says itself that a value belongs in its place, e.g. `<your-api-key-here>`: nothing else may be in it. */
export function isPlaceholder(value: string): boolean {
  if (value.length > 100) return false;
  if (/^<[^<>]+>$|^\[[^[\]]+\]$|^\.{3,}$|^\*+$/.test(value)) return true;
  const words = wordsOf(value);
  return (
    words.some((word) => MARKERS.has(word)) &&
    words.every((word) => MARKERS.has(word) || FILL_WORDS.has(word))
  );
}

const INTERPOLATION =
  /\$\{\{[^{}]{0,200}\}\}|\$\{[^{}]{0,200}\}|#\{[^{}]{0,200}\}|\{\{[^{}]{0,200}\}\}|\{[\w.[\]'"() :-]{0,100}\}|<%[^%]{0,200}%>|\$\([^()]{0,200}\)|%\(\w{0,60}\)[sdr]|%[sdvq]|%[A-Z_]{2,60}%|\$[A-Z_][A-Z0-9_]{0,60}\b|\$[a-z_]{1,60}\b(?!\d)/g;
const LOOKUP =
  /^(?:process\.env|os\.environ|os\.getenv|import\.meta\.env|env|secrets?|vault|ssm|arn:aws|op|sops|keyring|config|settings|var|data|module|local|params?|self|this|ref|!Ref|!Sub|!GetAtt|projects\/)[.:(['"/ ]/;

/** Not a value, but a way to get it: an interpolation with next to nothing around it, or a look-up. */
export function isVariableReference(value: string): boolean {
  if (LOOKUP.test(value)) return true;
  const rest = value.replace(INTERPOLATION, '');
  return rest.length < value.length && rest.replace(/[^A-Za-z0-9]/g, '').length < 4;
}

/**
 * Words and separators, such as a key of a translation, a path, a selector or the name of a property: no part of it looks as if
 * chance had made it.
 */
export const isWordIdentifier = (value: string): boolean =>
  /^[#./~]?[a-z]{1,30}(?:[._/:-][a-z]{1,30}){1,8}$/i.test(value) ||
  /^[#./~][a-z_/-]{1,60}$/i.test(value) ||
  /^(?:[a-z]{2,20}\d?)?(?:[A-Z][a-z]{2,20}\d?|Id|ID|Of|To|By|On|In|Db|Ip|Os){1,10}$/.test(value);

/** Whether it looks made by a machine, or by somebody who takes care: several kinds of characters, none too often. */
export function isStrongSecret(value: string): boolean {
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((kind) => kind.test(value)).length;
  return value.length >= 12 && kinds >= 3 && computeEntropy(value) >= 3;
}
