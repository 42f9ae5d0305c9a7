import type { DetectionPattern, PatternCandidate } from '../scan/detection-pattern.ts';
import { DETECTOR_RANK } from '../scan/detector.ts';
import { isStrongSecret, isWordIdentifier } from '../scan/value-checks.ts';
import { isAllowedPiiValue } from './allowed-values.ts';

const PASSWORD = /passw|passphrase|pwd/i;
const LETTER_AND_DIGIT = /^(?=.*[A-Za-z])(?=.*\d)/;
/** Words that configurations have in the place of a password. */
const COMMON =
  /^(?:postgres|mysql|root|guest|user(?:name)?|secret|required|optional|string|enabled|disabled|inherit|prompt|always|never|default|null|none|true|false|yes|no|undefined|external|generated|auto|file|env|vault|changeme|admin|test|passw(?:or)?d)$/i;
/** In a binary, letters and digits come about by chance, but not so many. */
const PRINTABLE = /^[\x21-\x7e]{8,}$/;
const COMMENT = /^[ \t]{0,80}(?:\/\/|#|\*|\/\*|--|;|<!--|%|REM )|[ \t](?:\/\/|#|--)[ \t]/;

/** Whether the value stands in a comment, where code can have values without quotes as well. */
const inComment = ({ text, at }: PatternCandidate): boolean => {
  const before = text.slice(Math.max(0, at - 160), at);
  return COMMENT.test(before.slice(before.lastIndexOf('\n') + 1));
};

/** Rules for values without quotes: in configuration, in comments, on command lines. */
export function buildUnquotedValuePatterns(prefixes: readonly string[]): DetectionPattern[] {
  const allowed = (candidate: PatternCandidate): boolean => isAllowedPiiValue(candidate, prefixes);
  const base = {
    severity: 'high',
    before: 0,
    after: 320,
    rank: DETECTOR_RANK.labelled,
    inBinary: true,
  } as const;
  const mixed = (candidate: PatternCandidate) =>
    allowed(candidate) || isWordIdentifier(candidate.value) || !LETTER_AND_DIGIT.test(candidate.value)
      ? null
      : ('high' as const);
  return [
    {
      ...base,
      rule: 'config_assignment',
      title: 'secret in a configuration',
      anchors: ['passw', 'pwd', 'passphrase', 'secret', 'token', 'key', 'credential'],
      before: 24,
      pattern:
        /(?<![:/])(?<name>(?:password|passwd|passphrase|pwd|secret|token|(?:api|access|auth|account|secret|private|encryption|signing|master)[_.-]?key|credentials?)(?:[_.-]?(?:key|value|\d{1,2}|prod|dev|staging|live|root))?)[ \t]{0,16}(?:=(?!=)|:(?!:))[ \t]{0,16}(?<value>[^\s"'`,;<>(){}[\]#][^\s"'`,;<>(){}[\]]{5,199})(?![^\s"'`,;<>)}\]&])/i,
      rateCandidate: (candidate) => {
        const { value, groups, file } = candidate;
        if (
          allowed(candidate) ||
          COMMON.test(value) ||
          isWordIdentifier(value) ||
          /^(?:[a-z]+:\/\/|[./~]*\/)|(?:\/[^/]*){3}/i.test(value)
        )
          return null;
        if (file.isBinary && !PRINTABLE.test(value)) return null;
        const password = PASSWORD.test(groups['name'] ?? '');
        if (file.kind === 'code' && !inComment(candidate)) return null;
        if (file.kind === 'config' && password) return 'high';
        if (!LETTER_AND_DIGIT.test(value) || value.length < (password ? 8 : 16)) return null;
        // In a text for people it is mostly an example; what a machine has made is none.
        return file.kind === 'prose' && !isStrongSecret(value) ? 'medium' : 'high';
      },
    },
    {
      ...base,
      rule: 'docker_env',
      title: 'secret in an image',
      anchors: ['env ', 'arg '],
      pattern:
        /(?<![\w.])(?:ENV|ARG)[ \t]{1,8}\w{0,40}(?:PASSWORD|PASSWD|SECRET|TOKEN|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIALS?)[ \t]{1,8}["']?(?<value>[^\s"'$<>=]{6,200})/,
      rateCandidate: mixed,
    },
    {
      ...base,
      rule: 'element_secret',
      title: 'secret in an element',
      anchors: ['passw', 'pwd', 'secret', 'token', 'key>', 'credential'],
      before: 48,
      pattern:
        /<[\w:.-]{0,40}(?:password|passwd|pwd|secret|token|api[_.-]?key|credential)[^<>\n]{0,40}>[ \t]{0,8}(?<value>[^\s<>"'`]{6,200})[ \t]{0,8}<\//i,
      rateCandidate: (candidate) =>
        allowed(candidate) || COMMON.test(candidate.value) || isWordIdentifier(candidate.value)
          ? null
          : 'high',
    },
    {
      ...base,
      rule: 'command_line_secret',
      title: 'secret on a command line',
      anchors: ['--'],
      pattern:
        /--[a-z-]{0,24}(?:password|passwd|token|secret|api-key|apikey)(?:=|[ \t]{1,4}|["'],[ \t]{0,4}["'])["']?(?<value>[^\s"'`$<>{}[\](),;]{6,200})/i,
      rateCandidate: mixed,
    },
    {
      ...base,
      rule: 'curl_user',
      title: 'user and password for curl',
      anchors: ['curl'],
      pattern: /curl[^\n]{0,200}?[ \t](?:-u|--user)[ =]?["']?[\w.@-]{1,60}:(?<value>[^\s"'@$<{]{4,120})/i,
      rateCandidate: mixed,
    },
    {
      ...base,
      rule: 'netrc_password',
      title: 'password of a .netrc',
      anchors: ['machine '],
      pattern:
        /machine[ \t]{1,8}[\w.-]{3,100}\s{1,20}(?:login[ \t]{1,8}\S{1,80}\s{1,20})?password[ \t]{1,8}(?<value>\S{4,200})/i,
      rateCandidate: (candidate) => (allowed(candidate) ? null : 'high'),
    },
    {
      ...base,
      rule: 'npmrc_token',
      title: 'token of an .npmrc',
      anchors: ['_authtoken', '_auth', '_password'],
      pattern:
        /(?<![\w.])_(?:authToken|auth|password)[ \t]{0,4}=[ \t]{0,4}["']?(?<value>[A-Za-z0-9+/=_.-]{8,300})/i,
      rateCandidate: (candidate) => (allowed(candidate) || candidate.file.kind === 'code' ? null : 'high'),
    },
    {
      ...base,
      rule: 'sql_password',
      title: 'password in SQL',
      anchors: ['identified by', "password '", 'password  '],
      pattern: /(?:identified[ \t]{1,4}by|password)[ \t]{1,8}'(?<value>[^'\s]{4,200})'/i,
      rateCandidate: (candidate) => (allowed(candidate) || COMMON.test(candidate.value) ? null : 'high'),
    },
  ];
}
