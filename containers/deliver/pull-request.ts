/** A pull request of a branch that was pushed. */
export interface PullRequest {
  readonly repository: string;
  readonly branch: string;
  /** The branch that it asks to be merged into. */
  readonly target: string;
  readonly title: string;
  readonly body: string;
  /** Value of an Authorization header, as for the push; null: none. */
  readonly authorization: string | null;
}

/** Who keeps repositories and takes pull requests for them. */
export interface Forge {
  /** Opens a pull request, or finds the one that is there for this branch: asked again, it answers the same. Its address. */
  open(request: PullRequest): Promise<string>;
}

/** The forges that pull requests can be opened at, by the name that `forgeOf` (shared/repository/forge.ts) gives them. */
export const FORGES: Readonly<Record<string, Forge>> = {};
