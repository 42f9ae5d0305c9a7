import type { CheckOutcome } from '../../shared/contract/check-outcome.ts';
import { truncateToTail } from './capped-output.ts';
import type { ProcessResult } from './run-process.ts';

/** Longest detail, in characters, that a command leaves in the evidence. */
const DETAIL_CHARACTERS = 2_000;

/** What tools print when the machine, not the code, gave out. Looked for at the end of the output of a failed command only. */
const EXHAUSTED =
  /\bENOSPC\b|No space left on device|\bENOMEM\b|Cannot allocate memory|JavaScript heap out of memory/;
const EXHAUSTED_WITHIN = 4_000;

/** 126: found, but not executable; 127: not found. Both from the shell, and passed on by npm and make. */
const COULD_NOT_RUN = [126, 127];
/** 128 + SIGKILL: what a shell reports when the kernel's out-of-memory killer took the command. */
const KILLED = 137;

const withTail = (head: string, result: ProcessResult): string => {
  const tail = truncateToTail(result.output, DETAIL_CHARACTERS - head.length - 80);
  const cut = result.truncatedBytes > 0 ? ` (${result.truncatedBytes} bytes of output cut)` : '';
  return tail === '' ? `${head}${cut}` : `${head}${cut}: ${tail}`;
};

/** The outcome of a command: only a command that ran and said no has `failed`. */
export function classifyProcessResult(result: ProcessResult): {
  readonly outcome: CheckOutcome;
  readonly detail: string;
} {
  switch (result.end) {
    case 'timed_out':
      return { outcome: 'timed_out', detail: withTail(`timed out after ${result.durationMs} ms`, result) };
    case 'aborted':
      return { outcome: 'infra_failed', detail: withTail('stopped before it ended', result) };
    case 'uncontained':
      return {
        outcome: 'infra_failed',
        detail: withTail(`what it left behind: ${result.startError ?? 'unknown'}`, result),
      };
    case 'foreign_code':
      return { outcome: 'could_not_run', detail: result.startError ?? 'code outside of the checkout ran' };
    case 'not_started':
      return result.startError === 'ENOENT' || result.startError === 'EACCES'
        ? { outcome: 'could_not_run', detail: `command not found or not executable (${result.startError})` }
        : {
            outcome: 'infra_failed',
            detail: `could not be started (${result.startError ?? 'unknown error'})`,
          };
    case 'signalled':
      return result.signal === 'SIGKILL' || EXHAUSTED.test(result.output.slice(-EXHAUSTED_WITHIN))
        ? { outcome: 'infra_failed', detail: withTail(`killed by ${result.signal}`, result) }
        : { outcome: 'failed', detail: withTail(`ended by ${result.signal}`, result) };
    case 'exited':
      return classifyExitCode(result, result.exitCode ?? -1);
  }
}

function classifyExitCode(
  result: ProcessResult,
  code: number,
): { readonly outcome: CheckOutcome; readonly detail: string } {
  if (code === 0) return { outcome: 'passed', detail: 'exit 0' };
  if (COULD_NOT_RUN.includes(code))
    return { outcome: 'could_not_run', detail: withTail(`could not run, exit ${code}`, result) };
  if (code === KILLED) return { outcome: 'infra_failed', detail: withTail('killed, exit 137', result) };
  if (EXHAUSTED.test(result.output.slice(-EXHAUSTED_WITHIN)))
    return { outcome: 'infra_failed', detail: withTail(`out of space or memory, exit ${code}`, result) };
  return { outcome: 'failed', detail: withTail(`exit ${code}`, result) };
}
