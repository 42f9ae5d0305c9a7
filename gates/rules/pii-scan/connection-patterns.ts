import type { DetectionPattern, PatternCandidate } from '../scan/detection-pattern.ts';
import { DETECTOR_RANK } from '../scan/detector.ts';
import { isPlaceholder, isRepetitiveFiller, isVariableReference } from '../scan/value-checks.ts';
import { isAllowedPiiValue } from './allowed-values.ts';
import { isCommonPassword } from './common-passwords.ts';

const DATABASES =
  '(?:postgres(?:ql)?|mysql[2x]?|mariadb|mongodb|rediss?|amqps?|mssql|sqlserver|oracle|clickhouse|cockroachdb|cassandra|couchdb|neo4j|bolt|nats|ldaps?|smtps?)(?:\\+[a-z0-9]{1,20})?';

/** Hosts that are nobody's: documentation (RFC 2606), and the machine itself. */
const NO_HOST =
  /^(?:localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[?::1\]?|(?:[\w-]+\.)*example(?:\.(?:com|org|net))?|(?:[\w-]+\.)*(?:test|invalid|localhost))$/i;

const SERVICE = /^(?!.*prod)[a-z][a-z0-9_-]{0,40}$/i;

const TEMPLATE = /^(?:user(?:name)?|your[\w-]*|my[\w-]*|foo|bar)$/i;
const TEMPLATE_PASSWORD = /^(?:pass(?:w(?:or)?d|wd)?|pwd|secret|pw|your[\w-]*)$/i;

/** Rules for addresses and headers with a password in them. */
export function buildConnectionSecretPatterns(prefixes: readonly string[]): DetectionPattern[] {
  const base = {
    severity: 'high',
    before: 0,
    after: 420,
    rank: DETECTOR_RANK.labelled,
    inBinary: true,
  } as const;
  const secret = (candidate: PatternCandidate) =>
    isAllowedPiiValue(candidate, prefixes) ? null : ('high' as const);
  const withPassword = (candidate: PatternCandidate) => {
    const { user = '', password = '', host = '' } = candidate.groups;
    if (NO_HOST.test(host) || isVariableReference(host)) return null;
    if (isVariableReference(password) || isPlaceholder(password) || isRepetitiveFiller(password)) return null;
    if (prefixes.some((prefix) => password.toUpperCase().startsWith(prefix.toUpperCase()))) return null;
    // A container beside this one, by its name, with the password that its image comes with.
    if (SERVICE.test(host) && isCommonPassword(password)) return 'medium';
    const { kind, isTest } = candidate.file;
    return (kind === 'prose' || isTest) && TEMPLATE.test(user) && TEMPLATE_PASSWORD.test(password)
      ? 'medium'
      : ('high' as const);
  };
  return [
    {
      ...base,
      rule: 'connection_string',
      title: 'connection string with a password',
      anchors: ['://'],
      before: 40,
      pattern: new RegExp(
        String.raw`(?<![a-z0-9])(?<value>${DATABASES}://(?<user>[^\s:/@"'${'`'}<>]{0,128}):(?<password>[^\s/@"'${'`'}<>]{1,256})@(?<host>[^\s/:@"'${'`'}?,<>\\]{1,200})[^\s"'${'`'}<>\\]{0,200})`,
        'i',
      ),
      rateCandidate: withPassword,
    },
    {
      ...base,
      rule: 'connection_string',
      title: 'connection string',
      severity: 'medium',
      anchors: ['://'],
      before: 40,
      rank: DETECTOR_RANK.shape,
      inBinary: false,
      pattern: new RegExp(
        String.raw`(?<![a-z0-9])(?<value>${DATABASES}://(?<host>[^\s/:@"'${'`'}?,<>\\$%{]{3,200})(?![^\s/:?"'${'`'}]|[^\s"'${'`'}]{0,200}@)[^\s"'${'`'}<>\\]{0,200})`,
        'i',
      ),
      rateCandidate: ({ groups, value }) =>
        NO_HOST.test(groups['host'] ?? '') || value.length < 20 || !value.includes('.') ? null : 'medium',
    },
    {
      ...base,
      rule: 'url_credentials',
      title: 'address with a password',
      anchors: ['://'],
      before: 12,
      pattern:
        /(?<![a-z0-9])(?:https?|ftps?|sftp|ssh|git|svn|wss?|socks5)(?:\+[a-z]{1,8})?:\/\/(?<value>(?<user>[^\s:/@"'`<>?#]{0,128}):(?<password>[^\s/@"'`<>?#]{3,256}))@(?<host>[^\s/:@"'`?,<>\\]{1,200})/i,
      rateCandidate: withPassword,
    },
    {
      ...base,
      rule: 'dsn_password',
      title: 'connection string with a password',
      anchors: ['password=', 'password =', 'pwd=', 'pwd ='],
      before: 240,
      pattern:
        /(?:server|data source|host|hostaddr|user id|uid|user|username|dbname|database|initial catalog)[ ]?=[^\n"'`]{1,200}?[; ](?:password|pwd)[ ]?=[ ]?(?<value>[^\s;&"'`{}$<>,()]{4,120})/i,
      // In code the parameters and arguments of functions look the same.
      rateCandidate: (candidate) =>
        candidate.file.kind === 'code' && /^[A-Za-z_.]+$/.test(candidate.value) ? null : secret(candidate),
    },
    {
      ...base,
      rule: 'bearer_token',
      title: 'token in a header',
      anchors: ['bearer'],
      before: 64,
      after: 620,
      pattern:
        /(?:authorization|bearer)[\w-]{0,16}(?:\\?["'\])]){0,3}[ \t]{0,8}(?:=>|[=:,])[ \t]{0,8}(?:[fbr]?\\?["'`])?Bearer[ \t]{1,4}(?<value>[A-Za-z0-9._~+/=-]{20,500})/i,
      rateCandidate: secret,
    },
    {
      ...base,
      rule: 'basic_auth_header',
      title: 'user and password in a header',
      anchors: ['basic '],
      before: 64,
      pattern:
        /authorization(?:\\?["'\])]){0,3}[ \t]{0,8}(?:=>|[=:,])[ \t]{0,8}\\?["'`]?Basic[ \t]{1,4}(?<value>[A-Za-z0-9+/]{8,300}={0,2})/i,
      rateCandidate: (candidate) => pair(candidate, prefixes),
    },
    {
      ...base,
      rule: 'registry_auth',
      title: 'user and password of a registry',
      anchors: ['"auth"', '_auth'],
      pattern: /(?:"auth"[ \t]{0,8}:|_auth[ \t]{0,4}=)[ \t]{0,8}"?(?<value>[A-Za-z0-9+/]{8,400}={0,2})/i,
      rateCandidate: (candidate) => pair(candidate, prefixes),
    },
  ];
}

/** `user:password` in base64. */
function pair(candidate: PatternCandidate, prefixes: readonly string[]) {
  const text = Buffer.from(candidate.value, 'base64').toString('latin1');
  const password = /^[\x21-\x7e]{1,200}?:([\x20-\x7e]{3,300})$/.exec(text)?.[1];
  return password === undefined || isAllowedPiiValue({ ...candidate, value: password }, prefixes)
    ? null
    : ('high' as const);
}
