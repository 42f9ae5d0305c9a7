import { constants } from 'node:os';

/** Exit codes of `assay`; documented in docs/reference/cli.md and stable. */
export const CLI_EXIT_CODES = {
  /** The command did what it was asked for, and the result is good. */
  ok: 0,
  /** A task failed, a verdict is `fail`, a check of `assay doctor` is not ok, or the server failed. */
  failed: 1,
  /** Wrong usage or configuration: an invalid option or file, refused fields, a missing or refused token. */
  usage: 2,
  /** A reviewer or an approver must decide: verdict `refer`, a proposed plan, an approval request. */
  needsReview: 3,
  /** The state of the task does not allow the command, or its version has changed. */
  conflict: 4,
  /** The task, rule, query, table … that the command names does not exist. */
  notFound: 5,
  /** A defect of Assay ended the command: nothing is known of what it was asked for. The number is EX_SOFTWARE of sysexits.h. */
  crashed: 70,
  /** `--timeout` passed before the end was reached. */
  timeout: 124,
} as const;
export type CliExitCode = (typeof CLI_EXIT_CODES)[keyof typeof CLI_EXIT_CODES];

/** A signal ended the command; shells expect exit code 128 plus its number. */
export class InterruptedError extends Error {
  readonly exitCode: number;

  constructor(signal: NodeJS.Signals) {
    super(`interrupted by ${signal}`);
    this.name = 'InterruptedError';
    this.exitCode = 128 + (constants.signals[signal] ?? 0);
  }
}

export const EXIT_CODE_MEANINGS: Readonly<Record<CliExitCode, string>> = {
  0: 'success: the command is done, and the result is good',
  1: 'failure: the task, the verdict, a check of doctor, or the server',
  2: 'wrong usage or configuration: options, files, refused fields, token',
  3: 'needs review: a reviewer or an approver must decide',
  4: 'conflict: the state or the version does not allow it',
  5: 'not found: what the command names does not exist',
  70: 'crash: a defect of Assay ended the command; nothing is known of the result',
  124: 'timeout: --timeout passed',
};

/** A place with an error; printed below the message. */
export interface CliErrorDetail {
  readonly where: string;
  readonly message: string;
}

/** An error that the user can act on: what happened, where, and what to do next. Every other error is a defect. */
export class CliError extends Error {
  readonly exitCode: CliExitCode;
  /** Stable identifier for scripts. */
  readonly code: string;
  readonly hint: string | undefined;
  readonly details: readonly CliErrorDetail[];

  constructor(
    exitCode: CliExitCode,
    code: string,
    message: string,
    more: { readonly hint?: string | undefined; readonly details?: readonly CliErrorDetail[] } = {},
  ) {
    super(message);
    this.name = 'CliError';
    this.exitCode = exitCode;
    this.code = code;
    this.hint = more.hint;
    this.details = more.details ?? [];
  }
}

/** Ends a command with an exit code and no message: standard output has the result already. */
export class SilentExitError extends Error {
  readonly exitCode: CliExitCode;

  constructor(exitCode: CliExitCode) {
    super(`ended with ${exitCode}`);
    this.name = 'SilentExitError';
    this.exitCode = exitCode;
  }
}
