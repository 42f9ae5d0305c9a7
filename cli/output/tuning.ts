import type { EvolutionView } from '../../shared/api/evolve-schemas.ts';
import { wordsOf } from '../../shared/control/tune/change.ts';
import type { Session } from '../session.ts';
import { renderTable } from './table.ts';
import { oneLine } from './text.ts';

type Proposed = EvolutionView['proposals'][number];

const LEVELS: Readonly<Record<EvolutionView['level'], string>> = {
  L0: 'a person applies thresholds; nothing applies itself',
  L1: 'thresholds and prompts apply themselves when their test holds',
  L2: 'thresholds and prompts by themselves, routes by a person',
  L3: 'thresholds and prompts by themselves, routes and gates by a person',
};

const told = (history: EvolutionView['history'], { out }: Session): string[] =>
  history.map(
    ({ proposal, action, by, reason, at }) =>
      `${out.dim(at)} ${proposal} ${action} by ${oneLine(by)}: ${oneLine(reason)}`,
  );

/** All of it: level, what is in force, proposals, the trail. */
export function renderTuning(view: EvolutionView, session: Session): string {
  const { out, io } = session;
  const inForce = view.in_force.map(
    ({ proposal, setting, share }) =>
      `${out.bold(proposal)} ${oneLine(wordsOf(setting))}${share === 'half' ? ' (a trial: half of the tasks)' : ''}`,
  );
  const proposals =
    view.proposals.length === 0
      ? 'No proposals: `assay tune propose` looks at the records.'
      : renderTable(
          [
            { title: 'ID' },
            { title: 'LEVEL' },
            { title: 'STATUS' },
            { title: 'CHANGE', shrinkTo: 24 },
            { title: 'EVIDENCE', shrinkTo: 24, optional: true },
          ],
          view.proposals.map((each) => [
            { text: each.id, style: out.bold },
            each.level,
            each.status,
            oneLine(wordsOf(each.setting)),
            oneLine(each.test?.why ?? each.evidence),
          ]),
          io.stdout.columns,
          out.dim,
        );
  return [
    `Level ${out.bold(view.level)}: ${LEVELS[view.level]}.`,
    ...(inForce.length === 0 ? ['All settings are as configured.'] : ['In force:', ...inForce]),
    '',
    proposals,
    ...(view.history.length === 0 ? [] : ['', ...told(view.history.slice(0, 10), session)]),
  ].join('\n');
}

/** One proposal, with its test. */
export function renderProposal(proposal: Proposed, { history }: EvolutionView, session: Session): string {
  const { out } = session;
  const { id, setting, level, status, evidence, by, at, test, instead_of } = proposal;
  return [
    `${out.bold(id)}  ${status}, level ${level}`,
    oneLine(wordsOf(setting)),
    `in the place of ${instead_of ?? 'what is configured'}`,
    `proposed by ${oneLine(by)} at ${at}: ${oneLine(evidence)}`,
    test
      ? `${test.holds ? 'holds' : 'does not hold'} (${test.by}, ${test.at}): ${oneLine(test.why)}`
      : 'not tested yet',
    '',
    ...told(
      history.filter((each) => each.proposal === id),
      session,
    ),
  ].join('\n');
}
