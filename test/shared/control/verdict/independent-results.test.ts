import { describe, expect, it } from 'vitest';
import { renderTaskDetails } from '../../../../cli/output/task-page.ts';
import { attemptListView, taskView } from '../../../../shared/api/task-views.ts';
import { buildForgeTaskReport } from '../../../../shared/control/forge/forge-report.ts';
import { summarizeGateEvidence } from '../../../../shared/control/task-commands/record-verification.ts';
import { listVerdictInputs } from '../../../../shared/control/verdict/verdict-inputs.ts';
import { escapeMarkdown } from '../../../../shared/lib/escape-markdown.ts';
import { attempt, gate, task, verdict, verification } from '../../../support/builders.ts';

const SENTENCE = '8 of 9 requirements tested; 7 met; not met: all or nothing';
const entry = (name: string, fields: Parameters<typeof gate>[0] = {}) =>
  summarizeGateEvidence(gate({ name, ...fields }));

/** A task whose last attempt has independent evidence after the other gates. */
const judged = task({
  status: 'failed',
  attempts: [
    attempt({
      verdict: verdict({ verdict: 'fail' }),
      verification: {
        ...verification({
          signals: [{ type: 'path_exists', subject: 'a.js', kind: 'checked', outcome: 'passed', detail: '' }],
        }),
        gates: [
          entry('challenge', { outcome: 'skipped', kind: 'judged', detail: 'nothing found' }),
          entry('lint'),
          entry('acceptance_tests', { outcome: 'failed', detail: SENTENCE }),
        ],
      } as never,
    }),
  ],
});

describe('independent evidence', () => {
  it('comes before all other inputs of the verdict, acceptance tests first', () => {
    const [first] = judged.attempts;
    const names = listVerdictInputs(first as never).map(({ name }) => name);
    expect(names.slice(0, 2)).toEqual(['acceptance_tests', 'challenge']);
    expect(names.filter((name) => name === 'acceptance_tests')).toHaveLength(1);
  });

  it('is the first evidence of a pull request', () => {
    const { body } = buildForgeTaskReport(judged, null).comment;
    const shown = body.indexOf(escapeMarkdown(SENTENCE));
    expect(shown).toBeGreaterThan(0);
    expect(shown).toBeLessThan(body.indexOf('| Check |'));
    expect(shown).toBeLessThan(body.indexOf('nothing found'));
    const rows = body.split('\n').filter((line) => line.startsWith('| '));
    expect(rows[1]).toContain(escapeMarkdown('acceptance_tests'));
  });

  it('is at the top of the task in the terminal, and the first check of its attempt', () => {
    const plain = new Proxy({} as never, { get: () => (text: string) => text });
    const text = renderTaskDetails(taskView(judged), attemptListView(judged), plain);
    const lines = text.split('\n');
    expect(lines.findIndex((line) => line.includes(SENTENCE))).toBeLessThan(
      lines.findIndex((line) => line.startsWith('role')),
    );
    const attempts = text.slice(text.indexOf('Attempts'));
    expect(attempts).toContain(SENTENCE);
    expect(attempts.indexOf('acceptance_tests')).toBeLessThan(attempts.indexOf('signal'));
    expect(attempts.match(/acceptance_tests/g)).toHaveLength(1);
  });

  it('is not named where there is none', () => {
    const bare = task({ attempts: [attempt({ verification: null })] });
    expect(buildForgeTaskReport(bare, null).comment.body).not.toContain('Independent');
  });
});
