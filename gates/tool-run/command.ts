import * as z from 'zod';
import type { GateEvidence } from '../../shared/evidence/schema.ts';
import type { Condition } from '../engine/conditions.ts';
import type { Gate, GateContext, GateResult } from '../engine/gate.ts';
import { guarded } from '../engine/guarded.ts';
import type { Subject } from '../engine/subject.ts';
import { addedLines } from './added-lines.ts';
import { askBase, lineFacts } from './baseline/ask.ts';
import { resultOn } from './baseline/result.ts';
import { withBehaviour } from './behaviour/judge.ts';
import { BEHAVIOUR_SETTINGS, behaviourOf } from './behaviour/settings.ts';
import type { RunOptions } from './behaviour/terms.ts';
import { chooseTools } from './choose.ts';
import type { Execution } from './execution.ts';
import { FLAKY_SETTINGS, flakyOf } from './flaky/settings.ts';
import type { Blame } from './judge.ts';
import { runLine } from './run-line.ts';
import { PROFILE_SETTINGS, profilesOf } from './settings.ts';
import { testRun, testsOn } from './test-run.ts';
import type { ToolKind } from './tool.ts';
import { projectScript, SCRIPTS, type ScriptKind } from './tools.ts';

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
      if (command !== null) return runCommand(context, command, definition);
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

export interface CommandTerms {
  /** It runs the project's tests. */
  readonly runsTests?: boolean;
  /** How complaints are told from those of the base; absent: the base is not asked, and every failure is the patch's. */
  readonly blame?: Blame;
}

/**
 * Runs a command line on the patch. Its exit code decides, and where it leaves a report, what that says; where the base counts, only
 * what the base has not.
 */
export async function runCommand(
  context: GateContext,
  command: string,
  { runsTests = false, blame }: CommandTerms = {},
): Promise<GateResult> {
  const { subject, timeoutMs } = context;
  const results: GateResult[] = [];
  const runs: Execution[] = [];
  // The limit is the gate's: a second run, on what the patch took away, gets what the first one left.
  const left = subject.rooms.within(timeoutMs);
  const run = async (
    tree: string,
    { surroundings, limitMs = Number.POSITIVE_INFINITY }: RunOptions = {},
  ): Promise<Execution> =>
    runsTests
      ? testRun(subject, command, tree, Math.min(left(), limitMs), surroundings)
      : runLine(await subject.rooms.enter(tree), { line: command, plain: blame === undefined }, left());
  const base = blame
    ? askBase(context, { facts: () => lineFacts(subject, command), run: () => run(subject.base) })
    : null;
  const result = await guarded(subject, command, async (tree) => {
    const ran = await run(tree);
    const result = runsTests
      ? await testsOn(context, command, tree, left)
      : await resultOn(ran, {
          blame: blame ?? 'not_in_base',
          ...(blame === 'added_lines'
            ? { added: await addedLines(subject.store, subject.base, subject.tree) }
            : {}),
          base,
        });
    runs.push(ran);
    results.push(result);
    return result;
  });
  const last = runs.at(-1)?.ran;
  const [first] = results;
  const [execution] = runs;
  const metadata: GateEvidence['metadata'] = {
    command,
    runs: runs.length,
    exit_code: last?.exitCode ?? null,
    output_bytes_cut: last?.cutBytes ?? 0,
    ...first?.metadata,
    ...(runsTests ? await selectedNote(subject, command) : {}),
  };
  const ran: GateResult = {
    ...result,
    kind: 'executed_by_us',
    findings: [...(first?.findings ?? []), ...result.findings],
    metadata,
    ...(first?.tests ? { tests: first.tests } : {}),
  };
  return runsTests && execution
    ? withBehaviour(context, {
        result: ran,
        run: execution,
        base: askBase(context, { facts: () => lineFacts(subject, command), run: () => run(subject.base) }),
        again: run,
      })
    : ran;
}

/** Which tests were run, and why, where the command leaves that open. */
async function selectedNote(
  subject: Subject,
  command: string,
): Promise<{ readonly tests_selected?: string }> {
  if (!command.includes('{files}')) return {};
  const { selectionOf } = await import('../rules/tests/placeholder.ts');
  const { kind, reason } = await selectionOf(subject, 0);
  return { tests_selected: kind === 'all' ? `all: ${reason}` : reason };
}

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
