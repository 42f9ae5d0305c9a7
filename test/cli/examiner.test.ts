import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEFAULT_TIER_MODELS } from '../../shared/contract/agents/tiers.ts';
import { deriveRecordRows } from '../../shared/control/ledger/derive-rows.ts';
import { summarizeGateEvidence } from '../../shared/control/task-commands/record-verification.ts';
import { attempt, challenge, gate, task, verification } from '../support/builders.ts';
import { createTemporaryFolder } from '../support/git-repository.ts';
import { assay } from './support.ts';

const today = new Date().toISOString();
const SHOP = 'https://example.com/shop.git';

function recordsFolder(tables: Readonly<Record<string, readonly object[]>>): string {
  const folder = createTemporaryFolder();
  for (const [table, rows] of Object.entries(tables)) {
    const day = join(folder, `table=${table}`, `dt=${today.slice(0, 10)}`);
    mkdirSync(day, { recursive: true });
    const lines = rows.map((row, index) =>
      JSON.stringify({ record_id: `${table}-${index}`, schema_version: 1, timestamp: today, ...row }),
    );
    writeFileSync(join(day, 'a.jsonl'), `${lines.join('\n')}\n`);
  }
  return folder;
}

const exam = (task_id: string, outcome: string, facts: Readonly<Record<string, string>>) => ({
  task_id,
  attempt: 1,
  gate: 'acceptance_tests',
  outcome,
  tool: 'model',
  tool_version: 'gpt-6',
  facts,
});
const facts = (tested: number, upheld: number, notDemanded: number, reused = false) => ({
  requirements: '4',
  requirements_tested: String(tested),
  upheld: String(upheld),
  not_demanded: String(notDemanded),
  cost_usd: reused ? '0' : '0.5',
  exam_reused: String(reused),
});
const review = (task_id: string, decision: string) => ({ task_id, attempt: 1, repository: SHOP, decision });

describe('assay examiner', () => {
  it('shows precision by adjudicators and reviewers, coverage and cost of each author', async () => {
    const records = recordsFolder({
      tasks: ['A', 'B', 'C', 'D'].map((task_id) => ({ task_id, repository: SHOP, status: 'done' })),
      quality_gates: [
        exam('A', 'failed', facts(4, 2, 0)),
        exam('B', 'failed', facts(3, 1, 1, true)),
        exam('C', 'passed', facts(3, 0, 0)),
        exam('D', 'could_not_run', {}),
      ],
      reviews: [review('A', 'reject'), review('B', 'approve')],
      work_outcomes: [{ task_id: 'C', attempt: 1, outcome: 'reverted' }],
    });
    const { stdout, code } = await assay(['examiner', '--records', records, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      authors: [
        {
          gate: 'acceptance_tests',
          repository: SHOP,
          model: 'gpt-6',
          verdicts: 4,
          failed: 2,
          no_result: 1,
          upheld: 3,
          not_demanded: 1,
          adjudicated_precision: 0.75,
          confirmed: 1,
          overruled: 1,
          reviewed_precision: 0.5,
          missed: 1,
          coverage: 0.8333,
          reused: 1,
          cost_usd: 1,
          cost_per_verdict_usd: 0.25,
        },
      ],
    });
    const shown = await assay(['examiner', '--records', records]);
    expect(shown.stdout).toMatch(/examiner\s+\S+\s+gpt-6\s+4\s+2\s+75(\.0)?%/);
  });

  it('says that nothing ran where there are no records', async () => {
    const { stdout, code } = await assay(['examiner', '--records', createTemporaryFolder()]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('No acceptance tests and no challenge ran')]);
  });
});

describe('records of a challenge', () => {
  const waiting = attempt({ verification: verification(), challenge: challenge({ outcome: null }) });
  const entry = summarizeGateEvidence(
    gate({ name: 'challenge', outcome: 'failed', facts: { tool_version: 'gpt-6-codex', upheld: 1 } }),
  );
  const ended = attempt({
    verification: { ...verification(), gates: [entry] },
    challenge: challenge({
      outcome: 'counterexample',
      pending_verdict: null,
      metered_usage: { calls: 3, cost_usd: 0.75, unsettled_calls: 0 },
    }),
  });
  const rowsOf = (before: typeof waiting, after: typeof waiting) =>
    deriveRecordRows(task({ attempts: [before] }), task({ attempts: [after] }), DEFAULT_TIER_MODELS).filter(
      ({ table }) => table === 'quality_gates',
    );

  it('are one row with its model and cost, when it ends and not again', () => {
    expect(rowsOf(waiting, ended)).toMatchObject([
      {
        row: {
          gate: 'challenge',
          outcome: 'failed',
          tool_version: 'gpt-6-codex',
          facts: { cost_usd: '0.75', upheld: '1' },
        },
      },
    ]);
    expect(rowsOf(ended, ended)).toEqual([]);
  });
});
