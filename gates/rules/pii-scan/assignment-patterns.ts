import type { DetectionPattern, PatternCandidate } from '../scan/detection-pattern.ts';
import { DETECTOR_RANK } from '../scan/detector.ts';
import { computeEntropy, isStrongSecret, isWordIdentifier } from '../scan/value-checks.ts';
import { isAllowedPiiValue, isPublishedExampleValue } from './allowed-values.ts';
import { isCommonPassword } from './common-passwords.ts';

/** From the end of a name to its value, in the languages and formats that there are: `"] =`, `: str =`, `":`, `=>`, `:=`. */
const ASSIGN = String.raw`(?:\\?["'\])]){0,3}[ \t]{0,16}(?::[ \t]{0,4}[A-Za-z_][\w.<>[\]|]{0,30}[ \t]{0,8}(?==[^=>]))?(?:=>|:=|\?\?=|\|\|=|\?=|=(?!=)|:(?!:))[ \t]{0,16}`;
/** An opening quote, with a prefix or a constructor of some language, or with the backslash of a text in a text. */
const OPEN = String.raw`(?:[@$]{1,2}|[bBrRfFuUlLnNeE]{1,2}|(?:String::from|String|std::string|str|bytes|Some|Ok|Secret\w{0,12}(?:::new)?|CString::new|Buffer\.from|new [A-Z]\w{0,20}|\w{0,12}\.StringPtr|aws\.String|ptr)\()?\\?["'${'`'}]`;

const joined = (words: readonly (readonly [string, string])[]): string[] =>
  words.flatMap(([first, second]) =>
    ['', '_', '-', ' ', '.'].map((between) => `${first}${between}${second}`),
  );

const KEYS = [
  ['api', 'key'],
  ['api', 'secret'],
  ['api', 'token'],
  ['access', 'token'],
  ['access', 'key'],
  ['auth', 'token'],
  ['auth', 'key'],
  ['secret', 'token'],
  ['secret', 'key'],
  ['client', 'secret'],
  ['app', 'secret'],
  ['bearer', 'token'],
  ['refresh', 'token'],
  ['private', 'token'],
  ['encryption', 'key'],
  ['signing', 'key'],
  ['signing', 'secret'],
  ['webhook', 'secret'],
  ['session', 'secret'],
  ['jwt', 'secret'],
  ['service', 'key'],
  ['account', 'key'],
] as const;
const KEY_NAMES = KEYS.map(([first, second]) => `${first}[_. -]?${second}`).join('|');

const KEY_ANCHORS = ['api', 'access', 'auth', 'private', 'signing', 'encryption'].flatMap((word) =>
  ['key', '_key', '-key', '.key'].map((end) => `${word}${end}`),
);
const SECRET_NAME =
  'pass(?:word|wd|phrase)?|pwd|secret|token|(?:api|access|auth|private|signing|encryption)[_.-]?key|credential';

