import type { TuningView } from '../../shared/api/tuning-schemas.ts';
import {
  describeSettingChange,
  requiredTuningLevel,
  SettingChange,
} from '../../shared/control/tune/setting-change.ts';
import { CLI_EXIT_CODES, CliError } from '../exit.ts';
import { toOneLine } from '../output/text.ts';
import { defineArgument, defineOption } from '../parameters.ts';
import { defineRouteCommand, defineServerCommand } from '../server-command.ts';
import type { ServerCommandSession } from '../session.ts';
import { REQUIRED_REASON_OPTION } from '../shared-options.ts';

type Proposal = TuningView['proposals'][number];

const PROPOSAL_ID = defineArgument('<proposal>', 'id that `assay tune list` prints');

const LEVELS: Readonly<Record<TuningView['level'], string>> = {
  L0: 'an operator applies thresholds; nothing is applied automatically',
  L1: 'thresholds and prompts are applied automatically when their test holds',
  L2: 'thresholds and prompts automatically, routes by an operator',
  L3: 'thresholds and prompts automatically, routes and gates by an operator',
};

const historyLines = (history: TuningView['history'], { out }: ServerCommandSession): string[] =>
  history.map(
    ({ proposal, action, by, reason, at }) =>
      `${out.dim(at)} ${proposal} ${action} by ${toOneLine(by)}: ${toOneLine(reason)}`,
  );

/** The level, the changes in force, the proposals, and the latest entries of the history. */
function renderTuning(view: TuningView, session: ServerCommandSession): string {
  const { out } = session;
  const inForce = view.active_changes.map(
    ({ proposal, change: setting, share }) =>
      `${out.bold(proposal)} ${toOneLine(describeSettingChange(setting))}${share === 'half' ? ' (a trial: half of the tasks)' : ''}`,
  );
  const proposals =
    view.proposals.length === 0
      ? 'No proposals: `assay tune propose` reads the records.'
      : session.table(
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
            toOneLine(describeSettingChange(each.change)),
            toOneLine(each.test?.reason ?? each.evidence),
          ]),
        );
  return [
    `Level ${out.bold(view.level)}: ${LEVELS[view.level]}.`,
    ...(inForce.length === 0 ? ['All settings are as configured.'] : ['In force:', ...inForce]),
    '',
    proposals,
    ...(view.history.length === 0 ? [] : ['', ...historyLines(view.history.slice(0, 10), session)]),
  ].join('\n');
}

function renderProposal(proposal: Proposal, { history }: TuningView, session: ServerCommandSession): string {
  const { out } = session;
  const { id, change: setting, level, status, evidence, by, at, test, base_proposal } = proposal;
  return [
    `${out.bold(id)}  ${status}, level ${level}`,
    toOneLine(describeSettingChange(setting)),
    `replaces ${base_proposal ?? 'the configured value'}`,
    `proposed by ${toOneLine(by)} at ${at}: ${toOneLine(evidence)}`,
    test
      ? `${test.passed ? 'holds' : 'does not hold'} (${test.by}, ${test.at}): ${toOneLine(test.reason)}`
      : 'not tested yet',
    '',
    ...historyLines(
      history.filter((each) => each.proposal === id),
      session,
    ),
  ].join('\n');
}

function findProposal(view: TuningView, id: string): Proposal {
  const found = view.proposals.find((each) => each.id === id);
  if (found) return found;
  throw new CliError(CLI_EXIT_CODES.notFound, 'not_found', `There is no proposal ${toOneLine(id)}.`, {
    hint: '`assay tune list` lists the proposals that exist.',
  });
}

interface ChangeOptions {
  readonly threshold: string | undefined;
  readonly route: string | undefined;
  readonly prompt: string | undefined;
  readonly gate: string | undefined;
}

const splitAtEquals = (text: string): readonly [string, string] => {
  const at = text.indexOf('=');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
};

