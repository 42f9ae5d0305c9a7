/** What everything that runs here depends on, whatever it is: our own code, the tools of the machine, the environment of commands. */
export interface ExecutionEnvironment {
  readonly build: string;
  readonly node: string;
  /** Of the container; null where there is none. */
  readonly image: string | null;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Key of the prepared environment; null: nothing is prepared. */
  readonly prepared?: string | null;
}
