import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { CHECK_REPORT_FORMATTERS } from '../../cli/check/report-formats.ts';
import { INSTALL_ROOT } from '../../cli/installation.ts';
import { deriveVerdictFromEvidence } from '../../shared/control/verdict/reduce-to-verdict.ts';
import { evidence, gate, signal } from '../support/builders.ts';
import { createTemporaryFolder, createTestRepository } from '../support/git-repository.ts';

const finding = { file: 'src/a.js', line: 3, rule: 'no-var', message: 'use let' };
const judged = (...gates: Parameters<typeof gate>[0][]) => {
  const found = evidence({
    signals: [signal({ outcome: 'passed' })],
    gates: gates.map((each) => gate(each)),
  });
  return [found, deriveVerdictFromEvidence(found)] as const;
};
const failing = () =>
  judged(
    {
      name: 'lint',
      outcome: 'failed',
      required: true,
      blocked: true,
      detail: '1 finding',
      findings: [finding],
    },
    { name: 'types', outcome: 'infra_failed', required: true, detail: 'tsc is gone' },
    { name: 'pii_scan', outcome: 'skipped', detail: 'nothing to look at' },
  );

describe('a check for', () => {
  test('GitHub has an annotation on each line that is found, and the verdict first', () => {
    const lines = CHECK_REPORT_FORMATTERS.github(...failing()).split('\n');
    expect(lines[0]).toMatch(/^::error title=Assay%3A fail/);
    expect(lines[1]).toBe('::error file=src/a.js,line=3,title=lint%3A no-var::use let');
    expect(
      CHECK_REPORT_FORMATTERS.github(...judged({ outcome: 'passed' }))
        .split('\n')
        .at(0),
    ).toMatch(/^::notice title=Assay%3A pass::/);
  });

  test('test reports tells apart what failed, what could not run and what was left out', () => {
    const { testsuites } = new XMLParser({ ignoreAttributes: false }).parse(
      CHECK_REPORT_FORMATTERS.junit(...failing()),
    );
    expect(testsuites.testsuite).toMatchObject({
      '@_tests': '4',
      '@_failures': '1',
      '@_errors': '1',
      '@_skipped': '1',
    });
  });

  test('people in Markdown is a table and the reasons', () => {
    const text = CHECK_REPORT_FORMATTERS.markdown(...failing());
    expect(text).toContain('## ❌ Assay: fail');
    expect(text).toContain('| lint | **failed** | yes |');
    expect(text).toContain('### Findings');
  });

  const hostile = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '::stop-commands::x',
      '\n::set-env name=PATH::/tmp',
      '%0A::error::x',
      '"/><failure/><x y="',
      ']]>\u0000\u0008',
      '| a | b |\n\n<img src=x onerror=alert(1)>',
      '[x](javascript:alert(1)) @everyone `code` **bold**',
      '\u202e\u200b<!-- -->',
      '\u2028::error::x\u2029',
    ),
  );

  test('GitHub is told one line for each finding, also where some readers see a line end in a name', () => {
    const [evidence, verdict] = judged({
      name: 'a\u2028::error::b',
      detail: 'c\u2029d',
      outcome: 'failed',
      required: true,
      blocked: true,
      findings: [{ file: 'f', line: 1, rule: 'r', message: 'c\u2029d' }],
    });
    expect(CHECK_REPORT_FORMATTERS.github(evidence, verdict)).not.toMatch(/[\u2028\u2029]/);
  });

  test('anybody is of one form, whatever the names and words in it are', () => {
    fc.assert(
      fc.property(hostile, hostile, hostile, hostile, (name, detail, file, message) => {
        const both = judged({
          name,
          detail,
          outcome: 'failed',
          required: true,
          blocked: true,
          findings: [{ file, line: 1, rule: name, message }],
        });
        const lines = CHECK_REPORT_FORMATTERS.github(...both).split(/\r\n|[\n\r\u2028\u2029]/);
        expect(lines).toHaveLength(2);
        for (const line of lines) expect(line).toMatch(/^::error (?:[a-z]+=[^:,]*,?)+::/);
        expect(XMLValidator.validate(CHECK_REPORT_FORMATTERS.junit(...both))).toBe(true);
        const { testsuites } = new XMLParser({ ignoreAttributes: false }).parse(
          CHECK_REPORT_FORMATTERS.junit(...both),
        );
        expect(testsuites.testsuite.testcase).toHaveLength(2);
        const text = CHECK_REPORT_FORMATTERS.markdown(...both);
        expect(text).not.toMatch(/<(?!\/?$)[a-z!]/i);
        expect(text).not.toMatch(/\]\(|@[a-z]/i);
        expect(
          text
            .split('\n')
            .filter((line) => line.startsWith('|'))
            .every((line) => line.split('|').length === 7),
        ).toBe(true);
      }),
    );
  });
});

