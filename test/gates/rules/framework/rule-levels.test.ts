import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../../../gates/core/configuration-file.ts';
import { piiScanGate } from '../../../../gates/gates/pii-scan.ts';
import { parseAssayConfig } from '../../../../gates/pipeline/configuration/parse-config.ts';
import { findNearestRuleId } from '../../../../gates/pipeline/configuration/parse-rule-settings.ts';
import {
  createRuleLevelLookup,
  splitExpiredRuleSettings,
} from '../../../../gates/rules/framework/rule-levels.ts';
import { findGateRule, GATE_RULES } from '../../../../gates/rules/rule-registry.ts';
import { gatherEvidenceOn } from '../../../support/gather-evidence.ts';
import { createTestRepository } from '../../../support/git-repository.ts';
import { runGate } from '../../../support/patch-fixture.ts';

const problems = (text: string): string[] => {
  try {
    parseAssayConfig(text);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ key, line, message }) => `${line} ${key} ${message}`);
  }
};
const levelAt = (text: string, id: string, file: string, now = '2026-11-20T12:00:00Z') =>
  createRuleLevelLookup(splitExpiredRuleSettings(parseAssayConfig(text).rules, new Date(now)))(
    findGateRule(id) ?? { id, default: 'off' },
    file,
  );

describe('rules in assay.yaml', () => {
  test('raise a rule by a word', () => {
    expect(levelAt('rules:\n  error_swallowed: warning\n', 'error_swallowed', 'a.js')).toBe('warning');
    expect(levelAt('rules: {}\n', 'error_swallowed', 'a.js')).toBe('info');
  });

  test('lower one for some files, until a day has ended', () => {
    const text =
      'rules:\n  lint_suppressed:\n    level: info\n    paths: [gen/**]\n    reason: generated\n    expires: 2026-11-20\n';
    expect(levelAt(text, 'lint_suppressed', 'gen/a.ts')).toBe('info');
    expect(levelAt(text, 'lint_suppressed', 'src/a.ts')).toBe('error');
    expect(levelAt(text, 'lint_suppressed', 'gen/a.ts', '2026-11-20T23:59:59Z')).toBe('info');
    expect(levelAt(text, 'lint_suppressed', 'gen/a.ts', '2026-11-21T00:00:00Z')).toBe('error');
  });

  test.each([
    [
      'rules:\n  error_swalowed: warning\n',
      '2 rules.error_swalowed is not a rule; did you mean error_swallowed?',
    ],
    ['rules:\n  lint_suppressed: off\n', '2 rules.lint_suppressed is less than "error"'],
    ['rules:\n  lint_suppressed: {level: warning, reason: r}\n', 'needs expires'],
    ['rules:\n  lint_suppressed: {level: warning, expires: 2026-12-01}\n', 'needs reason'],
    ['rules:\n  error_swallowed: loud\n', 'must be one of off, info, warning, error'],
  ])('%j is refused, with its line', (text, expected) => {
    expect(problems(text).join('\n')).toContain(expected);
  });

  test('every name is nearest to itself', () => {
    for (const { id } of GATE_RULES) expect(findNearestRuleId(id)).toBe(id);
  });
});

describe('a patch that swallows an error', () => {
  const judged = async (rules: string) => {
    const repository = createTestRepository({
      'assay.yaml': `${rules}quality_gates: { lint: false, suppressions: true }\n`,
      'a.js': 'module.exports = () => 1;\n',
    });
    repository.write({ 'a.js': 'module.exports = () => {\n  try {\n    work();\n  } catch {}\n};\n' });
    const evidence = await gatherEvidenceOn(repository);
    return evidence.gates.find(({ name }) => name === 'suppressions');
  };

  test('is a note, held where the base says so, and nothing where it says that, with the reason in the evidence', async () => {
    const note = await judged('');
    expect([note?.outcome, note?.findings.map(({ rule }) => rule)]).toEqual(['passed', ['error_swallowed']]);
    expect((await judged('rules: { error_swallowed: warning }\n'))?.outcome).toBe('could_not_run');
    const off = await judged(
      'rules: { error_swallowed: { level: off, reason: legacy code, expires: 2999-01-01 } }\n',
    );
    expect([off?.outcome, off?.findings]).toEqual(['passed', []]);
    expect(off?.facts).toMatchObject({
      rules_weakened: 'error_swallowed: off until 2999-01-01: legacy code',
    });
    const over = await judged(
      'rules: { error_swallowed: { level: off, reason: legacy code, expires: 2020-01-01 } }\n',
    );
    expect(over?.findings).toHaveLength(1);
    expect(over?.facts).toMatchObject({
      rules_expired: 'error_swallowed: off until 2020-01-01: legacy code',
    });
  });
});

test('a level holds for what a scan finds, whatever the switches of its gate say', async () => {
  const edits = { 'src/team.ts': `const lead = '${['ada.lovelace', 'engines.io'].join('@')}';\n` };
  const scan = async (level: string) => {
    const { rules } = parseAssayConfig(
      `version: 1\nrules:\n  email_address: { level: ${level}, reason: r, expires: 2999-01-01 }\n`,
    );
    const result = await runGate(piiScanGate, {}, edits, {
      context: { ruleSettings: splitExpiredRuleSettings(rules, new Date('2026-11-22')) },
    });
    return [result.outcome, result.findings.length];
  };
  expect(await scan('error')).toEqual(['failed', 1]);
  expect(await scan('warning')).toEqual(['could_not_run', 1]);
  expect(await scan('info')).toEqual(['passed', 1]);
  expect(await scan('off')).toEqual(['passed', 0]);
});

test.each([
  ['nothing', {}, 'could_not_run'],
  ['other files that steer checks', { expectedChanges: ['ci'] }, 'could_not_run'],
  ['that set-up code changes', { expectedChanges: ['test_config'] }, 'passed'],
  ['that very file', { files: ['conftest.py'] }, 'passed'],
] as const)(
  'a hook of the runner in set-up code, of which the task foresees %s',
  async (_, foreseen, outcome) => {
    const repository = createTestRepository({
      'assay.yaml': 'quality_gates: { lint: false, suppressions: true }\n',
      'conftest.py': 'import pytest\n',
    });
    repository.write({
      'conftest.py': 'import pytest\n\n\ndef pytest_collection_modifyitems(items):\n    items.sort()\n',
    });
    const { gates } = await gatherEvidenceOn(repository, [], foreseen);
    const told = gates.find(({ name }) => name === 'suppressions');
    expect([told?.outcome, told?.findings.map(({ rule }) => rule)]).toEqual([outcome, ['runner_patched']]);
  },
);
