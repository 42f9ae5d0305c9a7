/** Where pull requests can be opened, by what its repositories' URLs begin with. A program that opens them: containers/deliver/pull-request.ts. */
export const FORGE_PREFIXES: readonly (readonly [prefix: string, forge: string])[] = [];

/** Who takes pull requests for a repository; null: nobody that is known here. */
export const forgeOf = (repository: string): string | null =>
  FORGE_PREFIXES.find(([prefix]) => repository.startsWith(prefix))?.[1] ?? null;
