import type { Command } from 'commander';
import { action, examples, JSON_OPTION } from '../command.ts';
import type { CheckResult, Outcome } from '../doctor/check.ts';
import { EXIT, type ExitCode } from '../exit.ts';
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

/** Success only if every check is ok. */
const exitCodeFor = (results: readonly CheckResult[]): ExitCode =>
  results.every(({ outcome }) => outcome === 'ok') ? EXIT.ok : EXIT.failed;

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
    .option('--aws', 'the AWS account of the credentials in the environment, in place of this machine')
    .option('--stack <name>', 'name of the stack', 'Assay')
    .option(...JSON_OPTION);
  action<[Options]>(command, io, async (session, { aws, stack }) => {
    const results = aws
      ? await (await import('../doctor/aws.ts')).examine(stack)
      : await (await import('../doctor/machine.ts')).examineMachine(session.io.cwd);
    if (session.json) session.printJson({ stack: aws ? stack : null, checks: results });
    else print(session, results);
    return exitCodeFor(results);
  });
  examples(command, [
    ['doctor', 'what this machine and folder lack, and how to get it'],
    ['doctor --aws', 'before the first deployment, and after each'],
    ['doctor --aws --json | jq \'.checks[] | select(.outcome != "ok")\'', 'what is not well'],
  ]);
}
