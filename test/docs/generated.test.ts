import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toCheckJson } from '../../cli/check/check-report.ts';
import { ConnectionFile } from '../../cli/connection.ts';
import { type DemoResult, toDemoJson } from '../../cli/demo/demo-result.ts';
import { EXIT_CODE_MEANINGS } from '../../cli/exit.ts';
import { generated } from '../../docs/generate.ts';
import { cliPage, JSON_OUTPUTS } from '../../docs/generator/cli.ts';
import { taskLifecyclePage } from '../../docs/generator/lifecycles.ts';
import type { Evidence } from '../../shared/contract/evidence/schema.ts';
import { TASK_LIFECYCLE, TASK_STATUSES } from '../../shared/contract/task/status.ts';
import { VerificationNudge } from '../../shared/control/ledger/verification-nudge-schema.ts';
import { deriveVerdictFromEvidence } from '../../shared/control/verdict/reduce-to-verdict.ts';

const DOCS = join(import.meta.dirname, '../../docs');

test.each(Object.entries(generated()))('docs/%s is what the sources say now', (name, text) => {
  expect(readFileSync(join(DOCS, name), 'utf8')).toBe(text);
});

describe('the life of a task', () => {
  const page = taskLifecyclePage();

  test.each(Object.entries(TASK_LIFECYCLE.transitions))('shows %s with its reason', (event, { reason }) => {
    expect(page).toMatch(new RegExp(`^\\| \`${event}\` \\|.*${reason.replaceAll('.', '\\.')} \\|$`, 'm'));
  });

  test('draws an arrow for each change of status, and none that is not in the table', () => {
    const arrows = [...page.matchAll(/^ {2}(\w+) --> (\w+): (.+)$/gm)].flatMap(([, from, to, events = '']) =>
      events.split(', ').map((event) => ({ from, to, event })),
    );
    const expected = Object.entries(TASK_LIFECYCLE.transitions).flatMap(([event, { from, to }]) =>
      to === null ? [] : from.map((status) => ({ from: status, to, event })),
    );
    expect(arrows).toEqual(expect.arrayContaining(expected));
    expect(arrows).toHaveLength(expected.length);
  });

  test.each(TASK_STATUSES)('has a row for %s', (status) => {
    expect(page).toContain(`| \`${status}\` |`);
  });
});

describe('the page of the command line', () => {
  const page = cliPage();
  const commands = [...page.matchAll(/^## assay (.+)$/gm)].map((match) => match[1] ?? '');

  test('has every command, each with an example', () => {
    for (const command of commands) expect(page).toContain(`$ assay ${command}`);
  });

  test.each(commands)('says what %s prints with --json', (command) => {
    expect(JSON_OUTPUTS.get(command)?.text).not.toContain('undefined');
  });

  test.each(Object.entries(EXIT_CODE_MEANINGS))('explains exit code %s', (code, meaning) => {
    expect(page).toContain(`${code.padEnd(4)} ${meaning}`);
  });

  test('has no colours and no absolute path of this machine', () => {
    expect(page).not.toContain('\u001b');
    expect(page).not.toContain(DOCS);
  });
});

describe('the shapes of JSON', () => {
  const keys = (command: string): string[] =>
    Object.keys(JSON.parse(JSON_OUTPUTS.get(command)?.example ?? '{}'));

  /** Names of all fields, with the fields that they lie in. */
  const paths = (value: unknown, at = ''): string[] =>
    Array.isArray(value)
      ? value.flatMap((each) => paths(each, `${at}[]`))
      : typeof value === 'object' && value !== null
        ? Object.entries(value).flatMap(([name, each]) => [`${at}.${name}`, ...paths(each, `${at}.${name}`)])
        : [];

  test('of check are what check prints', () => {
    const evidence: Evidence = {
      schema_version: 1,
      base_commit: '',
      tree: '',
      empty_patch: false,
      changed_files: ['src/a.ts'],
      signals: [
        {
          type: 'path_exists',
          signal: { type: 'path_exists', path: 'src/a.ts' },
          outcome: 'passed',
          kind: 'checked',
          detail: '',
          duration_ms: 1,
        },
      ],
      gates: [
        {
          name: 'tests',
          outcome: 'failed',
          kind: 'executed',
          required: true,
          blocked: true,
          cached: false,
          detail: '',
          duration_ms: 1,
          findings: [{ file: 'src/a.ts', line: 3, rule: '', message: '' }],
          facts: { exit_code: 1 },
        },
      ],
      expected_changes: ['ci'],
      protected_files: [
        {
          path: '.github/ci.yml',
          change: 'modified',
          kind: 'ci',
          reason: '',
          checked_version: 'base',
          allowed_by: null,
          review_reason: 'r',
        },
      ],
      gathered_at: '2026-11-21T10:00:00.000Z',
      duration_ms: 0,
    };
    const shown: unknown = JSON.parse(JSON_OUTPUTS.get('check')?.example ?? '{}');
    expect([...new Set(paths(shown))].sort()).toEqual(
      [...new Set(paths(toCheckJson(evidence, deriveVerdictFromEvidence(evidence))))].sort(),
    );
  });

  test('of up are what up prints', () => {
    expect(keys('up')).toEqual(Object.keys(ConnectionFile.shape));
  });

  test('of the demo are what the demo prints', () => {
    const result: DemoResult = {
      agent: null,
      outcomes: [],
      nudge: VerificationNudge.parse({
        total_completions: 0,
        verified_count: 0,
        unverified_count: 0,
        unverified_ratio: null,
        threshold_exceeded: false,
        nudge_threshold: 0.3,
        min_completions: 3,
        recent_unverified: [],
      }),
      branches: [],
      recordFiles: [],
      recordsDir: '',
      repository: '',
      folder: '',
      elapsedMs: 0,
    };
    expect(keys('demo')).toEqual(Object.keys(toDemoJson(result, [])));
  });
});
