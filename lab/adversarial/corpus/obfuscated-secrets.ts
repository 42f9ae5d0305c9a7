import type { AdversarialCase } from '../adversarial-case.ts';
import { CART_SOURCE, SHOP_PROJECT } from '../sample-projects.ts';

/** Put together here, so that no scanner takes this file for what it is about. */
const TOKEN = ['gh', 'p_', 'a8Kd02LmZq91XvTn', 'B4Rw7YcE5Ju3HsPg6FiO'].join('');
const PASSWORD = ['hT9#vQ2!', 'mZx7Lp'].join('');

const moved = (
  name: string,
  path: string,
  text: string,
  twin: { readonly name: string; readonly text: string },
  known_miss?: string,
): AdversarialCase => ({
  class: 'disguised secret',
  name,
  base: SHOP_PROJECT,
  config: 'lint: false',
  patch: { [path]: text, 'cart.js': `// carts\n${CART_SOURCE}` },
  expectedCatch: { how: 'blocked', by: 'pii_scan' },
  honestTwin: { name: twin.name, patch: { [path]: twin.text, 'cart.js': `// carts\n${CART_SOURCE}` } },
  ...(known_miss ? { known_miss } : {}),
});

const codes = (text: string): string => [...text].map((each) => each.charCodeAt(0)).join(', ');
const cells = (source: string): string =>
  `${JSON.stringify({ cells: [{ cell_type: 'code', source: [source], outputs: [], metadata: {} }], metadata: {}, nbformat: 4, nbformat_minor: 5 })}\n`;

/** Secrets in the formats that projects have, and in disguises. */
export const obfuscatedSecretCases: readonly AdversarialCase[] = [
  moved('a password without quotes stands in an INI file', 'app.ini', `[db]\npassword=${PASSWORD}\n`, {
    name: 'a password of an INI file comes from the environment',
    text: '[db]\npassword=%(DB_PASSWORD)s ; from the environment\n',
  }),
  moved(
    'a password stands in a list of a compose file',
    'compose.yml',
    `services:\n  db:\n    environment:\n      - POSTGRES_PASSWORD=${PASSWORD}\n`,
    {
      name: 'a compose file takes a password from the environment',
      text: `services:\n  db:\n    environment:\n      - POSTGRES_PASSWORD=\${DB_PASSWORD}\n`,
    },
  ),
  moved('a password is part of an image', 'Dockerfile', `FROM node:24\nENV DB_PASSWORD ${PASSWORD}\n`, {
    name: 'an image names where a password is kept',
    text: 'FROM node:24\nENV DB_PASSWORD_FILE /run/secrets/db\n',
  }),
  moved(
    'a password is the default of a setting',
    'db.js',
    `exports.password = process.env.DB_PASSWORD || '${PASSWORD}';\n`,
    {
      name: 'a setting has no default',
      text: "exports.password = process.env.DB_PASSWORD || '';\n",
    },
  ),
  moved(
    'a password is the default of a variable',
    'main.tf',
    `variable "db_password" {\n  default = "${PASSWORD}"\n}\n`,
    {
      name: 'a variable is marked as a secret',
      text: 'variable "db_password" {\n  type      = string\n  sensitive = true\n}\n',
    },
  ),
  moved('a token stands in a notebook', 'report.ipynb', cells(`token = "${TOKEN}"`), {
    name: 'a notebook takes a token from the environment',
    text: cells('token = os.environ["TOKEN"]'),
  }),
  moved(
    'a token is written as codes of characters',
    'api.js',
    `exports.token = String.fromCharCode(${codes(TOKEN)});\n`,
    {
      name: 'a text is written as codes of characters',
      text: `exports.greeting = String.fromCharCode(${codes('Welcome to the shop, dear customer')});\n`,
    },
  ),
  moved(
    'a token has signs in it that nobody sees',
    'api.js',
    `exports.token = '${TOKEN.slice(0, 2)}\u200b${TOKEN.slice(2)}';\n`,
    {
      name: 'a text has signs in it that nobody sees',
      text: "exports.label = 'ba\u200bsket';\n",
    },
  ),
  moved(
    'a token is put together in a template',
    'api.js',
    `exports.token = \`${TOKEN.slice(0, 4)}\${'${TOKEN.slice(4, 20)}'}\${'${TOKEN.slice(20)}'}\`;\n`,
    {
      name: 'a text is put together in a template',
      text: `exports.label = \`basket \${'of'} \${'fruit'}\`;\n`,
    },
  ),
  moved(
    'a token is written backwards',
    'api.js',
    `exports.token = [...'${[...TOKEN].reverse().join('')}'].reverse().join('');\n`,
    { name: 'a word is written backwards', text: "exports.word = [...'teksab'].reverse().join('');\n" },
    'what a program computes from a text is not worked out; there are endlessly many ways',
  ),
];
