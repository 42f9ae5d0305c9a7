import { describe, expect, test } from 'vitest';
import type { GateResult } from '../../gates/core/gate.ts';
import { dlpScanGate } from '../../gates/gates/dlp-scan.ts';
import { piiScanGate } from '../../gates/gates/pii-scan.ts';
import { extractSpdxIds, normalizeCopyrightHolder } from '../../gates/rules/dlp-scan/project-license.ts';
import { FAKE_NUMBERS } from '../../lab/bench/data/fake-secrets.ts';
import { type FileContents, type FileEdits, runGate } from '../support/patch-fixture.ts';

const scan = (
  base: FileContents,
  edits: FileEdits,
  settings: Record<string, unknown> = {},
): Promise<GateResult> => runGate(dlpScanGate, base, edits, { settings });
const places = (result: GateResult): string[] =>
  result.findings.map(({ file, line, rule }) => `${file}:${line} ${rule}`);

const FOREIGN = '// SPDX-License-Identifier: GPL-2.0-only\n';
const PATIENT = `mrn = "${FAKE_NUMBERS.mrn}"\n`;
const HOST = `host = "10.20.30.40"\n`;

describe('dlp_scan', () => {
  test.each<[string, Record<string, unknown>, string, string[]]>([
    ['fails for text under another license', {}, 'failed', ['a.py:1 spdx_identifier']],
    ['may only warn of it', { dlp_license: 'info' }, 'passed', ['a.py:1 spdx_identifier']],
    ['may be told not to look for it', { dlp_license: 'off' }, 'passed', []],
  ])('%s', async (_, settings, outcome, found) => {
    const result = await scan({}, { 'a.py': FOREIGN }, settings);
    expect(result.outcome).toBe(outcome);
    expect(places(result)).toEqual(found);
  });

  test('only reports card numbers that providers have published for tests', async () => {
    const card = ['4242', '4242', '4242', '4242'].join(' ');
    const result = await scan(
      {},
      { 'test/pay.js': `const a = { cardNumber: '${card}' };\n`, 'PAY.md': `card number ${card}\n` },
    );
    expect(result).toMatchObject({ outcome: 'passed', findings: [{}, {}] });
    const real = ['4539', '1488', '0343', '6467'].join(' ');
    expect(await scan({}, { 'test/pay.js': `const cardNumber = '${real}';\n` })).toMatchObject({
      outcome: 'failed',
    });
  });

  test.each<[string, string, Record<string, unknown>, string]>([
    ['fails for data about patients', PATIENT, {}, 'failed'],
    ['may only warn of them', PATIENT, { dlp_regulated: 'info' }, 'passed'],
    ['only warns of what is internal', HOST, {}, 'passed'],
    ['may fail for it', HOST, { dlp_proprietary: 'error' }, 'failed'],
  ])('%s', async (_, text, settings, outcome) => {
    const result = await scan({}, { 'a.py': text }, settings);
    expect(result.outcome).toBe(outcome);
    expect(result.findings).toHaveLength(1);
  });

  test('lists every finding of a rule, and shows none of the values', async () => {
    const result = await scan(
      {},
      { 'a.py': `ssn = "${FAKE_NUMBERS.ssn}"\nssn2: ${FAKE_NUMBERS.ssn}\n${PATIENT}` },
    );
    expect(places(result)).toEqual(['a.py:1 us_ssn', 'a.py:2 us_ssn', 'a.py:3 mrn']);
    expect(JSON.stringify(result)).not.toContain(FAKE_NUMBERS.ssn);
    expect(JSON.stringify(result)).not.toContain(FAKE_NUMBERS.mrn);
  });

  test('only takes digits for a card whose check digit is right', async () => {
    const result = await scan(
      {},
      { 'a.py': `card = "${FAKE_NUMBERS.badLuhn}"\ncard = "${FAKE_NUMBERS.visa}"\n` },
    );
    expect(places(result)).toEqual(['a.py:2 credit_card_number']);
  });

  test('looks for the names of machines that it is told, one label for each star', async () => {
    const edits = {
      'a.yaml': 'a: build7.ci.acme.net\nb: acme.net\nc: x.build7.ci.acme.net\nd: build7.ci.acme.network\n',
    };
    const result = await scan({}, edits, { dlp_internal_hosts: ['*.ci.acme.net'] });
    expect(places(result)).toEqual(['a.yaml:1 internal_hostname', 'a.yaml:3 internal_hostname']);
    expect((await scan({}, edits)).findings).toEqual([]);
  });

  test('leaves out paths, and values that say that they are none', async () => {
    const edits = { 'a.py': 'mrn = "SAMPLE-0042771"\nmember_id = "MOCK12345678"\n', 'vendor/b.js': FOREIGN };
    expect(await scan({}, edits, { dlp_ignore_paths: ['vendor'] })).toMatchObject({
      outcome: 'passed',
      findings: [],
    });
  });
});

