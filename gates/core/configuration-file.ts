/** Name of the configuration in the base commit. */
export const CONFIG_FILE = 'assay.yaml';
/** Largest configuration file in bytes. */
export const MAX_CONFIG_BYTES = 256 * 1024;

/** One thing that is wrong in a configuration file. `line` is 1-based. */
export interface ConfigProblem {
  /** Path of the key with dots, e.g. `quality_gates.lint`; empty for the file as a whole. */
  readonly key: string;
  readonly line: number;
  readonly message: string;
}

/** A configuration that cannot be used; the message names each offending key with its line. */
export class ConfigError extends Error {
  readonly file: string;
  readonly problems: readonly ConfigProblem[];

  constructor(file: string, problems: readonly ConfigProblem[]) {
    super(
      problems
        .map(({ key, line, message }) => `${file}:${line}: ${key ? `${key} ` : ''}${message}`)
        .join('\n'),
    );
    this.name = 'ConfigError';
    this.file = file;
    this.problems = problems;
  }
}
