import { type Command, Option } from 'commander';
import { Change, levelOf, wordsOf } from '../../shared/control/tune/change.ts';
import { action, examples, JSON_OPTION } from '../command.ts';
import { CliError, EXIT } from '../exit.ts';
import type { Io } from '../io.ts';
import { oneLine } from '../output/text.ts';
import { renderProposal, renderTuning } from '../output/tuning.ts';
import type { Session } from '../session.ts';
import { SUMMARY } from '../summary.ts';

type View = Parameters<typeof renderTuning>[0];

function print(view: View, session: Session): void {
  if (session.json) session.printJson(view);
  else session.print(renderTuning(view, session));
}

function proposalIn(view: View, id: string): View['proposals'][number] {
  const found = view.proposals.find((each) => each.id === id);
  if (found) return found;
  throw new CliError(EXIT.notFound, 'not_found', `There is no proposal ${oneLine(id)}.`, {
    hint: '`assay tune list` has those that there are.',
  });
}

interface Named {
  readonly threshold?: string;
  readonly route?: string;
  readonly prompt?: string;
  readonly gate?: string;
}

const split = (text: string): readonly [string, string] => {
  const at = text.indexOf('=');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
};

/** The change that options name; undefined: none. */
function changeOf(named: Named): Change | undefined {
  const given = Object.entries(named).filter(([, text]) => text !== undefined) as [keyof Named, string][];
  const [one] = given;
  if (!one) return undefined;
  if (given.length > 1)
    throw new CliError(
      EXIT.usage,
      'bad_option',
      'A proposal is of one setting: name one of --threshold, --route, --prompt, --gate.',
    );
  const [kind, text] = one;
  const [name, value] = split(text);
  const [role, complexity] = name.split('/');
  const raw = {
    threshold: { kind, name, value: value === '' ? value : Number(value) },
    route: { kind, role, complexity, tier: value },
    prompt: { kind, role: name, text: value },
    gate: { kind, gate: name, required: { required: true, advisory: false }[value] },
  }[kind];
  const read = Change.safeParse(raw);
  if (read.success) return read.data;
  throw new CliError(EXIT.usage, 'bad_option', `--${kind} ${oneLine(text)} names no change.`, {
    hint: 'For example --threshold quality_threshold=0.6, --route backend/low=sonnet, --prompt "backend=Run the linter.", --gate lint=advisory.',
  });
}

const WORDS = {
  apply: [
    'applyProposal',
    'Apply a proposal when its test holds; begins a trial where only that can test it',
    'its numbers',
  ],
  revert: [
    'revertProposal',
    'Take back what is in force: what held before holds again',
    'more is held since',
  ],
} as const;

/** `tune`: what the deployment changes of its own settings. */
export function registerTune(program: Command, io: Io): void {
  const tune = program.command('tune').description(SUMMARY.tune);

  const list = tune
    .command('list')
    .description('What is in force, what is proposed with its evidence, and who did what')
    .option(...JSON_OPTION);
  action(list, io, async (session) => {
    print(await session.client().evolution({}), session);
    return EXIT.ok;
  });
  examples(list, [
    ['tune list', 'proposals and changes, the latest first'],
    ["tune list --json | jq '.in_force'", 'what holds in the place of what is configured'],
  ]);

  const show = tune
    .command('show')
    .argument('<proposal>', 'id, as `assay tune list` prints it')
    .description('One proposal: its evidence, its test with the numbers, and who did what about it')
    .option(...JSON_OPTION);
  action<[string]>(show, io, async (session, id) => {
    const view = await session.client().evolution({});
    const proposal = proposalIn(view, id);
    if (session.json) session.printJson(proposal);
    else session.print(renderProposal(proposal, view, session));
    return EXIT.ok;
  });
  examples(show, [['tune show p3', 'why, and how it did in its test']]);

  const propose = tune
    .command('propose')
    .description('Have proposed what the records of the deployment suggest, or propose one change')
    .option('--threshold <name=number>', 'quality_threshold, epsilon or min_observations of the cascade')
    .option('--route <role/complexity=tier>', 'which tier tries first')
    .option('--prompt <role=text>', 'what agents of a role are told beside their task')
    .addOption(new Option('--gate <gate=word>', 'required or advisory, whatever the base says'))
    .option('--reason <text>', 'why; it is kept with your name', 'what the records suggest')
    .option(...JSON_OPTION);
  action<[Named & { readonly reason: string }]>(
    propose,
    io,
    async (session, { threshold, route, prompt, gate, reason }) => {
      const setting = changeOf({
        ...(threshold !== undefined && { threshold }),
        ...(route !== undefined && { route }),
        ...(prompt !== undefined && { prompt }),
        ...(gate !== undefined && { gate }),
      });
      if (setting && !session.json) session.note(`Level ${levelOf(setting)}: ${wordsOf(setting)}`);
      const before = setting ? null : (await session.client().evolution({})).proposals.at(0)?.id;
      const view = await session.client().proposeChange({ body: { ...(setting && { setting }), reason } });
      if (!setting && !session.json && view.proposals.at(0)?.id === before)
        session.note('The records suggest nothing new.');
      print(view, session);
      return EXIT.ok;
    },
  );
  examples(propose, [
    ['tune propose', 'all that the records suggest'],
    ['tune propose --threshold quality_threshold=0.6 --reason "it skips what pays"', 'one of your own'],
    ['tune propose --gate docstrings=advisory --reason "people overrule it"', 'of level L3'],
  ]);

  for (const [word, [route, description, reason]] of Object.entries(WORDS)) {
    const command = tune
      .command(word)
      .argument('<proposal>', 'id, as `assay tune list` prints it')
      .description(description)
      .requiredOption('--reason <text>', 'why; it is kept with your name')
      .option(...JSON_OPTION);
    action<[string, { readonly reason: string }]>(command, io, async (session, proposal, options) => {
      print(await session.client()[route]({ body: { proposal, reason: options.reason } }), session);
      return EXIT.ok;
    });
    examples(command, [[`tune ${word} p3 --reason "${reason}"`, 'who said it, when and why is kept']]);
  }
}
