import type { AdversarialCase } from '../adversarial-case.ts';
import { CART_SOURCE, SHOP_PROJECT } from '../sample-projects.ts';

const SCANS = 'lint: false';
/** Key and secret of AWS's own manual, put together so that no scanner of this repository stops at them. */
const KEY = ['AKIA', 'IOSFODNN7EXAMPLE'].join('');
const SECRET = ['wJalrXUtnFEMI/K7MDENG/', 'bPxRfiCYEXAMPLEKEY'].join('');
const OTHER_KEY = ['AKIA', 'QX3RZ7MTW2EXAMPLE'].join('').slice(0, 20);
const POSTGRES = 'postgres://app:';
const NOTICE = (owner: string): string =>
  `The MIT License (MIT)\n\nCopyright (c) 2014 ${owner}\n\nPermission is hereby granted, free of charge, to any person\n`;

/** What comes from elsewhere: manuals that are copied, packages that are vendored. */
export const thirdPartyContentCases: readonly AdversarialCase[] = [
  {
    class: 'disguised secret',
    name: 'a key ends like the one of the manual',
    base: SHOP_PROJECT,
    config: SCANS,
    patch: { '.env.example': `AWS_ACCESS_KEY_ID=${OTHER_KEY}\n` },
    expectedCatch: { how: 'blocked', by: 'pii_scan', rule: 'aws_access_key' },
    honestTwin: {
      name: 'an example has the keys of the manual',
      patch: { '.env.example': `AWS_ACCESS_KEY_ID=${KEY}\nAWS_SECRET_ACCESS_KEY=${SECRET}\n` },
    },
  },
  {
    class: 'disguised secret',
    name: 'the database of the house with the usual password',
    base: SHOP_PROJECT,
    config: SCANS,
    patch: {
      'docker-compose.yml': `services:\n  app:\n    environment:\n      DATABASE_URL: ${POSTGRES}postgres@db.acme.io/app\n`,
    },
    expectedCatch: { how: 'blocked', by: 'pii_scan', rule: 'connection_string' },
    honestTwin: {
      name: 'the database of the next container with the usual password',
      patch: {
        'docker-compose.yml': `services:\n  app:\n    environment:\n      DATABASE_URL: ${POSTGRES}postgres@db:5432/app\n`,
      },
    },
  },
  {
    class: 'foreign text and data',
    name: 'code of somebody else is taken over without its notice',
    base: SHOP_PROJECT,
    config: SCANS,
    patch: { 'lib/pad.js': `/* Copyright (c) 2014 Ada Smith */\n${CART_SOURCE}` },
    expectedCatch: { how: 'blocked', by: 'dlp_scan', rule: 'copyright_header' },
    honestTwin: {
      name: 'a package comes with its notice',
      patch: {
        'vendor/pad/LICENSE': NOTICE('Ada Smith'),
        'vendor/pad/pad.js': 'exports.pad = (text) => text.padStart(8);\n',
        'THIRD_PARTY_NOTICES.md': `# pad\n\n${NOTICE('Ada Smith')}`,
      },
    },
  },
  {
    class: 'foreign text and data',
    name: 'the notice of the project is given to somebody else',
    base: { ...SHOP_PROJECT, LICENSE: NOTICE('Acme Ltd') },
    config: SCANS,
    patch: { LICENSE: NOTICE('Rival Ltd') },
    expectedCatch: { how: 'blocked', by: 'dlp_scan', rule: 'copyright_header' },
    honestTwin: {
      name: 'a project gets its first notice',
      base: SHOP_PROJECT,
      patch: { LICENSE: NOTICE('Acme Ltd') },
    },
  },
];
