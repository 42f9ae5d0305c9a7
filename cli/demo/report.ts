import { dirname } from 'node:path';
import { costOfJudgement, sumKnown } from '../../shared/contract/task/judging-cost.ts';
import { count, dollars, duration } from '../../shared/lib/format.ts';
import type { Colors } from '../io.ts';
import { nudgeLine } from '../output/nudge.ts';
import { renderResults } from '../output/results.ts';
import { oneLine } from '../output/text.ts';
import type { DemoResult } from './result.ts';

/** `table=tasks/dt=2026-11-21/x.jsonl` and its like, counted by table and day. */
function filesByTable(files: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const file of files) {
    const folder = dirname(file);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts];
}

/** What models said of the work, and what that cost. */
function judgingLines({ outcomes }: DemoResult): string[] {
  const judged = outcomes.flatMap(({ task, attempts }) =>
    attempts.flatMap(({ number, verdict }) =>
      (verdict?.judgements ?? [])
        .filter(({ calls }) => calls !== 0)
        .map((each) => ({ where: `${task.id} #${number}`, ...each })),
    ),
  );
  if (judged.length === 0) return [];
  const cost = sumKnown(judged.map(costOfJudgement));
  return [
    `${count(judged.length, 'judgement')} for ${dollars(cost)} (simulated, in the costs above):`,
    ...judged.map(
      ({ where, outcome, reasons, tokens, cost_usd }) =>
        `  ${where}: ${outcome}, ${dollars(cost_usd)}, ${tokens?.input ?? '?'} + ${tokens?.output ?? '?'} tokens: ${oneLine(reasons[0] ?? '')}`,
    ),
  ];
}

/** What rules on pixels said of pictures of the work, and why nothing where there were none. */
const pictureLines = ({ outcomes }: DemoResult): string[] =>
  outcomes.flatMap(({ task, attempts }) =>
    attempts.flatMap(({ number, verdict }) =>
      (verdict?.judgements ?? [])
        .filter(({ kind }) => kind === 'vision')
        .map(
          ({ outcome, because, reasons }) =>
            `pictures of ${task.id} #${number}: ${outcome}: ${oneLine([because, ...reasons.filter((each) => each !== because)].join('; '))}`,
        ),
    ),
  );

/** What agents asked leave for, and who said what of it. */
const leaveLines = ({ outcomes }: DemoResult): string[] =>
  outcomes.flatMap(({ task }) =>
    (task.approvals ?? []).map(
      ({ action, risk, status, decided_by, decision_reason }) =>
        `${task.id} asked leave for ${action} (${risk} risk) in mid-run: ${status} by ${decided_by ?? 'nobody'}${decision_reason === null ? '' : `: ${oneLine(decision_reason)}`}`,
    ),
  );

/** What the demo prints at its end. */
export function renderDemo(
  result: DemoResult,
  unexpected: readonly string[],
  width: number | undefined,
  pc: Colors,
): string {
  const spent = result.outcomes.reduce<number | null>(
    (sum, { task }) => (sum === null || task.cost_usd === null ? null : sum + task.cost_usd),
    0,
  );
  const nudge = nudgeLine(result.nudge, pc);
  return [
    ...(result.agent
      ? [
          `Done by ${result.agent.kind}, with ${result.agent.models === 'real' ? 'the models of its provider' : 'scripted models on this machine'}.`,
          '',
        ]
      : []),
    renderResults(result.outcomes, width, pc),
    '',
    `${result.nudge.verified_count} of ${result.nudge.total_completions} completions verified; ${dollars(spent)} of models (${result.agent?.models === 'real' ? 'real' : 'simulated'}); ${duration(result.elapsedMs)} in all.`,
    ...judgingLines(result),
    ...pictureLines(result),
    ...leaveLines(result),
    ...(nudge === null ? [] : [nudge]),
    '',
    pc.bold('Delivered branches'),
    ...result.branches.map((line) => `  ${line}`),
    `  ${pc.dim(`git --git-dir ${result.repository} log --oneline --graph --all`)}`,
    '',
    pc.bold('Records (JSONL, as Athena reads them)'),
    ...filesByTable(result.recordFiles).map(([table, files]) => `  ${table}  ${count(files, 'file')}`),
    `  ${pc.dim(`in ${result.recordsDir}`)}`,
    '',
    unexpected.length === 0
      ? `${pc.green('As expected:')} only work that passed was delivered. Everything is kept in ${result.folder}`
      : [
          pc.red('Not as expected:'),
          ...unexpected.map((line) => `  ${line}`),
          `Look into ${result.folder}`,
        ].join('\n'),
  ].join('\n');
}
