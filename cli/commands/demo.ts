import { type Command, Option } from 'commander';
import { CLI_KINDS } from '../../shared/contract/agents/adapter.ts';
import { ADAPTER_FACTS } from '../../shared/contract/agents/adapter-facts.ts';
import { MODEL_KEYS } from '../../shared/contract/names.ts';
import { action, examples, JSON_OPTION } from '../command.ts';
import { demoAgent } from '../demo/agents.ts';
import { DEMO_EXTRAS, type DemoExtra, runDemo } from '../demo/main-job.ts';
import { renderDemo } from '../demo/report.ts';
import { demoDocument, surprises } from '../demo/result.ts';
import { CliError, EXIT } from '../exit.ts';
import type { Io } from '../io.ts';
import { oneLine } from '../output/text.ts';
import { withStack } from '../programs.ts';
import { SUMMARY } from '../summary.ts';

export function registerDemo(program: Command, io: Io): void {
  const command = program
    .command('demo')
    .description(withStack(SUMMARY.demo))
    .option(
      '--agent <kind>',
      `a real agent CLI does the tasks: ${CLI_KINDS.join(', ')}; with the key of its provider in the environment against the real models, else against scripted ones`,
    )
    .addOption(
      new Option(
        '--with <what>',
        'stage: a task more, graded by a rubric: done again once, parked by an agent that asks leave, decided by a person, all scripted',
      ).choices(DEMO_EXTRAS),
    )
    .option(...JSON_OPTION);
  action<[{ readonly agent?: string; readonly with?: DemoExtra }]>(command, io, async (session, options) => {
    const { agent: named, with: extra = null } = options;
    if (named !== undefined && extra !== null)
      throw new CliError(EXIT.usage, 'bad_option', `--with ${extra} is scripted: leave --agent out.`);
    const kind = CLI_KINDS.find((each) => each === named);
    if (named !== undefined && kind === undefined)
      throw new CliError(
        EXIT.usage,
        'bad_option',
        `--agent ${oneLine(named)}: known are ${CLI_KINDS.join(', ')}.`,
      );
    const agent = kind === undefined ? null : await demoAgent(kind, io.env);
    if (agent)
      session.note(
        agent.models === 'real'
          ? `${agent.kind} does the tasks with the real models of its provider, which cost money.`
          : `${agent.kind} does the tasks with scripted models on this machine: ${MODEL_KEYS[ADAPTER_FACTS[agent.kind].vendor].key} is not set.`,
      );
    const { tasks, result } = await runDemo(session, agent, extra).finally(() => agent?.stop());
    const unexpected = surprises(tasks, result);
    if (session.json) session.printJson(demoDocument(result, unexpected));
    else session.print(`\n${renderDemo(result, unexpected, session.io.stdout.columns, session.out)}`);
    return unexpected.length === 0 ? EXIT.ok : EXIT.failed;
  });
  examples(command, [
    ['demo', 'watch it live, then read the table'],
    ['demo --agent claude', 'the real Claude Code; without ANTHROPIC_API_KEY its models are scripted'],
    ['demo --with stage', 'verification as a stage, too: docs/workflows.md'],
    ["demo --json | jq '.tasks[] | [.id, .status, .verified]'", 'the same facts for a script'],
  ]);
}