describe('the action', () => {
  const Action = z.object({
    inputs: z.record(z.string(), z.object({ default: z.string() })),
    runs: z.object({
      steps: z.array(
        z.object({ name: z.string(), run: z.string(), env: z.record(z.string(), z.string()).optional() }),
      ),
    }),
  });
  const action = Action.parse(parse(readFileSync(join(INSTALL_ROOT, 'action.yml'), 'utf8')));
  const step = action.runs.steps.find(({ name }) => name === 'Judge');

  const act = (config: string, more: Record<string, string> = {}, variables: Record<string, string> = {}) => {
    const repository = createTestRepository({
      'a.js': '1\n',
      'assay.yaml': `version: 1\nquality_gates:\n  ${config}\n`,
    });
    repository.git('checkout', '--quiet', '-b', 'work');
    writeFileSync(join(repository.dir, more['changes'] ?? 'a.js'), '2\n');
    const folder = createTemporaryFolder();
    const summary = join(folder, 'summary.md');
    const sarif = join(folder, 'found.sarif');
    const output = join(folder, 'output');
    const values: Record<string, string> = {
      base: 'main',
      repo: repository.dir,
      summary: 'true',
      sarif,
      ...more,
    };
    const env = Object.fromEntries(
      Object.entries(step?.env ?? {}).map(([name, text]) => [
        name,
        text.replace(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, input: string) => values[input] ?? ''),
      ]),
    );
    const ran = spawnSync('bash', ['-e', '-c', step?.run ?? 'false'], {
      encoding: 'utf8',
      env: {
        ...process.env,
        ...env,
        GITHUB_ACTION_PATH: INSTALL_ROOT,
        GITHUB_STEP_SUMMARY: summary,
        GITHUB_OUTPUT: output,
        ...variables,
      },
    });
    const read = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '');
    return { ...ran, summary: read(summary), sarif: read(sarif), outputs: read(output) };
  };
  const event = (value: object): string => {
    const file = join(createTemporaryFolder(), 'event.json');
    writeFileSync(file, JSON.stringify(value));
    return file;
  };

  test('takes the task from the event of a pull request, and says the verdict first', () => {
    const pull_request = { number: 7, title: 'Change a', body: null };
    const { status, stdout, summary, outputs } = act('lint_command: grep -q 1 a.js', {
      event: event({ action: 'opened', pull_request }),
    });
    expect(status).toBe(1);
    expect(stdout.split('\n', 1)[0]).toContain('::error title=Assay%3A fail');
    expect(summary.split('\n', 1)[0]).toContain('Assay: fail');
    expect(outputs).toBe('verdict=fail\n');
  });

  test('checks a push, which is about no pull request', () => {
    const { status, outputs } = act('lint_command: test -e a.js', {
      event: event({ ref: 'refs/heads/work' }),
    });
    expect([status, outputs]).toEqual([0, 'verdict=pass\n']);
  });

  test('says when the event cannot be read', () => {
    const { status, stderr, outputs } = act('lint_command: test -e a.js', {
      event: event({ pull_request: { number: 'seven' } }),
    });
    expect([status, outputs]).toEqual([2, 'verdict=could_not_run\n']);
    expect(stderr).toContain('is not an event of GitHub');
  });

  test('says that a crash is no verdict', () => {
    const crash =
      "process.on('newListener', (name) => { if (name === 'uncaughtException') setImmediate(() => { throw new Error('boom') }) })";
    const { status, stderr, outputs } = act(
      'lint_command: test -e a.js',
      {},
      { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(crash)}` },
    );
    expect([status, outputs]).toEqual([70, 'verdict=could_not_run\n']);
    expect(stderr).toContain('assay failed unexpectedly: Error: boom');
  });

  test.each([
    ['fail', 3],
    ['pass', 0],
  ])('with needs-review: %s ends with %i where a reviewer has to decide', (input, code) => {
    const { status, outputs } = act('lint_command: test -e a.js', {
      'needs-review': input,
      changes: 'assay.yaml',
    });
    expect([status, outputs]).toEqual([code, 'verdict=refer\n']);
  });

  test('passes what passes, with a summary and the findings in files', () => {
    const { status, stdout, summary, sarif } = act('lint_command: test -e a.js');
    expect(status).toBe(0);
    expect(stdout).toContain('::notice title=Assay%3A pass');
    expect(summary).toContain('Assay: pass');
    expect(JSON.parse(sarif)).toMatchObject({ version: '2.1.0' });
  });

  test('fails what fails', () => {
    const { status, stdout, summary } = act('lint_command: grep -q 1 a.js');
    expect(status).toBe(1);
    expect(stdout).toContain('::error title=Assay%3A fail');
    expect(summary).toContain('Assay: fail');
  });

  test('takes no input into its script as text', () => {
    for (const { run } of action.runs.steps) expect(run).not.toContain('${{');
  });
});

test('the formats are what the command says, and a wrong one is refused by name', () => {
  const ran = spawnSync(process.execPath, [join(INSTALL_ROOT, 'cli/main.ts'), 'check', '--format', 'xml'], {
    encoding: 'utf8',
  });
  expect([ran.status, ran.stderr]).toEqual([
    2,
    expect.stringMatching(/text, json, sarif, junit, github, markdown/),
  ]);
  expect(
    execFileSync(process.execPath, [join(INSTALL_ROOT, 'cli/main.ts'), 'check', '--help'], {
      encoding: 'utf8',
    }),
  ).toContain('--format');
});
