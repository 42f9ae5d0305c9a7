/** Where a comment or a label goes: numbers of issues and of pull requests are apart at GitLab. */
export interface CommentTarget {
  readonly kind: 'issue' | 'change';
  readonly number: number;
}

/** A pull request, or merge request. */
export interface ChangeRequest {
  readonly branch: string;
  /** The branch that it asks to be merged into. */
  readonly base: string;
  readonly title: string;
  readonly body: string;
}

/** A pull request, or merge request, as the forge has it. */
export interface ForgeChangeRequest {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly author: string;
  readonly author_kind: 'bot' | 'person';
  readonly labels: readonly string[];
  readonly is_draft: boolean;
  readonly is_open: boolean;
  readonly from_fork: boolean;
  /** Name of its branch, in whichever repository that is. */
  readonly branch: string;
  /** The branch that it asks to be merged into. */
  readonly base: string;
  readonly head_commit: string;
  /** The ref of the target repository that has the head commit. */
  readonly head_ref: string;
}

/** An issue, as far as a verification needs it. */
export interface ForgeIssue {
  readonly title: string;
  readonly body: string;
}

/** A comment of a review on a place in the code. */
export interface ReviewComment {
  readonly path: string;
  readonly line: number | null;
  readonly body: string;
}

export interface CheckAnnotation {
  readonly path: string;
  readonly line: number;
  readonly level: 'failure' | 'warning' | 'notice';
  readonly title: string;
  readonly message: string;
}

export type CheckConclusion = 'success' | 'neutral' | 'failure' | 'action_required' | 'cancelled';

export interface CheckRun {
  /** The same for the same work: a check that is there is gone on with, and not made twice. */
  readonly id: string;
  /** Name that branch protection can require; see `checkNameOfBase`. */
  readonly name: string;
  readonly commit: string;
  readonly conclusion: CheckConclusion;
  readonly title: string;
  readonly summary: string;
  readonly annotations: readonly CheckAnnotation[];
}

/**
 * What Assay says at a forge about one repository. Each call can be repeated: it looks for what is there, and makes it what it should be.
 * All throw ForgeError.
 */
export interface ForgeClient {
  /** Finds the request for a branch, or opens one. @returns its number; null when the forge says that there is nothing to merge */
  openChangeRequest(change: ChangeRequest): Promise<number | null>;
  publishCheckRun(check: CheckRun): Promise<void>;
  /** Reads a pull request; null where there is none of this number. */
  readChangeRequest(number: number): Promise<ForgeChangeRequest | null>;
  /** Reads an issue; null where there is none of this number, or it is a pull request. */
  readIssue(number: number): Promise<ForgeIssue | null>;
  /** Reads the comments of a review on places in the code; empty where the forge has no such reviews. */
  listReviewComments(number: number, review: number): Promise<readonly ReviewComment[]>;
  /** Says whether a person may push to the repository. */
  canWrite(login: string): Promise<boolean>;
  /** The one comment of ours that begins with `marker`. */
  upsertComment(place: CommentTarget, marker: string, body: string): Promise<void>;
  /** Puts labels on, and takes others off; any others are left alone. */
  updateLabels(place: CommentTarget, on: readonly string[], off: readonly string[]): Promise<void>;
}

/** `transient`: the same call may work later. */
export class ForgeError extends Error {
  readonly status: number | null;
  readonly transient: boolean;
  /** Set when the forge has limited us: no further call is made before. */
  readonly retryAfterSeconds: number | null;
  constructor(
    message: string,
    status: number | null,
    transient: boolean,
    retryAfterSeconds: number | null = null,
  ) {
    super(message);
    this.name = 'ForgeError';
    this.status = status;
    this.transient = transient;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
