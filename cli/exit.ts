import { constants } from 'node:os';

/** Exit codes of `assay`; documented in docs/cli.md and stable. */
export const EXIT = {
  /** It worked, and what was asked for is good. */
  ok: 0,
  /** The work failed: a task failed, a verdict is `fail`, or the server broke. */
  failed: 1,
  /** Usage or configuration: a bad flag, a bad file, refused fields, no or a refused token. */
  usage: 2,
  /** There is no such thing, or a person must decide (verdict `refer`). */
  notFoundOrRefer: 3,
  /** Someone else was first: the state does not allow it, or the version has moved on. */
  conflict: 4,
  /** `--timeout` passed before the end was reached. */
  timeout: 124,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Told to end by a signal; shells expect 128 plus its number. */
export class Interrupted extends Error {
  readonly exitCode: number;

  constructor(signal: NodeJS.Signals) {
    super(`interrupted by ${signal}`);
    this.name = 'Interrupted';
    this.exitCode = 128 + (constants.signals[signal] ?? 0);
  }
}

export const EXIT_MEANINGS: Readonly<Record<ExitCode, string>> = {
  0: 'done, and good',
  1: 'failed: the task, the verdict or the server',
  2: 'usage or configuration: flags, files, refused fields, token',
  3: 'not found, or referred to a person',
  4: 'conflict: the state or the version does not allow it',
  124: '--timeout passed',
};

/** One refused place, as it is shown under the message. */
export interface ErrorDetail {
  readonly where: string;
  readonly message: string;
}

/** An error that the user can act on: what happened, where, and what to do next. Everything else that is thrown is a defect. */
export class CliError extends Error {
  readonly exitCode: ExitCode;
  /** Stable word for scripts. */
  readonly code: string;
  readonly hint: string | undefined;
  readonly details: readonly ErrorDetail[];

  constructor(
    exitCode: ExitCode,
    code: string,
    message: string,
    more: { readonly hint?: string | undefined; readonly details?: readonly ErrorDetail[] } = {},
  ) {
    super(message);
    this.name = 'CliError';
    this.exitCode = exitCode;
    this.code = code;
    this.hint = more.hint;
    this.details = more.details ?? [];
  }
}

/** Ends a command with a code and without a word: what there is to say is on standard output already. */
export class Ended extends Error {
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode) {
    super(`ended with ${exitCode}`);
    this.name = 'Ended';
    this.exitCode = exitCode;
  }
}
