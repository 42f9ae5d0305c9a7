import type { DoctorCheck, DoctorOutcome } from '../doctor/doctor-check.ts';
import { CLI_EXIT_CODES } from '../exit.ts';
import { defineLocalCommand } from '../local-command.ts';
import type { LocalCommandSession } from '../local-session.ts';
import { toOneLine } from '../output/text.ts';
import { defineOption } from '../parameters.ts';

const OUTCOME_TEXT: Readonly<Record<DoctorOutcome, string>> = {
  ok: 'ok',
  attention: 'ATTENTION',
  missing: 'MISSING',
  could_not_run: 'COULD NOT RUN',
};

function renderChecks(results: readonly DoctorCheck[], { out }: LocalCommandSession): string {
  const styles = { ok: out.green, attention: out.yellow, missing: out.red, could_not_run: out.red };
  return results
    .flatMap(({ check, outcome, detail, advice }) => [
      `${styles[outcome](OUTCOME_TEXT[outcome].padEnd(14))}  ${check.padEnd(18)}  ${toOneLine(detail)}`,
      ...(advice === null ? [] : [`${' '.repeat(36)}${toOneLine(advice)}`]),
    ])
    .join('\n');
}

export const doctorCommand = defineLocalCommand({
  name: 'doctor',
  options: {
    aws: defineOption(
      '--aws',
      'check the AWS account of the credentials in the environment, not this machine',
    ),
    fix: defineOption(
      '--fix',
      'with --aws: create the service-linked role of ECS and protect the table from deletion, if they are not',
    ),
    stack: defineOption('--stack <name>', 'name of the stack', { default: 'Assay' }),
  },
  json: '`--json` prints `{"stack": string, "checks": [{"check": string, "outcome": "ok" | "attention" | "missing" | "could_not_run", "detail": string, "advice": string | null}]}`. The exit code is 0 when every check is `ok`, else 1.',
  examples: [
    ['doctor', 'what this machine and folder lack, and how to get it'],
    ['doctor --aws', 'before the first deployment, and after each'],
    ['doctor --aws --json | jq \'.checks[] | select(.outcome != "ok")\'', 'the checks that are not ok'],
  ],
  run: async (session, { aws, fix, stack }) => {
    const checks = aws
      ? await (await import('../doctor/check-account.ts')).checkAwsAccount(stack, fix)
      : await (await import('../doctor/check-machine.ts')).checkLocalMachine(session.io.cwd);
    session.show({ stack: aws ? stack : null, checks }, () => renderChecks(checks, session));
    return checks.every(({ outcome }) => outcome === 'ok') ? CLI_EXIT_CODES.ok : CLI_EXIT_CODES.failed;
  },
});
