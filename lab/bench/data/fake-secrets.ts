import {
  ALPHANUMERICS,
  BASE64_ALPHABET,
  DECIMAL_DIGITS,
  HEX_DIGITS,
  LOWERCASE_LETTERS,
  SeededRandom,
  UPPERCASE_LETTERS,
} from './seeded-random.ts';

const random = new SeededRandom(20_260_801);
const make = (alphabet: string, length: number): string => random.text(alphabet, length);
/** Put together at run time, so that no scanner finds one in this file. */
const glue = (...parts: readonly string[]): string => parts.join('');
/** A random text with capital and small letters and digits in it. */
const mixed = (length: number): string => glue('k', 'Z', '7', make(ALPHANUMERICS, length - 3));

const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Values with the shape of real secrets. None was ever valid. */
export const FAKE_SECRETS = {
  awsKey: glue('AK', 'IA', make(UPPERCASE_LETTERS + DECIMAL_DIGITS, 16)),
  awsSecret: glue('9', make(BASE64_ALPHABET, 39)),
  github: glue('gh', 'p_', make(ALPHANUMERICS, 36)),
  githubServer: glue('gh', 's_', make(ALPHANUMERICS, 36)),
  githubFine: glue('github', '_pat_', make(ALPHANUMERICS, 22), '_', make(ALPHANUMERICS, 59)),
  gitlab: glue('gl', 'pat-', make(ALPHANUMERICS, 20)),
  slack: glue(
    'xo',
    'xb-',
    make(DECIMAL_DIGITS, 12),
    '-',
    make(DECIMAL_DIGITS, 12),
    '-',
    make(ALPHANUMERICS, 24),
  ),
  slackHook: glue(
    'https://hooks.',
    'slack.com/services/T',
    make(UPPERCASE_LETTERS, 8),
    '/B',
    make(UPPERCASE_LETTERS, 8),
    '/',
    make(ALPHANUMERICS, 24),
  ),
  stripe: glue('sk', '_live_', make(ALPHANUMERICS, 24)),
  stripeTest: glue('rk', '_test_', make(ALPHANUMERICS, 24)),
  google: glue('AI', 'za', make(ALPHANUMERICS, 35)),
  googleOauth: glue('ya', '29.', make(ALPHANUMERICS, 60)),
  npm: glue('np', 'm_', make(ALPHANUMERICS, 36)),
  pypi: glue('py', 'pi-', make(ALPHANUMERICS, 60)),
  docker: glue('dckr', '_pat_', make(ALPHANUMERICS, 27)),
  sendgrid: glue('S', 'G.', make(ALPHANUMERICS, 22), '.', make(ALPHANUMERICS, 43)),
  twilio: glue('S', 'K', '7', make(HEX_DIGITS, 31)),
  mailgun: glue('ke', 'y-', make(HEX_DIGITS, 32)),
  anthropic: glue('sk-', 'ant-api03-', make(ALPHANUMERICS, 90)),
  openai: glue('sk-', 'proj-', make(ALPHANUMERICS, 60)),
  digitalocean: glue('dop', '_v1_', make(HEX_DIGITS, 64)),
  vault: glue('hv', 's.', make(ALPHANUMERICS, 95)),
  telegram: glue(make(DECIMAL_DIGITS, 9), ':A', 'A', make(ALPHANUMERICS, 33)),
  shopify: glue('shp', 'at_', make(HEX_DIGITS, 32)),
  huggingface: glue('h', 'f_', make(UPPERCASE_LETTERS + LOWERCASE_LETTERS, 34)),
  databricks: glue('da', 'pi', make(HEX_DIGITS, 32)),
  tailscale: glue('ts', 'key-auth-', make(ALPHANUMERICS, 12), '-', make(ALPHANUMERICS, 24)),
  figma: glue('fi', 'gd_', make(ALPHANUMERICS, 40)),
  jwt: glue(
    base64url({ alg: 'HS256', typ: 'JWT' }),
    '.',
    base64url({ sub: make(DECIMAL_DIGITS, 10), name: 'Ada' }),
    '.',
    make(ALPHANUMERICS, 43),
  ),
  azure: glue('Account', 'Key=', make(BASE64_ALPHABET, 86), '=='),
  pem: (kind = ''): string =>
    glue(
      '-----BEGIN ',
      kind,
      'PRIVATE',
      ' KEY-----\n',
      make(BASE64_ALPHABET, 64),
      '\n',
      make(BASE64_ALPHABET, 64),
      '\n-----END ',
      kind,
      'PRIVATE',
      ' KEY-----',
    ),
  pemHead: (kind = ''): string => glue('-----BEGIN ', kind, 'PRIVATE', ' KEY-----'),
  password: glue('hun', 'ter', '2!', make(ALPHANUMERICS, 6)),
  plain: glue('trou', 'bador', make(DECIMAL_DIGITS, 2)),
  mixed32: mixed(32),
  hex32: glue('4', 'e', make(HEX_DIGITS, 30)),
  uuid: [8, 4, 4, 4, 12].map((length) => make(HEX_DIGITS, length)).join('-'),
} as const;

/** Numbers with the shape of real ones. */
export const FAKE_NUMBERS = {
  ssn: ['219', '46', '5193'].join('-'),
  visa: ['4539', '1488', '0343', '6467'].join(' '),
  amex: ['3714', '496353', '98431'].join(''),
  mastercard: ['5555', '5555', '5555', '4444'].join('-'),
  badLuhn: ['4539', '1488', '0343', '6468'].join(' '),
  phone: ['(415)', '555-0132'].join(' '),
  mrn: ['0042', '7719'].join(''),
  npi: ['1245', '319599'].join(''),
  dea: ['BJ', '6125341'].join(''),
} as const;
