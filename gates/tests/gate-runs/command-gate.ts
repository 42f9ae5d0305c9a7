import * as z from 'zod';
import {
  readTestExperimentSettings,
  TEST_EXPERIMENT_SETTING_SCHEMAS,
  TEST_GATE_TIME_LIMIT_COUNT,
} from '../../core/experiment-settings.ts';
import { FLAKY_TEST_SETTING_SCHEMAS, readFlakyTestSettings } from '../../core/flaky-settings.ts';
import type { Gate, GateContext, GateResult } from '../../core/gate.ts';
import type { GateCondition } from '../../core/gate-conditions.ts';
import type { PatchToCheck } from '../../core/patch-to-check.ts';
import type { ToolKind } from '../../languages/language-tool.ts';
import { selectLanguageTools } from '../running/choose-tools.ts';
import {
  findProjectScript,
  PROJECT_SCRIPT_NAMES,
  type ProjectScriptKind,
} from '../running/project-scripts.ts';
import { MAX_TOOL_FOLDERS } from '../running/tool-folders.ts';
import { readToolProfiles, TOOL_PROFILES_SETTING_SCHEMA } from '../running/tool-profile-settings.ts';

interface CommandGateDefinition {
  readonly name: string;
  readonly enabledByDefault: boolean;
  readonly condition: GateCondition;
  /** Key of its command in `assay.yaml`. */
  readonly commandKey: string;
  /** What to look for in the project when there is no command. */
  readonly toolKind: ToolKind;
  /** Whether it runs the project's tests, so that those which the patch takes away are run too. */
  readonly runsTests: boolean;
  /** Whether its tools are given the changed files only, where they take files. */
  readonly checksChangedFilesOnly?: boolean;
}

/** A command line in `assay.yaml`. */
export const CommandLineSetting = z.string().trim().min(1, 'must not be empty').max(4_000);

/** A gate that runs one command line, the configured one or the project's own script, or else the tools of the project's languages. */
export function createCommandGate(definition: CommandGateDefinition): Gate {
  const { name, commandKey } = definition;
  return {
    name,
    configKey: name,
    enabledByDefault: definition.enabledByDefault,
    required: true,
    condition: definition.condition,
    timeLimitCount: MAX_TOOL_FOLDERS * (definition.runsTests ? TEST_GATE_TIME_LIMIT_COUNT : 2),
    settings: {
      [name]: z.boolean().optional(),
      [commandKey]: CommandLineSetting.optional(),
      ...TOOL_PROFILES_SETTING_SCHEMA,
      ...(definition.runsTests ? { ...FLAKY_TEST_SETTING_SCHEMAS, ...TEST_EXPERIMENT_SETTING_SCHEMAS } : {}),
    },
    plan: async (project, settings, asked) => {
      const command = await findCommand(definition, project, settings);
      if (command !== null) return [{ command }];
      const { tools } = await selectLanguageTools(
        project,
        definition.toolKind,
        readToolProfiles(settings),
        asked,
      );
      return tools.map(({ tool: { line, installHint }, folder }) => ({ command: line, installHint, folder }));
    },
    run: async (given, settings) => {
      const context = definition.runsTests
        ? {
            ...given,
            flakySettings: readFlakyTestSettings(settings),
            confirmsFailures: settings['flaky_detection'] !== false,
            experimentSettings: readTestExperimentSettings(settings),
          }
        : given;
      const command = context.command ?? (await findCommand(definition, context.subject, settings));
      if (command !== null) {
        const { runCommandOnPatch } = await import('./run-command.ts');
        return runCommandOnPatch(context, command, { ...definition, comparesWithBase: true });
      }
      const profiles = readToolProfiles(settings);
      const chosen = await selectLanguageTools(
        context.subject,
        definition.toolKind,
        profiles,
        context.explicitlyEnabled,
      );
      if (chosen.tools.length + chosen.uncheckedFolders.length === 0)
        return createNothingToRunResult(definition, context);
      const { runLanguageTools } = await import('./run-tools.ts');
      return runLanguageTools(context, chosen, definition);
    },
  };
}

const findCommand = async (
  { commandKey, toolKind }: CommandGateDefinition,
  project: Pick<PatchToCheck, 'baseFile'>,
  settings: Readonly<Record<string, unknown>>,
): Promise<string | null> =>
  CommandLineSetting.safeParse(settings[commandKey]).data ??
  (isScript(toolKind) ? await findProjectScript(project, toolKind) : null);

const isScript = (tool: ToolKind): tool is ProjectScriptKind => tool in PROJECT_SCRIPT_NAMES;

/** On, but with nothing to run: `could_not_run` when somebody asked for it, `skipped` when it is on by default only. */
function createNothingToRunResult(
  { name, commandKey }: CommandGateDefinition,
  { explicitlyEnabled }: GateContext,
): GateResult {
  const remedy = `no ${commandKey} is set, and the project configures no tool for it`;
  return {
    outcome: explicitlyEnabled ? 'could_not_run' : 'skipped',
    kind: 'checked',
    findings: [],
    detail: explicitlyEnabled
      ? remedy
      : `on by default, but ${remedy}; set ${commandKey}, or ${name}: true to insist`,
  };
}