/** Returns the change that the options name; undefined: none. @throws CliError for several, and for no valid one */
function parseChange(options: ChangeOptions): SettingChange | undefined {
  const given = Object.entries(options).filter(([, text]) => text !== undefined) as [
    keyof ChangeOptions,
    string,
  ][];
  const [one] = given;
  if (!one) return undefined;
  if (given.length > 1)
    throw new CliError(
      CLI_EXIT_CODES.usage,
      'bad_option',
      'A proposal changes one setting: give one of --threshold, --route, --prompt, --gate.',
    );
  const [kind, text] = one;
  const [name, value] = splitAtEquals(text);
  const [role, complexity] = name.split('/');
  const raw = {
    threshold: { kind, name, value: value === '' ? value : Number(value) },
    route: { kind, role, complexity, tier: value },
    prompt: { kind, role: name, text: value },
    gate: { kind, gate: name, required: { required: true, advisory: false }[value] },
  }[kind];
  const parsed = SettingChange.safeParse(raw);
  if (parsed.success) return parsed.data;
  throw new CliError(CLI_EXIT_CODES.usage, 'bad_option', `--${kind} ${toOneLine(text)} names no change.`, {
    hint: 'For example --threshold quality_threshold=0.6, --route backend/low=sonnet, --prompt "backend=Run the linter.", --gate lint=advisory.',
  });
}

/** `tune`: changes of settings that the deployment proposes. */
export const tuneCommands = [
  defineRouteCommand({
    name: 'tune list',
    route: 'getTuning',
    description: 'List the changes in force and the proposals, with their evidence and history',
    request: () => ({}),
    view: renderTuning,
    examples: [
      ['tune list', 'proposals and changes, latest first'],
      ["tune list --json | jq '.active_changes'", 'the changes that override the configuration'],
    ],
  }),
  defineRouteCommand({
    name: 'tune show',
    route: 'getTuning',
    description: 'Show one proposal: its evidence, its test, and its history',
    arguments: { id: PROPOSAL_ID },
    request: () => ({}),
    result: (answer, { id }) => findProposal(answer, id),
    json: '`--json` prints the `Proposal`.',
    view: (proposal, session, _values, answer) => renderProposal(proposal, answer, session),
    examples: [['tune show p3', 'why it was proposed, and the result of its test']],
  }),
  defineServerCommand({
    name: 'tune propose',
    description: 'Propose one change, or all changes that the records of the deployment suggest',
    options: {
      threshold: defineOption(
        '--threshold <name=number>',
        'quality_threshold, epsilon or min_observations of the cascade',
      ),
      route: defineOption('--route <role/complexity=tier>', 'the first tier to try'),
      prompt: defineOption(
        '--prompt <role=text>',
        'instructions for the agents of a role, added to the task',
      ),
      gate: defineOption('--gate <gate=required|advisory>', 'whether a failure of the gate fails the work'),
      reason: defineOption('--reason <text>', 'reason; kept in the history with your name', {
        default: 'what the records suggest',
      }),
    },
    json: '`--json` prints the `Evolution` with the new proposals.',
    examples: [
      ['tune propose', 'all changes that the records suggest'],
      [
        'tune propose --threshold quality_threshold=0.6 --reason "it skips what pays"',
        'a change of your own',
      ],
      ['tune propose --gate docstrings=advisory --reason "reviewers overrule it"', 'a change of level L3'],
    ],
    run: async (session, { reason, ...options }) => {
      const setting = parseChange(options);
      if (setting && !session.json)
        session.note(`Level ${requiredTuningLevel(setting)}: ${describeSettingChange(setting)}`);
      const client = session.client();
      const before = setting ? null : (await client.getTuning({})).proposals.at(0)?.id;
      const view = await client.proposeChange({ body: { change: setting, reason } });
      if (!setting && !session.json && view.proposals.at(0)?.id === before)
        session.note('The records suggest nothing new.');
      session.show(view, () => renderTuning(view, session));
      return undefined;
    },
  }),
  defineRouteCommand({
    name: 'tune apply',
    route: 'applyProposal',
    description: 'Apply a proposal if its test holds; start a trial where only a trial can test it',
    arguments: { proposal: PROPOSAL_ID },
    options: { reason: REQUIRED_REASON_OPTION },
    request: (body) => ({ body }),
    view: renderTuning,
    examples: [
      ['tune apply p3 --reason "its numbers"', 'the history keeps your name, the time and the reason'],
    ],
  }),
  defineRouteCommand({
    name: 'tune revert',
    route: 'revertProposal',
    description: 'Revert a change in force: the earlier value applies again',
    arguments: { proposal: PROPOSAL_ID },
    options: { reason: REQUIRED_REASON_OPTION },
    request: (body) => ({ body }),
    view: renderTuning,
    examples: [
      ['tune revert p3 --reason "more work is held since"', 'the history keeps your name and the reason'],
    ],
  }),
];
