import type { ProcessUser } from '../../workspace/process/process-user.ts';
import type { ProcessResult } from '../../workspace/process/run-process.ts';

/** The folders of one sandbox, as real paths. */
export interface SandboxFolders {
  /** Holds all others; only this sandbox uses it. */
  readonly place: string;
  readonly checkout: string;
  readonly home: string;
  readonly tmp: string;
  /** Owner of checkout, home and tmp; null: the user that this process runs as. */
  readonly user: ProcessUser | null;
}

/** Runs a line in the checkout of the sandbox that is being extended. */
export type RunSandboxCommand = (
  line: string,
  timeoutMs: number,
  variables: Readonly<Record<string, string>>,
) => Promise<ProcessResult>;

/** Puts prepared dependencies into sandboxes, and checks after each command which code it loaded. */
export interface SandboxExtension {
  /**
   * Called once for each sandbox, before its first command.
   * @returns variables for its commands, and the result of a build line that failed, which then stands for every command.
   * @throws EnvironmentError if the environment of the tree cannot be prepared.
   */
  install(
    tree: string,
    folders: SandboxFolders,
    runLine: RunSandboxCommand,
  ): Promise<{
    readonly variables: Readonly<Record<string, string>>;
    readonly failedBuild: ProcessResult | null;
  }>;
  /**
   * Returns what tells the preparation of a tree from every other one, also from one of the same key; null: nothing is prepared.
   * @throws EnvironmentError if the environment of the tree cannot be prepared.
   */
  identifyPreparation(tree: string): Promise<string | null>;
  /** Removes what lies outside of the folder of the run. No command runs any more. */
  release(): Promise<void>;
  /** Returns which code outside of the checkout a command ran in place of the checkout's; null: none is known. */
  findForeignCode(tree: string, folders: SandboxFolders): Promise<string | null>;
}

/** The environment of a tree could not be prepared, so nothing can be said about the tree. */
export class EnvironmentPreparationError extends Error {
  override readonly name = 'EnvironmentError';
}
