import * as z from 'zod';
import { BEHAVIOUR_SETTINGS, behaviourOf } from '../../core/behaviour-settings.ts';
import type { Condition } from '../../core/conditions.ts';
import { FLAKY_SETTINGS, flakyOf } from '../../core/flaky-settings.ts';
import type { Gate, GateContext, GateResult } from '../../core/gate.ts';
import type { Subject } from '../../core/subject.ts';
import type { ToolKind } from '../../languages/tool.ts';
import { chooseTools } from '../running/choose.ts';
import type { Blame } from '../running/judge.ts';
import { PROFILE_SETTINGS, profilesOf } from '../running/settings.ts';
import { projectScript, SCRIPTS, type ScriptKind } from '../running/tools.ts';

interface CommandGate {
  readonly name: string;
  readonly on: boolean;
  readonly condition: Condition;
  /** Key of its command in `assay.yaml`. */
  readonly commandKey: string;
  /** What to look for in the project when there is no command. */
  readonly tool: ToolKind;
  /** Whether it runs the project's tests, so that those which the patch takes away are run too. */
  readonly runsTests: boolean;
  /** How its tools' complaints are told from those that were there before. */
  readonly blame: Blame;
}

/** A command line in `assay.yaml`. */
export const Command = z.string().trim().min(1, 'must not be empty').max(4_000);

/** A gate that runs one command line, the configured one or the project's own script, or else the tools of the project's languages. */
export function commandGate(definition: CommandGate): Gate {
  const { name, commandKey } = definition;
  return {
    name,
    flag: name,
    on: definition.on,
    required: true,
    condition: definition.condition,
    settings: {
      [name]: z.boolean().optional(),
      [commandKey]: Command.optional(),
      ...PROFILE_SETTINGS,
      ...(definition.runsTests ? { ...FLAKY_SETTINGS, ...BEHAVIOUR_SETTINGS } : {}),
    },
    plan: async (project, settings, asked) => {
      const command = await commandOf(definition, project, settings);
      if (command !== null) return [{ command }];
      const { tools } = await chooseTools(project, definition.tool, profilesOf(settings), asked);
      return tools.map(({ tool: { line, get }, folder }) => ({ command: line, get, folder }));
    },
    run: async (given, settings) => {
      const context = definition.runsTests
        ? { ...given, flaky: flakyOf(settings), behaviour: behaviourOf(settings) }
        : given;
      const command = context.command ?? (await commandOf(definition, context.subject, settings));
      if (command !== null) {
        const { runCommand } = await import('./run-command.ts');
        return runCommand(context, command, definition);
      }
      const profiles = profilesOf(settings);
      const chosen = await chooseTools(context.subject, definition.tool, profiles, context.asked);
      if (chosen.tools.length + chosen.beyond.length === 0) return nothingToRun(definition, context);
      const { runTools } = await import('./run-tools.ts');
      return runTools(context, chosen, definition);
    },
  };
}

const commandOf = async (
  { commandKey, tool }: CommandGate,
  project: Pick<Subject, 'baseFile'>,
  settings: Readonly<Record<string, unknown>>,
): Promise<string | null> =>
  Command.safeParse(settings[commandKey]).data ??
  (isScript(tool) ? await projectScript(project, tool) : null);

const isScript = (tool: ToolKind): tool is ScriptKind => tool in SCRIPTS;

/** On, but with nothing to run: `inert` when somebody asked for it, `skipped` when it is on by default only. */
function nothingToRun({ name, commandKey }: CommandGate, { asked }: GateContext): GateResult {
  const remedy = `no ${commandKey} is set, and the project configures no tool for it`;
  return {
    outcome: asked ? 'inert' : 'skipped',
    kind: 'checked_by_us',
    findings: [],
    detail: asked ? remedy : `on by default, but ${remedy}; set ${commandKey}, or ${name}: true to insist`,
  };
}
