import type { Command } from 'commander';
import type { CascadeView } from '../../shared/api/cascade-schemas.ts';
import { isTier, TIERS, type Tier } from '../../shared/contract/agents/tiers.ts';
import { PinScope } from '../../shared/control/cascade/learning/control.ts';
import { action, examples, JSON_OPTION } from '../command.ts';
import { CliError, EXIT } from '../exit.ts';
import type { Io } from '../io.ts';
import { renderBeliefs } from '../output/beliefs.ts';
import { oneLine } from '../output/text.ts';
import type { Session } from '../session.ts';
import { SUMMARY } from '../summary.ts';
import { registerSimulate } from './cascade-simulate.ts';

const tierNamed = (text: string): Tier => {
  if (isTier(text)) return text;
  throw new CliError(
    EXIT.usage,
    'bad_tier',
    `There is no tier ${oneLine(text)}: known are ${TIERS.join(', ')}.`,
  );
};

const complexityNamed = (text: string): PinScope => {
  const known = PinScope.safeParse(text);
  if (known.success) return known.data;
  throw new CliError(
    EXIT.usage,
    'bad_option',
    `--complexity ${oneLine(text)}: known are low, medium, high, any.`,
  );
};

function print(view: CascadeView, session: Session): void {
  if (session.json) session.printJson(view);
  else session.print(renderBeliefs(view, session.io.stdout.columns, session.out));
}

export function registerCascade(program: Command, io: Io): void {
  const cascade = program.command('cascade').description(SUMMARY.cascade);

  const show = cascade
    .command('show')
    .argument('[role]', 'of this role only')
    .description('What is believed of each model, and from how many observations')
    .option(...JSON_OPTION);
  action<[string | undefined]>(show, io, async (session, role) => {
    print(await session.client().cascade({ query: role === undefined ? {} : { role } }), session);
    return EXIT.ok;
  });
  examples(show, [
    ['cascade show', 'pass rates, costs and where each tier pays'],
    ["cascade show backend --json | jq '.beliefs[] | select(.observations < 5)'", 'of what little is known'],
  ]);

  const pin = cascade
    .command('pin')
    .argument('<role>', 'role of the tasks')
    .argument('<tier>', `which tier tries first: ${TIERS.join(', ')}; none lifts the pin`)
    .description('Have one tier try first, whatever is learned')
    .requiredOption('--reason <text>', 'why; it is kept with your name')
    .option('--complexity <complexity>', 'low, medium, high, or any', complexityNamed, 'any')
    .option(...JSON_OPTION);
  action<[string, string, { readonly reason: string; readonly complexity: PinScope }]>(
    pin,
    io,
    async (session, role, tier, { reason, complexity }) => {
      const wanted = tier === 'none' ? null : tierNamed(tier);
      print(await session.client().pinTier({ role, body: { complexity, tier: wanted, reason } }), session);
      return EXIT.ok;
    },
  );
  examples(pin, [
    ['cascade pin backend sonnet --reason "haiku breaks our macros"', 'for all tasks of the role'],
    ['cascade pin backend none --reason "the new haiku does not"', 'as it was'],
  ]);

  const reset = cascade
    .command('reset')
    .argument('<role>', 'role of the tasks')
    .description('Forget what was learned: outcomes up to now no longer count')
    .requiredOption('--reason <text>', 'why; it is kept with your name')
    .option('--tier <tier>', 'of this tier only', tierNamed)
    .option(...JSON_OPTION);
  action<[string, { readonly reason: string; readonly tier?: Tier }]>(
    reset,
    io,
    async (session, role, { reason, tier }) => {
      print(await session.client().resetLearned({ role, body: { tier: tier ?? null, reason } }), session);
      return EXIT.ok;
    },
  );
  examples(reset, [
    ['cascade reset backend --tier haiku --reason "the prompt of the role is another"', 'start anew'],
  ]);

  registerSimulate(cascade, io);
}
