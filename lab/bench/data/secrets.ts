import { ALNUM, BASE64, DIGITS, HEX, LOWER, Random, UPPER } from './random.ts';

const random = new Random(20_260_801);
const make = (alphabet: string, length: number): string => random.text(alphabet, length);
/** Put together at run time, so that no scanner finds one in this file. */
const glue = (...parts: readonly string[]): string => parts.join('');
/** A random text with capital and small letters and digits in it. */
const mixed = (length: number): string => glue('k', 'Z', '7', make(ALNUM, length - 3));

const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Values with the shape of real secrets. None was ever valid. */
export const SECRET = {
  awsKey: glue('AK', 'IA', make(UPPER + DIGITS, 16)),
  awsSecret: glue('9', make(BASE64, 39)),
  github: glue('gh', 'p_', make(ALNUM, 36)),
  githubServer: glue('gh', 's_', make(ALNUM, 36)),
  githubFine: glue('github', '_pat_', make(ALNUM, 22), '_', make(ALNUM, 59)),
  gitlab: glue('gl', 'pat-', make(ALNUM, 20)),
  slack: glue('xo', 'xb-', make(DIGITS, 12), '-', make(DIGITS, 12), '-', make(ALNUM, 24)),
  slackHook: glue(
    'https://hooks.',
    'slack.com/services/T',
    make(UPPER, 8),
    '/B',
    make(UPPER, 8),
    '/',
    make(ALNUM, 24),
  ),
  stripe: glue('sk', '_live_', make(ALNUM, 24)),
  stripeTest: glue('rk', '_test_', make(ALNUM, 24)),
  google: glue('AI', 'za', make(ALNUM, 35)),
  googleOauth: glue('ya', '29.', make(ALNUM, 60)),
  npm: glue('np', 'm_', make(ALNUM, 36)),
  pypi: glue('py', 'pi-', make(ALNUM, 60)),
  docker: glue('dckr', '_pat_', make(ALNUM, 27)),
  sendgrid: glue('S', 'G.', make(ALNUM, 22), '.', make(ALNUM, 43)),
  twilio: glue('S', 'K', '7', make(HEX, 31)),
  mailgun: glue('ke', 'y-', make(HEX, 32)),
  anthropic: glue('sk-', 'ant-api03-', make(ALNUM, 90)),
  openai: glue('sk-', 'proj-', make(ALNUM, 60)),
  digitalocean: glue('dop', '_v1_', make(HEX, 64)),
  vault: glue('hv', 's.', make(ALNUM, 95)),
  telegram: glue(make(DIGITS, 9), ':A', 'A', make(ALNUM, 33)),
  shopify: glue('shp', 'at_', make(HEX, 32)),
  huggingface: glue('h', 'f_', make(UPPER + LOWER, 34)),
  databricks: glue('da', 'pi', make(HEX, 32)),
  tailscale: glue('ts', 'key-auth-', make(ALNUM, 12), '-', make(ALNUM, 24)),
  figma: glue('fi', 'gd_', make(ALNUM, 40)),
  jwt: glue(
    base64url({ alg: 'HS256', typ: 'JWT' }),
    '.',
    base64url({ sub: make(DIGITS, 10), name: 'Ada' }),
    '.',
    make(ALNUM, 43),
  ),
  azure: glue('Account', 'Key=', make(BASE64, 86), '=='),
  pem: (kind = ''): string =>
    glue(
      '-----BEGIN ',
      kind,
      'PRIVATE',
      ' KEY-----\n',
      make(BASE64, 64),
      '\n',
      make(BASE64, 64),
      '\n-----END ',
      kind,
      'PRIVATE',
      ' KEY-----',
    ),
  pemHead: (kind = ''): string => glue('-----BEGIN ', kind, 'PRIVATE', ' KEY-----'),
  password: glue('hun', 'ter', '2!', make(ALNUM, 6)),
  plain: glue('trou', 'bador', make(DIGITS, 2)),
  mixed32: mixed(32),
  hex32: glue('4', 'e', make(HEX, 30)),
  uuid: [8, 4, 4, 4, 12].map((length) => make(HEX, length)).join('-'),
} as const;

/** Numbers with the shape of real ones. */
export const NUMBER = {
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
