import type { Rule } from '../../gates/rules/framework/rule.ts';
import { GATE_RULES } from '../../gates/rules/rule-registry.ts';
import { CLI_EXIT_CODES, CliError } from '../exit.ts';
import { defineLocalCommand } from '../local-command.ts';
import { defineArgument } from '../parameters.ts';

/** A rule as `--json` prints it. */
const ruleJson = ({
  id,
  default: level,
  summary,
  rationale,
  languages,
  invalidExamples,
  validExamples,
}: Rule) => ({
  id,
  default: level,
  says: summary,
  why: rationale,
  languages,
  caught: invalidExamples.map(({ name }) => name),
  honest: validExamples.map(({ name }) => name),
});

const renderRule = ({
  id,
  default: level,
  summary,
  rationale,
  invalidExamples,
  validExamples,
}: Rule): string =>
  [
    `${id}: ${summary}`,
    rationale,
    `Default level: ${level}`,
    `Found:\n${invalidExamples.map(({ name }) => `  - ${name}`).join('\n')}`,
    `Not found:\n${validExamples.map(({ name }) => `  - ${name}`).join('\n')}`,
  ].join('\n\n');

/** `rules`: the rules that read a patch. */
export const ruleCommands = [
  defineLocalCommand({
    name: 'rules list',
    description: 'List every rule whose level `rules:` in assay.yaml can set',
    json: {
      text: '`--json` prints every rule whose level can be set. `default` is its level where none is set; `caught` and `honest` name examples that it finds and that it ignores.',
      example: `{
  "rules": [
    {
      "id": "addresses_reviewer",
      "default": "hold",
      "says": "a comment tells whoever reviews the patch what to say",
      "why": "Text for a model or a person that judges the patch has no other use.",
      "languages": "all",
      "caught": ["earlier instructions are to be ignored"],
      "honest": ["a comment for the next reader"]
    }
  ]
}`,
    },
    examples: [['rules list', 'every rule with its default level']],
    run: async (session) => {
      session.show({ rules: GATE_RULES.map(ruleJson) }, () =>
        session.table(
          [{ title: 'RULE' }, { title: 'DEFAULT' }, { title: 'SAYS', shrinkTo: 16 }],
          GATE_RULES.map(({ id, default: level, summary }) => [id, level, summary]),
        ),
      );
      return undefined;
    },
  }),
  defineLocalCommand({
    name: 'rules explain',
    description: 'Explain a rule: what it finds, why, and its default level',
    arguments: { id: defineArgument('<id>', 'rule id, as findings name it') },
    json: {
      text: '`--json` prints one rule, as in the list. An unknown name is exit code 5.',
      example: `{
  "id": "link_leads_out",
  "default": "block",
  "says": "a link leads out of the tree",
  "why": "What it shows is not what was checked, and what is delivered is another thing on each machine.",
  "languages": "all",
  "caught": ["a link to a file of the machine", "a link above the tree"],
  "honest": ["a link within the tree"]
}`,
    },
    examples: [['rules explain error_swallowed', 'about one finding']],
    run: async (session, { id }) => {
      const rule = GATE_RULES.find((each) => each.id === id);
      if (!rule)
        throw new CliError(CLI_EXIT_CODES.notFound, 'unknown_rule', `There is no rule ${id}.`, {
          hint: '`assay rules list` lists the rules.',
        });
      session.show(ruleJson(rule), () => renderRule(rule));
      return undefined;
    },
  }),
];
