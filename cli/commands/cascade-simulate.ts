import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { DEFAULT_TIER_MODELS } from '../../shared/contract/agents/tiers.ts';
import { DEFAULT_TIER_POLICY_SETTINGS } from '../../shared/control/cascade/learning/cascade-policy.ts';
import {
  SIMULATED_POLICY_NAMES,
  type SimulatedPolicyName,
  simulatePolicies,
} from '../../shared/control/cascade/simulation/policy-comparison.ts';
import {
  type RecordedOutcomes,
  readRecordedOutcomes,
} from '../../shared/control/cascade/simulation/recorded-outcomes.ts';
import { generateSyntheticOutcomes } from '../../shared/control/cascade/simulation/synthetic-outcomes.ts';
import { readCascadePolicyFile } from '../cascade-policy.ts';
import { CLI_EXIT_CODES, CliError } from '../exit.ts';
import type { CommandIo } from '../io.ts';
import { defineLocalCommand } from '../local-command.ts';
import { renderSimulation } from '../output/simulation.ts';
import { renderSimulationSvg } from '../output/simulation-svg.ts';
import { toOneLine } from '../output/text.ts';
import { createIntegerParser, defineArgument, defineOption, type OptionParser } from '../parameters.ts';

/** Prices of this day are used, so that the same command gives the same result on any day. */
const PRICE_DAY = '2026-11-20T00:00:00.000Z';
const MAX_PROBLEMS = 20;

const policies: OptionParser<readonly SimulatedPolicyName[]> = (text, flag) =>
  text.split(',').map((each) => {
    const known = SIMULATED_POLICY_NAMES.find((name) => name === each.trim());
    if (known) return known;
    throw new CliError(
      CLI_EXIT_CODES.usage,
      'bad_option',
      `${flag} ${toOneLine(each)}: known are ${SIMULATED_POLICY_NAMES.join(', ')}.`,
    );
  });

function readOutcomes(file: string, io: CommandIo): RecordedOutcomes {
  let text: string;
  try {
    text = readFileSync(resolve(io.cwd, file), 'utf8');
  } catch (error) {
    throw new CliError(
      CLI_EXIT_CODES.usage,
      'no_file',
      error instanceof Error ? error.message : String(error),
    );
  }
  const read = readRecordedOutcomes(text, DEFAULT_TIER_MODELS, PRICE_DAY);
  if (read.problems.length > 0)
    throw new CliError(CLI_EXIT_CODES.usage, 'bad_records', `${file} cannot be replayed.`, {
      details: read.problems
        .slice(0, MAX_PROBLEMS)
        .map(({ line, message }) => ({ where: `${file}:${line}`, message })),
      hint: 'docs/reference/cascade.md describes the fields of a line.',
    });
  if (read.tasks.length === 0)
    throw new CliError(CLI_EXIT_CODES.usage, 'bad_records', `${file} has no outcomes.`);
  return read;
}

/** `cascade simulate` and `cascade generate`: policies of the cascade compared on recorded outcomes. */
export const simulationCommands = [
  defineLocalCommand({
    name: 'cascade simulate',
    description: 'Replay recorded outcomes under several policies and compare their costs; calls no model',
    arguments: { file: defineArgument('<file>', 'JSONL of recorded outcomes, or chain records') },
    options: {
      policy: defineOption(
        '--policy <names>',
        `policies, separated by commas: ${SIMULATED_POLICY_NAMES.join(', ')}`,
        {
          parse: policies,
          default: SIMULATED_POLICY_NAMES,
        },
      ),
      config: defineOption(
        '--config <file>',
        'settings of the policies: YAML or JSON, as for `assay up --cascade`',
      ),
      runs: defineOption('--runs <number>', 'how often the tasks are shuffled', {
        parse: createIntegerParser(1, 1_000),
        default: 5,
      }),
      seed: defineOption('--seed <text>', 'the same seed gives the same result', { default: '1' }),
      svg: defineOption('--svg <file>', 'also write a chart'),
    },
    json: '`--json` prints `{"synthetic": boolean, "tasks": number, "unknown": number, "comparisons": [{"policy", "tasks", "cost_usd", "pass_rate", "seconds", "attempts", "regret_usd", "regret_so_far"}]}`; each estimate is `{"mean", "low", "high"}`, `null` where it is unknown.',
    examples: [
      ['cascade generate > outcomes.jsonl', 'synthetic outcomes'],
      ['cascade simulate outcomes.jsonl --svg outcomes.svg', 'all policies, with a chart'],
      ['cascade simulate records.jsonl --policy fixed,thompson', 'chain records of a deployment'],
    ],
    run: async (session, { file, policy, config, runs, seed, svg }) => {
      const settings =
        config === undefined ? DEFAULT_TIER_POLICY_SETTINGS : readCascadePolicyFile(config, session.io);
      const { tasks, synthetic, missing_values } = readOutcomes(file, session.io);
      for (const { line, message } of missing_values.slice(0, MAX_PROBLEMS))
        session.note(`${file}:${line}: ${toOneLine(message)}`);
      if (missing_values.length > MAX_PROBLEMS)
        session.note(`${missing_values.length - MAX_PROBLEMS} further costs are unknown.`);
      const result = simulatePolicies(tasks, {
        policies: policy,
        models: DEFAULT_TIER_MODELS,
        settings,
        runs,
        seed,
      });
      if (svg !== undefined)
        writeFileSync(resolve(session.io.cwd, svg), renderSimulationSvg(result, synthetic));
      session.show({ synthetic, ...result }, () =>
        renderSimulation(result, synthetic, session.io.stdout.columns, session.out),
      );
      return undefined;
    },
  }),
  defineLocalCommand({
    name: 'cascade generate',
    description: 'Print synthetic outcomes for the simulator, marked as synthetic',
    options: {
      tasks: defineOption('--tasks <number>', 'number of tasks', {
        parse: createIntegerParser(1, 100_000),
        default: 2_000,
      }),
      seed: defineOption('--seed <text>', 'the same seed gives the same outcomes', { default: '1' }),
    },
    json: {
      text: 'Prints JSON Lines: first `{"synthetic": true, …}`, then an outcome in each line.',
      option: null,
    },
    examples: [['cascade generate --tasks 100 > outcomes.jsonl', 'a small file']],
    run: async (session, { tasks, seed }) => {
      session.io.stdout.write(generateSyntheticOutcomes(tasks, seed, DEFAULT_TIER_MODELS, PRICE_DAY));
      return undefined;
    },
  }),
];
