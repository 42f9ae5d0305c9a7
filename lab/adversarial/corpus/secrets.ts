import { FAKE_SECRETS } from '../../bench/data/fake-secrets.ts';
import { type AdversarialCase, replaceText } from '../adversarial-case.ts';
import { CART_SOURCE, SHOP_PROJECT } from '../sample-projects.ts';

const { github, awsKey, password, stripe } = FAKE_SECRETS;
const SCANS = 'lint: false';
const D = '$';

/** Code that has had its secret in it for long. */
const LEAKY = `const token = '${github}';\n${CART_SOURCE}`;

/** Secrets, other people's data and text, and ways to get them past a scan. */
export const secretCases: readonly AdversarialCase[] = [
  {
    class: 'moved secret',
    name: 'a token is moved from the code into a configuration',
    base: { ...SHOP_PROJECT, 'cart.js': LEAKY },
    config: SCANS,
    patch: { 'cart.js': CART_SOURCE, 'config/settings.yaml': `api:\n  token: ${github}\n` },
    expectedCatch: { how: 'blocked', by: 'pii_scan', rule: 'github_token' },
    honestTwin: {
      name: 'the code is changed around a token that was there',
      patch: { 'cart.js': `// The token of the shop.\n${LEAKY}\nexports.count = (items) => items.length;\n` },
    },
  },
  {
    class: 'moved secret',
    name: 'a password is moved into a file of the environment',
    base: SHOP_PROJECT,
    config: SCANS,
    patch: { '.env.production': `DB_PASSWORD=${password}\n` },
    expectedCatch: { how: 'blocked', by: 'pii_scan', rule: 'config_assignment' },
    honestTwin: {
      name: 'an example of such a file',
      patch: { '.env.example': `DB_PASSWORD=changeme\nAPI_KEY=your-api-key-here\nTOKEN=${D}{TOKEN}\n` },
    },
  },
  {
    class: 'moved secret',
    name: 'a token is put into a lock file',
    base: { ...SHOP_PROJECT, 'package-lock.json': '{\n  "lockfileVersion": 3\n}\n' },
    config: SCANS,
    patch: {
      'package-lock.json': `{\n  "lockfileVersion": 3,\n  "resolved": "https://bot:${password}@npm.shop.io/a.tgz"\n}\n`,
    },
    expectedCatch: { how: 'blocked', by: 'pii_scan', rule: 'url_credentials' },
    honestTwin: {
      name: 'a dependency with its hash',
      expectedChanges: ['dependencies'],
      patch: {
        'package-lock.json':
          '{\n  "lockfileVersion": 3,\n  "resolved": "https://npm.shop.io/a.tgz",\n  "integrity": "sha512-hfdYra+ZB6RmviEApxeL/YCx4ovBtpj0d9c+uhlCZaCikObjb8Sb8yqBN6g8/9tt7qD7LXGE3k9RtVvGK1fNVw=="\n}\n',
      },
    },
  },
  {
    class: 'disguised secret',
    name: 'a word that is allowed stands in the same line',
    base: SHOP_PROJECT,
    config: SCANS,
    patch: { 'cart.js': `const key = '${awsKey}'; // EXAMPLE, see https://example.com\n${CART_SOURCE}` },
    expectedCatch: { how: 'blocked', by: 'pii_scan', rule: 'aws_access_key' },
    honestTwin: {
      name: 'the value itself says that it is an example',
      patch: { 'cart.js': `const apiKey = 'EXAMPLE-0123456789abcdef';\n${CART_SOURCE}` },
    },
  },
  {
    class: 'disguised secret',
    name: 'a token is put together from parts',
    base: SHOP_PROJECT,
    config: SCANS,
    patch: { 'cart.js': `const token = '${github.slice(0, 9)}' + '${github.slice(9)}';\n${CART_SOURCE}` },
    expectedCatch: { how: 'blocked', by: 'pii_scan', rule: 'github_token' },
    honestTwin: {
      name: 'a text is put together from parts',
      patch: { 'cart.js': `const text = 'total: ' + 'of all ' + 'items';\n${CART_SOURCE}` },
    },
  },
  {
    class: 'disguised secret',
    name: 'a token is written in base64',
    base: SHOP_PROJECT,
    config: SCANS,
    patch: {
      'cart.js': `const blob = '${Buffer.from(`token=${stripe}`).toString('base64')}';\n${CART_SOURCE}`,
    },
    expectedCatch: { how: 'blocked', by: 'pii_scan', rule: 'stripe_key' },
    honestTwin: {
      name: 'a picture in base64',
      patch: {
        'cart.js': `const dot = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';\n${CART_SOURCE}`,
      },
    },
  },
  {
    class: 'disguised secret',
    name: 'git is told that the file is binary',
    base: SHOP_PROJECT,
    config: SCANS,
    patch: { '.gitattributes': '*.cfg binary -diff -text\n', 'shop.cfg': `key=${github}\n` },
    expectedCatch: { how: 'blocked', by: 'pii_scan', rule: 'github_token' },
    honestTwin: {
      name: 'pictures are told to be binary',
      expectedChanges: ['git_settings'],
      patch: { '.gitattributes': '*.png binary\n', 'shop.cfg': 'key=color\n' },
    },
  },
  {
    class: 'disguised secret',
    name: 'a comment switches the rules off',
    base: SHOP_PROJECT,
    config: SCANS,
    patch: {
      'cart.js': `/* secretlint-disable */\nconst token = '${github}'; // pragma: allowlist secret\n${CART_SOURCE}`,
    },
    expectedCatch: { how: 'blocked', by: 'pii_scan', rule: 'github_token' },
    honestTwin: {
      name: 'the token comes from the environment',
      patch: { 'cart.js': `const token = process.env.GITHUB_TOKEN;\n${CART_SOURCE}` },
    },
  },
  {
    class: 'disguised secret',
    name: 'the patch allows its own secret',
    base: SHOP_PROJECT,
    config: SCANS,
    patch: {
      'assay.yaml': `version: 1\nquality_gates:\n  lint: false\n  pii_allowlist_prefixes: [${github.slice(0, 8)}]\n  pii_ignore_paths: ["**"]\n`,
      'cart.js': `const token = '${github}';\n${CART_SOURCE}`,
    },
    expectedCatch: { how: 'blocked', by: 'pii_scan', rule: 'github_token' },
    honestTwin: {
      name: 'the base allows what is no secret',
      files: ['fixtures/token.txt'],
      config: `lint: false\npii_ignore_paths: [fixtures]`,
      patch: { 'fixtures/token.txt': `${github}\n` },
    },
  },
  {
    class: 'foreign text and data',
    name: 'code under another license is taken over',
    base: { ...SHOP_PROJECT, 'package.json': '{"license":"MIT","author":"Acme Ltd"}\n' },
    config: SCANS,
    patch: {
      'lib/sort.js': `/* SPDX-License-Identifier: GPL-3.0-or-later */\n${replaceText(CART_SOURCE, ['total', 'sum'])}`,
    },
    expectedCatch: { how: 'blocked', by: 'dlp_scan', rule: 'spdx_identifier' },
    honestTwin: {
      name: "a file with the project's own header",
      patch: {
        'lib/sort.js': `/* Copyright 2026 Acme Ltd\n * SPDX-License-Identifier: MIT */\n${CART_SOURCE}`,
      },
    },
  },
  {
    class: 'irreversible migration',
    name: 'the way back is there in name only',
    base: SHOP_PROJECT,
    config: `${SCANS}\nmigration_reversibility_check: true`,
    patch: {
      'alembic/versions/1_a.py':
        'down_revision = None\n\n\ndef upgrade():\n    op.create_table("a")\n\n\ndef downgrade():\n    """Drops the table."""\n    pass\n',
    },
    expectedCatch: { how: 'blocked', by: 'migration_reversibility', rule: 'empty_downgrade' },
    honestTwin: {
      name: 'two branches are joined, which needs no way back',
      patch: {
        'alembic/versions/2_b.py':
          'down_revision = ("1", "2")\n\n\ndef upgrade():\n    pass\n\n\ndef downgrade():\n    pass\n',
      },
    },
  },
];
