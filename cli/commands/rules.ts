import type { Command } from 'commander';
import type { Rule } from '../../gates/rules/framework/rule.ts';
import { RULES } from '../../gates/rules/registry.ts';
import { CliError, EXIT } from '../exit.ts';
import type { Io } from '../io.ts';
import { examples, JSON_OPTION, localAction } from '../local-command.ts';
import { renderTable } from '../output/table.ts';
import { SUMMARY } from '../summary.ts';

/** What scripts get of a rule. */
const shown = ({ id, default: level, says, why, languages, caught, honest }: Rule) => ({
  id,
  default: level,
  says,
  why,
  languages,
  caught: caught.map(({ name }) => name),
  honest: honest.map(({ name }) => name),
});

/** `assay rules list` and `assay rules explain ID` */
export function registerRules(program: Command, io: Io): void {
  const rules = program.command('rules').description(SUMMARY.rules);
  const list = rules
    .command('list')
    .description('Every rule whose level `rules:` in assay.yaml can set')
    .option(...JSON_OPTION);
  localAction<[object]>(list, io, async (session) => {
    if (session.json) session.printJson({ rules: RULES.map(shown) });
    else
      session.print(
        renderTable(
          [{ title: 'RULE' }, { title: 'DEFAULT' }, { title: 'SAYS', shrinkTo: 16 }],
          RULES.map(({ id, default: level, says }) => [id, level, says]),
          session.io.stdout.columns,
          session.out.dim,
        ),
      );
    return EXIT.ok;
  });
  const explain = rules
    .command('explain')
    .argument('<id>', 'name of a rule, as a finding has it')
    .description('What a rule says, why, and what it does where nothing is set')
    .option(...JSON_OPTION);
  localAction<[string, object]>(explain, io, async (session, id) => {
    const card = RULES.find((each) => each.id === id);
    if (!card)
      throw new CliError(EXIT.notFound, 'unknown_rule', `There is no rule ${id}.`, {
        hint: '`assay rules list` has them all.',
      });
    if (session.json) session.printJson(shown(card));
    else
      session.print(
        [
          `${card.id}: ${card.says}`,
          card.why,
          `Where nothing is set: ${card.default}`,
          `Found:\n${card.caught.map(({ name }) => `  - ${name}`).join('\n')}`,
          `Not found:\n${card.honest.map(({ name }) => `  - ${name}`).join('\n')}`,
        ].join('\n\n'),
      );
    return EXIT.ok;
  });
  examples(list, [['rules list', 'what is read, and the most that each rule does']]);
  examples(explain, [['rules explain error_swallowed', 'about one finding']]);
}