/** `${NAME:value}`, `${NAME:-value}`: the secret's name is that of the variable, or that of the key before it. */
const VARIABLE_DEFAULT = String.raw`(?:(?<=\$\{[\w.-]{0,90})|["']?[ \t]{0,8}[:=][ \t]{0,8}["']?\$\{[\w.]{1,60})(?::[-=+]?|-)(?<value>[^\s"'${'`'}{}$:=+-][^\s"'${'`'}{}$]{5,199})\}`;
/** `name | default('value')` of templates. */
const DEFAULT_FILTER = String.raw`[ \t]{0,4}\|[ \t]{0,4}default[ \t]{0,4}(?:\([ \t]{0,4})?["'](?<value>[^\s"']{6,200})["']`;
/** `<property name="password" value="…"/>`. */
const ATTRIBUTE_VALUE = String.raw`[ \t]{1,8}(?:value|content|default)=["'](?<value>[^\s"'<>]{6,200})["']`;

/** The seed's list of passwords that are none, and what forms and schemas say in their place. */
const NO_PASSWORD =
  /^(?:test|passw(?:or)?d|pwd|changeme|secret|admin|string|text|required|optional|hidden|none|null|nil|undefined|true|false|boolean|object|varchar|(?:current|new|old|confirm)[-_]password)[!?;,]?$/i;
const TRANSLATIONS = /(?:^|\/)(?:i18n|l10n|locales?|lang(?:uages?)?|translations?|messages)\//i;
const PUBLIC = /(?:pub(?:lic)?|partition|primary|foreign|sort|cache|storage|query|row|index)[_-]?$/i;

/** Whether a name that ends at `at` belongs to something that is no secret, such as a public key. */
const publicName = ({ text, at }: PatternCandidate, name: RegExp): boolean => {
  const before = text.slice(Math.max(0, at - 80), at);
  const found = name.exec(before);
  return found !== null && PUBLIC.test(before.slice(0, found.index));
};

/** Rules for what is a secret because of the name that it is given. */
export function buildSecretAssignmentPatterns(prefixes: readonly string[]): DetectionPattern[] {
  const allowed = (candidate: PatternCandidate): boolean => isAllowedPiiValue(candidate, prefixes);
  const base = {
    severity: 'high',
    before: 0,
    after: 420,
    rank: DETECTOR_RANK.labelled,
    inBinary: true,
  } as const;
  const password = (candidate: PatternCandidate) => {
    const { value, file } = candidate;
    if (allowed(candidate) || NO_PASSWORD.test(value) || isWordIdentifier(value)) return null;
    if (TRANSLATIONS.test(file.path) && /^[A-Z]?[a-z]+$/.test(value)) return null;
    if (isCommonPassword(value)) return 'medium';
    return (file.isTest || file.kind === 'prose') && !isStrongSecret(value) ? 'medium' : 'high';
  };
  return [
    {
      ...base,
      rule: 'aws_secret_key',
      title: 'AWS secret key',
      anchors: ['secret'],
      before: 8,
      pattern: new RegExp(
        `(?:aws[_.-]?)?secret(?:[_.-]?access)?(?:[_.-]?key)?${ASSIGN}(?:${OPEN})?(?<value>[A-Za-z0-9/+=]{40})(?![A-Za-z0-9/+=])`,
        'i',
      ),
      rateCandidate: (candidate) =>
        isPublishedExampleValue(candidate.value)
          ? 'medium'
          : allowed(candidate) || !/\d/.test(candidate.value)
            ? null
            : candidate.file.kind === 'prose' && candidate.value.endsWith('EXAMPLEKEY')
              ? 'medium'
              : 'high',
    },
    {
      ...base,
      rule: 'generic_api_key',
      title: 'key or token',
      anchors: joined(KEYS),
      pattern: new RegExp(
        String.raw`(?:${KEY_NAMES})s?(?:[_-]?(?:value|prod|production|dev|staging|live|test|main|default|\d{1,2}))?${ASSIGN}${OPEN}(?<value>[^\s"'${'`'}\\]{16,300})(?=\\?["'${'`'}])`,
        'i',
      ),
      rateCandidate: (candidate) => {
        const { value, file } = candidate;
        if (allowed(candidate) || isWordIdentifier(value) || /^[a-z]+:\/\/[^:@]*$/i.test(value)) return null;
        return file.kind === 'prose' && !/\d/.test(value) ? 'medium' : 'high';
      },
    },
    {
      ...base,
      rule: 'high_entropy_assignment',
      title: 'random value with the name of a secret',
      anchors: ['secret', 'token', 'key', 'credential', 'passw', 'pwd'],
      pattern: new RegExp(
        String.raw`(?<name>secret|token|key|credential|password|passwd|pwd)[\w-]{0,24}${ASSIGN}${OPEN}(?<value>[^\s"'${'`'}\\]{24,300})(?=\\?["'${'`'}])`,
        'i',
      ),
      rateCandidate: (candidate) => {
        const { value, groups } = candidate;
        if (!/[a-z]/.test(value) || !/[A-Z]/.test(value) || !/\d/.test(value)) return null;
        if (allowed(candidate) || /^sha\d{1,3}[-:]|:\/\/|^arn:|^ssh-/.test(value)) return null;
        const weak = groups['name']?.toLowerCase() === 'key';
        if (
          weak &&
          (publicName(candidate, /key[\w-]{0,24}[^\w-]{0,40}$/i) || /^[\w]+(?:[./-][\w]+)+$/.test(value))
        )
          return null;
        const digits = value.replace(/\D/g, '').length;
        return computeEntropy(value) >= (weak ? 4 : 3.3) && digits >= (weak ? 3 : 1) ? 'high' : null;
      },
    },
    {
      ...base,
      rule: 'password_assignment',
      title: 'password',
      anchors: ['passw', 'pwd', 'passphrase'],
      pattern: new RegExp(
        String.raw`(?:password|passwd|passphrase|pwd)[_-]?(?:\d{1,3}|prod|production|dev|staging|live|main|root|admin|value)?${ASSIGN}${OPEN}(?<value>[^\s"'${'`'}\\]{4,200})(?=\\?["'${'`'}])`,
        'i',
      ),
      rateCandidate: password,
    },
    {
      ...base,
      rule: 'secret_argument',
      title: 'secret passed by name',
      anchors: ['password', 'passwd', 'secret', 'token', 'api_key', 'api-key', 'apikey', 'credential'],
      before: 60,
      pattern:
        /\([ \t]{0,4}["'][\w.:-]{0,40}(?<name>password|passwd|secret|token|api[_-]?key|credential)s?(?:[_-]?(?:\d{1,2}|value|prod|dev))?["'],[ \t]{0,4}["'`](?<value>[^\s"'`]{6,200})["'`]/i,
      rateCandidate: (candidate) => {
        const { value, groups } = candidate;
        if (allowed(candidate) || isWordIdentifier(value) || !/\d/.test(value) || !/[a-z]/i.test(value))
          return null;
        return /passw/i.test(groups['name'] ?? '') || isStrongSecret(value) || value.length >= 20
          ? 'high'
          : null;
      },
    },
    {
      ...base,
      rule: 'secret_default',
      title: 'secret as a default',
      anchors: [
        'passw',
        'pwd',
        'passphrase',
        'secret',
        'token',
        'api_key',
        'apikey',
        'credential',
        'access_key',
      ],
      pattern:
        /(?<name>password|passwd|passphrase|pwd|secret|token|api_?key|access_?key|credential)\w{0,24}["'\])]{0,3}[ \t]{0,8}(?:\|\||\?\?|\?:|\bor\b|,[ \t]{0,4}default[ \t]{0,4}=)[ \t]{0,8}["'`](?<value>[^\s"'`]{6,200})["'`]/i,
      rateCandidate: (candidate) =>
        /^(?:pass|pwd)/i.test(candidate.groups['name'] ?? '') || isStrongSecret(candidate.value)
          ? password(candidate)
          : null,
    },
    {
      // One rule for values that a secret's name leads to over something else: the default of a variable, an attribute.
      ...base,
      rule: 'secret_default',
      title: 'secret as a default',
      anchors: ['pass', 'pwd', 'secret', 'token', 'credential', ...KEY_ANCHORS],
      before: 70,
      pattern: new RegExp(
        `(?<name>${SECRET_NAME})[\\w.-]{0,24}["'\\])]{0,3}(?:${VARIABLE_DEFAULT}|${DEFAULT_FILTER}|${ATTRIBUTE_VALUE})`,
        'i',
      ),
      rateCandidate: (candidate) =>
        /^(?:pass|pwd)/i.test(candidate.groups['name'] ?? '') || isStrongSecret(candidate.value)
          ? password(candidate)
          : null,
    },
    {
      ...base,
      rule: 'terraform_default',
      title: 'secret as the default of a variable',
      anchors: ['variable "'],
      pattern:
        /variable[ \t]{1,4}"[\w-]{0,40}(?:password|passwd|secret|token|api_key|access_key|private_key)[\w-]{0,20}"[ \t]{0,4}\{[^{}]{0,300}?\bdefault[ \t]{0,16}=[ \t]{0,4}"(?<value>[^\s"]{6,200})"/i,
      rateCandidate: password,
    },
    {
      ...base,
      rule: 'password_setter',
      title: 'password passed to a setter',
      anchors: ['password(', 'passwd(', 'secret(', 'apikey(', 'token('],
      before: 40,
      pattern:
        /(?<![A-Za-z])(?:set|with)[A-Za-z_]{0,24}(?<name>password|passwd|secret|apikey|token)\([ \t]{0,4}["'`](?<value>[^\s"'`]{6,200})["'`]/i,
      rateCandidate: (candidate) =>
        /^pass/i.test(candidate.groups['name'] ?? '') ||
        isStrongSecret(candidate.value) ||
        /\d/.test(candidate.value)
          ? password(candidate)
          : null,
    },
  ];
}
