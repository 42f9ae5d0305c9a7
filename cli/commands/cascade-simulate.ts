import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { DEFAULT_TIER_MODELS } from '../../shared/contract/agents/tiers.ts';
import { FIXED } from '../../shared/control/cascade/learning/policy.ts';
import { SIMULATED, type Simulated, simulate } from '../../shared/control/cascade/simulation/compare.ts';
import { generate } from '../../shared/control/cascade/simulation/generate.ts';
import { type Recorded, readRecorded } from '../../shared/control/cascade/simulation/records.ts';
import { readPolicy } from '../cascade-policy.ts';
import { action, examples, JSON_OPTION } from '../command.ts';
import { CliError, EXIT } from '../exit.ts';
import type { Io } from '../io.ts';
import { renderSimulation } from '../output/simulation.ts';
import { simulationSvg } from '../output/simulation-svg.ts';
import { oneLine } from '../output/text.ts';

interface SimulateOptions {
  readonly policy: readonly Simulated[];
  readonly config?: string;
  readonly runs: number;
  readonly seed: string;
  readonly svg?: string;
}
interface GenerateOptions {
  readonly tasks: number;
  readonly seed: string;
}

/** Prices are of a day; the same command gives the same figures on any. */
const PRICE_DAY = '2026-11-20T00:00:00.000Z';
const SHOWN_PROBLEMS = 20;

const whole =
  (name: string, most: number) =>
  (text: string): number => {
    const value = Number(text);
    if (Number.isInteger(value) && value >= 1 && value <= most) return value;
    throw new CliError(EXIT.usage, 'bad_option', `--${name} must be 1 to ${most}, not ${oneLine(text)}.`);
  };

const policies = (text: string): readonly Simulated[] =>
  text.split(',').map((each) => {
    const known = SIMULATED.find((name) => name === each.trim());
    if (known) return known;
    throw new CliError(
      EXIT.usage,
      'bad_option',
      `--policy ${oneLine(each)}: known are ${SIMULATED.join(', ')}.`,
    );
  });

function recorded(file: string, io: Io): Recorded {
  let text: string;
  try {
    text = readFileSync(resolve(io.cwd, file), 'utf8');
  } catch (error) {
    throw new CliError(EXIT.usage, 'no_file', error instanceof Error ? error.message : String(error));
  }
  const read = readRecorded(text, DEFAULT_TIER_MODELS, PRICE_DAY);
  if (read.problems.length > 0)
    throw new CliError(EXIT.usage, 'bad_records', `${file} cannot be replayed as it is.`, {
      details: read.problems
        .slice(0, SHOWN_PROBLEMS)
        .map(({ line, message }) => ({ where: `${file}:${line}`, message })),
      hint: 'docs/cascade.md has the fields of a line.',
    });
  if (read.tasks.length === 0)
    throw new CliError(EXIT.usage, 'bad_records', `${file} has no outcome of any task.`);
  return read;
}

export function registerSimulate(cascade: Command, io: Io): void {
  const replay = cascade
    .command('simulate')
    .argument('<file>', 'JSONL of recorded outcomes, or chain records')
    .description('Replay recorded outcomes under several policies, and compare what they cost; asks nobody')
    .option('--policy <names>', `which, separated by commas: ${SIMULATED.join(', ')}`, policies, SIMULATED)
    .option('--config <file>', 'settings of the policies: YAML or JSON, as for `assay up --cascade`')
    .option('--runs <number>', 'how often the tasks are shuffled', whole('runs', 1_000), 5)
    .option('--seed <text>', 'the same seed gives the same figures', '1')
    .option('--svg <file>', 'also write a picture')
    .option(...JSON_OPTION);
  action<[string, SimulateOptions]>(replay, io, async (session, file, options) => {
    const settings = options.config === undefined ? FIXED : readPolicy(options.config, session.io);
    const { tasks, synthetic, unknowns } = recorded(file, session.io);
    for (const { line, message } of unknowns.slice(0, SHOWN_PROBLEMS))
      session.note(`${file}:${line}: ${oneLine(message)}`);
    if (unknowns.length > SHOWN_PROBLEMS)
      session.note(`${unknowns.length - SHOWN_PROBLEMS} further costs are not known.`);
    const { runs, seed, policy, svg } = options;
    const result = simulate(tasks, { policies: policy, models: DEFAULT_TIER_MODELS, settings, runs, seed });
    if (svg !== undefined) writeFileSync(resolve(session.io.cwd, svg), simulationSvg(result, synthetic));
    if (session.json) session.printJson({ synthetic, ...result });
    else session.print(renderSimulation(result, synthetic, session.io.stdout.columns, session.out));
    return EXIT.ok;
  });
  examples(replay, [
    ['cascade generate > outcomes.jsonl', 'made-up outcomes'],
    ['cascade simulate outcomes.jsonl --svg outcomes.svg', 'all policies, with a picture'],
    ['cascade simulate records.jsonl --policy fixed,thompson', 'chain records of a deployment'],
  ]);

  const make = cascade
    .command('generate')
    .description('Print made-up outcomes for the simulator, which say that they are')
    .option('--tasks <number>', 'how many', whole('tasks', 100_000), 2_000)
    .option('--seed <text>', 'the same seed gives the same outcomes', '1');
  action<[GenerateOptions]>(make, io, async (session, { tasks, seed }) => {
    session.io.stdout.write(generate(tasks, seed, DEFAULT_TIER_MODELS, PRICE_DAY));
    return EXIT.ok;
  });
}
