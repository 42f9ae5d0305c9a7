import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { GateResult } from '../../gates/core/gate.ts';
import { piiScanGate } from '../../gates/gates/pii-scan.ts';
import { makeFakeSecret } from '../../gates/rules/scan/fake-secrets.ts';
import { FAKE_NUMBERS, FAKE_SECRETS } from '../../lab/bench/data/fake-secrets.ts';
import { createTestRepository } from '../support/git-repository.ts';
import { type FileContents, type FileEdits, runGate } from '../support/patch-fixture.ts';
import { runGateOnRepository } from '../support/run-gate-on-repository.ts';

const S = FAKE_SECRETS;
const scan = (
  base: FileContents,
  edits: FileEdits,
  settings: Record<string, unknown> = {},
): Promise<GateResult> => runGate(piiScanGate, base, edits, { settings });

const places = (result: GateResult): string[] =>
  result.findings.map(({ file, line, rule }) => `${file}:${line} ${rule}`);

/** Everything that leaves the gate. */
const shown = (result: GateResult): string => JSON.stringify(result);

describe('pii_scan', () => {
  test('fails for a secret that the patch adds, and says where and what, but not which', async () => {
    const result = await scan(
      { 'src/a.ts': 'const a = 1;\n' },
      { 'src/a.ts': `const a = 1;\n\nconst key = '${S.awsKey}';\n` },
    );
    expect(result.outcome).toBe('failed');
    expect(result.kind).toBe('checked');
    expect(places(result)).toEqual(['src/a.ts:3 aws_access_key']);
    expect(result.findings[0]?.message).toBe("high: AWS access key: const key = '***';");
    expect(shown(result)).not.toContain(S.awsKey);
    expect(result.facts).toMatchObject({ findings_error: 1, findings_info: 0, files_scanned: 1 });
  });

  test.each([
    [
      'the default of a variable, by the name of its key',
      'app.yml',
      (it: string) => `password: \${DB_USER:${it}}\n`,
    ],
    ['the default of a variable, by its own name', 'app.yml', (it: string) => `other: \${DB_PASS:${it}}\n`],
    ['the default of a variable of the shell', 'run.sh', (it: string) => `x="\${API_KEY:-${it}}"\n`],
    ['the default of a variable of a key', 'app.yml', (it: string) => `api-key: \${APP:${it}}\n`],
    ['the default of a template', 'app.yml.j2', (it: string) => `x: {{ db_password | default('${it}') }}\n`],
    ['an attribute', 'beans.xml', (it: string) => `<property name="password" value="${it}"/>\n`],
    ['an argument', 'run.py', (it: string) => `run(["db", "--password", "${it}"])\n`],
    ['a default in code', 'login.js', (it: string) => `const p = process.env.DB_PASSWORD || '${it}';\n`],
  ])('finds a secret that is %s', async (_, file, write) => {
    expect(await scan({}, { [file]: write(makeFakeSecret(12)) })).toMatchObject({ outcome: 'failed' });
  });

  test('finds none in variables without a default, and in words that are none', async () => {
    const of = (text: string): string => `\${${text}}`;
    const text = [
      `password: ${of('DB_PASS')}`,
      `POSTGRES_PASSWORD: ${of('POSTGRES_PASSWORD')}`,
      `other: ${of('DB_PASS:')}`,
      `token: ${of('TOKEN:?must be set')}`,
      `secret: ${of('DB_PASS:changeme')}`,
      'x: {{ db_password | default(omit) }}',
      `<property name="password" value="${of('db.password')}"/>`,
    ].join('\n');
    expect(await scan({}, { 'app.yml': text })).toMatchObject({ outcome: 'passed', findings: [] });
  });

  test('only reports keys that providers have published for tests', async () => {
    const key = `sk_test_${['4eC39HqLyjWDarj', 'tT1zdp7dc'].join('')}`;
    const result = await scan({}, { 'pay.js': `stripe('${key}');\nconst apiKey = '${key}';\n` });
    expect(result.outcome).toBe('passed');
  });

  test('reports what is merely about a person, and passes', async () => {
    const result = await scan(
      {},
      { 'src/team.ts': `const lead = 'ada.lovelace@engines.io';\n// ${FAKE_NUMBERS.phone}\n` },
    );
    expect(result.outcome).toBe('passed');
    expect(places(result)).toEqual(['src/team.ts:1 email_address', 'src/team.ts:2 phone_number']);
  });

  test('lists every finding, also several in one line, and each place once', async () => {
    const result = await scan(
      {},
      {
        'a.ts': `f('${S.github}', '${S.stripe}');\nconst apiKey = '${S.github}';\n`,
        'b.ts': `'${S.github}'\n`,
      },
    );
    expect(places(result)).toEqual([
      'a.ts:1 github_token',
      'a.ts:1 stripe_key',
      'a.ts:2 github_token',
      'b.ts:1 github_token',
    ]);
  });

  test('blanks out what stands beside a finding', async () => {
    const line = `db('ada', '${S.plain}', '${S.password}'); key = '${S.awsKey}'; other = ${S.stripe}; n = ${FAKE_NUMBERS.ssn}`;
    const result = await scan({}, { 'src/a.ts': `${line}\n` });
    expect(result.outcome).toBe('failed');
    for (const secret of [
      S.plain,
      S.password,
      S.awsKey,
      S.stripe,
      FAKE_NUMBERS.ssn,
      S.stripe.slice(-10),
      S.awsKey.slice(4, 12),
    ])
      expect(shown(result)).not.toContain(secret);
  });

  test('keeps control characters of a line away from terminals', async () => {
    const result = await scan({}, { 'a.ts': `\u001b[2J\u202e'${S.awsKey}' \u0007x\n` });
    expect(result.findings[0]?.message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });
});

describe('what was there before', () => {
  const line = `const key = '${S.awsKey}';\n`;
  const padding = Array.from({ length: 30 }, (_, index) => `line ${index}\n`).join('');

  test.each<[string, FileContents, FileEdits, boolean]>([
    ['on a line that is left as it is', { 'a.ts': line }, { 'a.ts': `${line}const b = 2;\n` }, true],
    ['on a line that only moves', { 'a.ts': `${line}x\n` }, { 'a.ts': `x\n${line}` }, true],
    ['on a line that is indented', { 'a.ts': line }, { 'a.ts': `{\n    ${line}}\n` }, true],
    [
      'in a file that gets another name',
      { 'a.ts': line + padding },
      { 'a.ts': null, 'b.ts': line + padding },
      true,
    ],
    ['once, and is there twice now', { 'a.ts': line }, { 'a.ts': line + line }, false],
    [
      'in another file, from which it is moved',
      { 'a.ts': line + padding },
      { 'a.ts': padding, '.env': `KEY=${S.awsKey}\n` },
      false,
    ],
    ['but is another value now', { 'a.ts': line }, { 'a.ts': line.replace('AKIA', 'ASIA') }, false],
  ])('%s', async (_, base, edits, passes) => {
    const result = await scan(base, edits);
    expect(result.outcome).toBe(passes ? 'passed' : 'failed');
    if (passes)
      expect(result.findings.map(({ message }) => message)).toEqual([
        expect.stringContaining('was there before'),
      ]);
  });

  test('is told from what is new in the same file, by its line', async () => {
    const result = await scan({ 'a.ts': `${line}x\n` }, { 'a.ts': `y\n${line}x\n${line}` });
    expect(result.findings.map(({ line: at, message }) => [at, message.includes('before')])).toEqual([
      [4, false],
      [2, true],
    ]);
  });

  test('and goes away is no finding', async () => {
    expect(await scan({ 'a.ts': line, 'b.ts': line }, { 'a.ts': 'x\n', 'b.ts': null })).toMatchObject({
      outcome: 'passed',
      findings: [],
    });
  });
});

describe('a secret is found', () => {
  const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');
  const swapped = (text: string): Buffer => utf16(text).swap16();
  const filler = 'function f(a){return a+1}var b="x";';
  test.each<[string, FileEdits, string]>([
    [
      'in a file that git is told to take for binary',
      { '.gitattributes': '*.cfg binary -diff\n', 'a.cfg': `key=${S.github}\n` },
      'a.cfg:1',
    ],
    [
      'in a line of 3 MB',
      { 'a.min.js': `${filler.repeat(50_000)}k='${S.github}';${filler.repeat(40_000)}\n` },
      'a.min.js:1',
    ],
    [
      'behind 20 MB of text',
      { 'big.txt': `${'lorem ipsum dolor\n'.repeat(1_200_000)}${S.github}\n` },
      'big.txt:1200001',
    ],
    [
      'across the place where a large file is cut',
      { 'cut.txt': `${'x'.repeat(1_048_576 - 16_384 - 20)} ${S.github}\n` },
      'cut.txt:1',
    ],
    ['in UTF-16', { 'a.ps1': utf16(`$a = 1\r\n$key = "${S.github}"\r\n`) }, 'a.ps1:2'],
    ['in UTF-16, the other way round', { 'a.ps1': swapped(`$a = 1\r\n$key = "${S.github}"\r\n`) }, 'a.ps1:2'],
    [
      'in UTF-16 without a mark',
      { 'a.ps1': utf16(`$a = 1\r\n$key = "${S.github}"\r\n`).subarray(2) },
      'a.ps1:2',
    ],
    [
      'beside bytes that are no text',
      { 'a.ts': Buffer.concat([Buffer.from([0, 0xff, 0xfe, 0]), Buffer.from(`'${S.github}'\n`)]) },
      'a.ts:1',
    ],
    [
      'in a binary',
      { 'a.bin': Buffer.concat([Buffer.alloc(9_000, 1), Buffer.from(` ${S.github} `), Buffer.alloc(50)]) },
      'a.bin:1',
    ],
    [
      'beside text that is not UTF-8',
      {
        'a.txt': Buffer.concat([
          Buffer.from([0xe4, 0xf6, 0x0a]),
          Buffer.from(`${S.github} \xfc\n`, 'latin1'),
        ]),
      },
      'a.txt:2',
    ],
    [
      'in base64 in base64',
      { 'a.ts': `'${Buffer.from(Buffer.from(`k=${S.github}`).toString('base64')).toString('base64')}'\n` },
      'a.ts:1',
    ],
    ['in the name of a file', { [`keys/${S.github}.txt`]: 'x\n' }, 'keys/***.txt:null'],
  ])('%s', async (_, edits, place) => {
    const result = await scan({}, edits);
    expect(result.outcome).toBe('failed');
    expect(places(result).map((each) => each.split(' ')[0])).toContain(place);
    expect(shown(result)).not.toContain(S.github);
  });

  test('in the target of a link, in the address of a submodule, and under a name with a line break', async () => {
    const repository = createTestRepository({ 'a.ts': '1\n' });
    const base = repository.git('rev-parse', 'HEAD');
    symlinkSync(`../${S.github}`, join(repository.dir, 'link'));
    repository.write({
      '.gitmodules': `[submodule "x"]\n\tpath = x\n\turl = https://ada:${S.password}@git.shop.io/x.git\n`,
      'odd\n"name".ts': `'${S.stripe}'\n`,
    });
    repository.git('add', '--all');
    repository.git('update-index', '--add', '--cacheinfo', `160000,${base},x`);
    repository.git('commit', '--quiet', '-m', 'x');
    const result = await runGateOnRepository(piiScanGate, repository, base);
    expect(places(result)).toEqual([
      '.gitmodules:3 url_credentials',
      'link:1 github_token',
      'odd\n"name".ts:1 stripe_key',
      'x:null submodule',
    ]);
  });
});

describe('the configuration', () => {
  const files = { 'src/a.ts': `'${S.github}'\n`, 'docs/b.ts': `'${S.github}'\n` };
  test.each<[string, Record<string, unknown>, string[]]>([
    ['looks everywhere', {}, ['docs/b.ts', 'src/a.ts']],
    ['may name folders', { pii_scan_paths: ['src/'] }, ['src/a.ts']],
    ['may name folders in one text', { pii_scan_paths: './src, lib' }, ['src/a.ts']],
    ['may leave out paths', { pii_ignore_paths: ['docs'] }, ['src/a.ts']],
    ['may leave out what a glob matches', { pii_ignore_paths: ['**/b.*'] }, ['src/a.ts']],
    ['may leave out files by their name', { pii_ignore_paths: 'b.*' }, ['src/a.ts']],
  ])('%s', async (_, settings, found) => {
    const result = await scan({}, files, settings);
    expect(result.findings.map(({ file }) => file)).toEqual(found);
    expect(result.facts).toMatchObject({ files_ignored: 2 - found.length });
  });

  test('may name other beginnings of values that are none; an empty list means none', async () => {
    const edits = { 'a.ts': `const apiKey = 'ACME${S.hex32}';\nconst apiSecret = 'FAKE${S.hex32}';\n` };
    const lines = async (settings: Record<string, unknown>): Promise<unknown[]> =>
      (await scan({}, edits, settings)).findings.map(({ line }) => line);
    expect(await lines({})).toEqual([1]);
    expect(await lines({ pii_allowlist_prefixes: [] })).toEqual([1, 2]);
    expect(await lines({ pii_allowlist_prefixes: ['ACME'] })).toEqual([2]);
  });
});

describe('what cannot be looked into is named', () => {
  test('an LFS pointer and a packed file, which do not fail', async () => {
    const pointer =
      'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n';
    const result = await scan({}, { 'a.psd': pointer, 'b.zip': Buffer.from('PK\x03\x04\0\0\0\0 and so on') });
    expect(result.outcome).toBe('passed');
    expect(places(result)).toEqual(['a.psd:null lfs_pointer', 'b.zip:null packed_file']);
  });

  test('when the time is over, the outcome says so, unless something was found already', async () => {
    const repository = createTestRepository({ 'a.ts': '1\n' });
    const base = repository.git('rev-parse', 'HEAD');
    repository.commit({ 'b.txt': 'x'.repeat(3_000_000) });
    expect(await runGateOnRepository(piiScanGate, repository, base, { timeoutMs: -1 })).toMatchObject({
      outcome: 'timed_out',
      detail: expect.stringContaining('the time was over'),
    });
  });

  test('a patch that changes nothing, or only deletes, has nothing to look at', async () => {
    expect(await scan({ 'a.ts': '1\n' }, {})).toMatchObject({ outcome: 'skipped', findings: [] });
    expect(await scan({ 'a.ts': '1\n' }, { 'a.ts': null })).toMatchObject({
      outcome: 'skipped',
      findings: [],
    });
  });

  test('a flood of one finding hides no other', async () => {
    const mails = Array.from({ length: 3_000 }, (_, index) => `'p${index}@engines.io'`).join('\n');
    const result = await scan({}, { 'a.ts': `${mails}\n'${S.github}'\n` });
    expect(result.outcome).toBe('failed');
    expect(places(result)[0]).toBe('a.ts:3001 github_token');
    expect(result.facts).toMatchObject({ findings_not_listed: 2_500 });
  });
});
