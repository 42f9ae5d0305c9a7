import type { Command } from 'commander';
import { action, examples, JSON_OPTION } from '../command.ts';
import type { CheckResult, Outcome } from '../doctor/check.ts';
import { CliError, EXIT, type ExitCode } from '../exit.ts';
import type { Io } from '../io.ts';
import { oneLine } from '../output/text.ts';
import type { Session } from '../session.ts';
import { SUMMARY } from '../summary.ts';

interface Options {
  readonly aws?: true;
  readonly stack: string;
}

const WORDS: Readonly<Record<Outcome, string>> = {
  ok: 'ok',
  attention: 'ATTENTION',
  missing: 'MISSING',
  could_not_look: 'COULD NOT LOOK',
};

/** What is missing, or could not be looked at, is not well. */
export const exitOf = (results: readonly CheckResult[]): ExitCode => {
  const has = (...outcomes: Outcome[]) => results.some(({ outcome }) => outcomes.includes(outcome));
  if (has('missing', 'could_not_look')) return EXIT.failed;
  return has('attention') ? EXIT.notFoundOrRefer : EXIT.ok;
};

function print(session: Session, results: readonly CheckResult[]): void {
  const { green, yellow, red } = session.out;
  const colours = { ok: green, attention: yellow, missing: red, could_not_look: red };
  for (const { check, outcome, detail, advice } of results) {
    const word = colours[outcome](WORDS[outcome].padEnd(14));
    session.print(`${word}  ${check.padEnd(18)}  ${oneLine(detail)}`);
    if (advice !== null) session.print(`${' '.repeat(36)}${oneLine(advice)}`);
  }
}

export function registerDoctor(program: Command, io: Io): void {
  const command = program
    .command('doctor')
    .description(SUMMARY.doctor)
    .option('--aws', 'the AWS account of the credentials in the environment')
    .option('--stack <name>', 'name of the stack', 'Assay')
    .option(...JSON_OPTION);
  action<[Options]>(command, io, async (session, { aws, stack }) => {
    if (!aws)
      throw new CliError(EXIT.usage, 'nothing_to_look_at', 'Which place?', {
        hint: '`assay doctor --aws` looks at the AWS account of your credentials.',
      });
    const { examine } = await import('../doctor/aws.ts');
    const results = await examine(stack);
    if (session.json) session.printJson({ stack, checks: results });
    else print(session, results);
    return exitOf(results);
  });
  examples(command, [
    ['doctor --aws', 'before the first deployment, and after each'],
    ['doctor --aws --json | jq \'.checks[] | select(.outcome != "ok")\'', 'what is not well'],
  ]);
}