describe('a number like a social security number, without a label', () => {
  test.each<[string, string, string]>([
    ['in code', 'src/a.ts', 'failed'],
    ['in data', 'data/people.csv', 'failed'],
    ['in a test', 'test/a.test.ts', 'passed'],
    ['in a text for people', 'docs/a.md', 'passed'],
  ])('%s is the same to both gates', async (_, path, outcome) => {
    const edits = { [path]: `x,${FAKE_NUMBERS.ssn},y\n` };
    for (const gate of [piiScanGate, dlpScanGate]) {
      const result = await runGate(gate, {}, edits);
      expect(result.outcome).toBe(outcome);
      expect(result.findings).toHaveLength(1);
    }
  });
});

describe("the project's own license and name", () => {
  const mit =
    'MIT License\n\nCopyright (c) 2019 Acme Ltd\n\nPermission is hereby granted, free of charge, to any person';
  const gpl =
    '                    GNU GENERAL PUBLIC LICENSE\n                       Version 3, 29 June 2007\n';
  test.each<[string, FileContents, string, boolean]>([
    ['as its license file says', { LICENSE: mit }, '// SPDX-License-Identifier: MIT\n', true],
    ['and its owner', { LICENSE: mit }, '// Copyright 2026 Acme Ltd. All rights reserved.\n', true],
    [
      'and its owner among others',
      { LICENSE: mit },
      '// Copyright (c) 2020-2026 Acme Ltd and contributors\n',
      true,
    ],
    ['but not another owner', { LICENSE: mit }, '// Copyright 2026 Acme-Rival Ltd\n', false],
    ['nor another license', { LICENSE: mit }, '// SPDX-License-Identifier: MIT AND GPL-2.0-only\n', false],
    [
      'as its package says',
      { 'package.json': '{"license":"ISC","author":{"name":"Jane Doe"}}' },
      '/* Copyright 2026 Jane Doe\n SPDX-License-Identifier: ISC */\n',
      true,
    ],
    [
      'as its package in short says',
      { 'package.json': '{"license":"ISC","author":"Jane Doe <j@doe.io> (https://doe.io)"}' },
      '/* Copyright 2026 Jane Doe */\n',
      true,
    ],
    [
      'as its Python project says',
      {
        'pyproject.toml':
          '[project]\nlicense = "BSD-3-Clause"\nauthors = [{ name = "Jane Doe", email = "j@doe.io" }]\n',
      },
      '# Copyright 2026 Jane Doe\n# SPDX-License-Identifier: BSD-3-Clause\n',
      true,
    ],
    [
      'as its notice says',
      { NOTICE: 'Shop\nCopyright 2021 The Shop Authors\n' },
      '# Copyright 2026 The Shop Authors\n',
      true,
    ],
    [
      'of the GNU family',
      { COPYING: gpl },
      ' * the GNU General Public License\n * SPDX-License-Identifier: GPL-3.0-or-later\n',
      true,
    ],
    [
      'of the package that a file belongs to',
      { LICENSE: mit, 'lib/a/package.json': '{"license":"ISC"}' },
      '// SPDX-License-Identifier: ISC\n',
      true,
    ],
    [
      'but not of another package',
      { LICENSE: mit, 'lib/b/package.json': '{"license":"ISC"}' },
      '// SPDX-License-Identifier: ISC\n',
      false,
    ],
    [
      'which are not read from what is no license',
      { 'package.json': 'not JSON', LICENSE: Buffer.from([0, 1, 2]) },
      '// SPDX-License-Identifier: ISC\n',
      false,
    ],
  ])('are not those of somebody else: %s', async (_, base, text, passes) => {
    const result = await scan(base, { 'lib/a/new.ts': text });
    expect(result.outcome).toBe(passes ? 'passed' : 'failed');
  });

  test('come from the base: a patch does not make its own', async () => {
    const result = await scan(
      { LICENSE: mit },
      {
        LICENSE: gpl,
        'package.json': '{"license":"ISC","author":"Jane Doe"}',
        'a.ts': '// Copyright 2026 Jane Doe\n// SPDX-License-Identifier: ISC\n',
      },
    );
    expect(places(result)).toEqual([
      'LICENSE:1 gpl_notice',
      'a.ts:1 copyright_header',
      'a.ts:2 spdx_identifier',
    ]);
  });

  test.each([
    ['Acme Ltd. All rights reserved.', 'acme ltd'],
    ['Jane  Doe <jane@doe.io> (https://doe.io)', 'jane doe'],
    ['Some Body and others,', 'some body and others'],
  ])('%s is written as %s', (text, owner) => {
    expect(normalizeCopyrightHolder(text)).toBe(owner);
  });

  test('licenses of an expression are told apart', () => {
    expect(extractSpdxIds('(MIT OR Apache-2.0) AND GPL-2.0-only WITH Classpath-exception-2.0')).toEqual([
      'mit',
      'apache-2.0',
      'gpl-2.0',
    ]);
  });
});
