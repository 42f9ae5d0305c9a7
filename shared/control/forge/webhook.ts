import { createHmac, timingSafeEqual } from 'node:crypto';
import { parseMergeRequestNumber, parseRevertReferences } from '../../contract/repository/revert-message.ts';
import type { DeliveryOutcome } from '../../contract/task/delivery-outcome.ts';
import type { ForgeChangeRequest } from './forge.ts';

/** Largest body that is read: what we take of an event is an issue, a comment or a request. */
export const MAX_WEBHOOK_BYTES = 1_048_576;

/** What an event asks for. Where it comes twice or late is looked at by what carries it out. */
export type WebhookAction =
  | {
      readonly kind: 'task';
      readonly issue: number;
      readonly title: string;
      readonly description: string;
      readonly base: string | null;
      readonly by: string;
      /** When the label was put on: a task that has failed before that is tried again. */
      readonly at: string;
    }
  | {
      readonly kind: 'retry';
      readonly issue: number;
      /** The body that the comment stands under, where a request of ours names its task. */
      readonly body: string;
      readonly by: string;
      readonly at: string;
    }
  | { readonly kind: 'outcome'; readonly task_id: string; readonly outcome: DeliveryOutcome }
  /** Merged requests and commits that another request undoes; whose work they are is looked up. */
  | {
      readonly kind: 'reverts';
      readonly reverted: readonly RevertedCommitOrChangeRequest[];
      readonly outcome: DeliveryOutcome & { readonly outcome: 'reverted' };
    }
  /** A pull request that somebody else opened was opened, pushed to, or changed otherwise. */
  | {
      readonly kind: 'pull_request';
      readonly change: ForgeChangeRequest;
      readonly previous_head: string | null;
      /** The labels that the event puts on, where it does nothing else; null: it is about something else. */
      readonly added_labels: readonly string[] | null;
      /** The same head is to be verified again: the pull request was reopened, or has another base. */
      readonly isAgain: boolean;
      readonly at: string;
    }
  | {
      readonly kind: 'pull_request_closed';
      readonly number: number;
      readonly head_commit: string;
      readonly at: string;
      /** How it was merged; null: it was closed without that. */
      readonly merged: (DeliveryOutcome & { readonly outcome: 'merged' }) | null;
    }
  | {
      readonly kind: 'pull_request_command';
      readonly command: PullRequestCommand;
      readonly number: number;
      /** Id of the comment: an answer names it, so that it is given once. */
      readonly comment: number;
      readonly by: string;
      readonly at: string;
    }
  /** A reviewer asks for changes. */
  | {
      readonly kind: 'changes_requested';
      readonly number: number;
      readonly review: number;
      readonly text: string;
      readonly by: string;
    }
  | {
      readonly kind: 'merge_group';
      readonly number: number;
      readonly head_ref: string;
      readonly head_commit: string;
      readonly base_commit: string;
      readonly base_branch: string;
    }
  | { readonly kind: 'nothing'; readonly why: string };

/** What a comment on a pull request asks for. */
export type PullRequestCommand =
  | { readonly name: 'verify' | 'explain' }
  /** `text`: what is to be changed. */
  | { readonly name: 'fix'; readonly text: string }
  /** `commit`: the beginning of the head commit that is approved; null where the comment names none. */
  | { readonly name: 'approve'; readonly commit: string | null; readonly reason: string };

export type RevertedCommitOrChangeRequest =
  | { readonly commit: string; readonly request: null }
  | { readonly commit: null; readonly request: number };

export interface Webhook {
  /** As the forge names it to be cloned. Null: the event is of none. */
  readonly repository: string | null;
  readonly action: WebhookAction;
}

/** What came of an event. */
export interface ForgeEventResult {
  readonly outcome: 'done' | 'ignored';
  readonly task_id: string | null;
  readonly reason: string;
}
export const createIgnoredEventResult = (
  reason: string,
  task_id: string | null = null,
): ForgeEventResult => ({
  outcome: 'ignored',
  task_id,
  reason,
});
export const createEventResult = (reason: string, task_id: string): ForgeEventResult => ({
  outcome: 'done',
  task_id,
  reason,
});

/** Headers by their names in small letters. */
export type WebhookHeaders = Readonly<Record<string, string | undefined>>;

const equal = (one: Buffer, other: Buffer): boolean =>
  one.length === other.length && timingSafeEqual(one, other);

/** GitHub: HMAC-SHA256 of the body's very bytes. In constant time. */
export function isSignedByGitHub(headers: WebhookHeaders, body: Buffer, secret: string): boolean {
  const [, given = ''] = /^sha256=([0-9a-f]{64})$/.exec(headers['x-hub-signature-256'] ?? '') ?? [];
  const due = createHmac('sha256', secret).update(body).digest();
  return equal(Buffer.from(given, 'hex'), due);
}

/** GitLab sends the secret itself. Both are hashed, so that not even its length can be told by time. */
export function isSentByGitLab(headers: WebhookHeaders, secret: string): boolean {
  const hash = (text: string): Buffer => createHmac('sha256', secret).update(text).digest();
  return equal(hash(headers['x-gitlab-token'] ?? ''), hash(secret));
}

export const createIgnoredWebhookAction = (why: string): WebhookAction => ({ kind: 'nothing', why });

/** Whether a line of a comment is nothing but the command. Takes time in proportion to the length, because anybody may comment. */
export const isRetryCommand = (comment: string): boolean =>
  comment.split('\n').some((line) => line.trim() === '/assay retry');

const MAX_REASON = 1_000;
const FIX = '/assay fix';

/**
 * Returns the first line of a comment that is a command for a pull request, or null. An approval without a reason is none. What follows
 * `/assay fix` to the end of the comment is its text; without text it is none.
 */
export function parsePullRequestCommand(comment: string): PullRequestCommand | null {
  const lines = comment.split('\n').map((each) => each.trim());
  for (const [index, line] of lines.entries()) {
    if (line === '/assay verify') return { name: 'verify' };
    if (line === '/assay explain') return { name: 'explain' };
    if (line === FIX || line.startsWith(`${FIX} `)) {
      const wanted = [line.slice(FIX.length), ...lines.slice(index + 1)].join('\n').trim();
      return wanted === '' ? null : { name: 'fix', text: wanted };
    }
    const text = line.startsWith('/assay approve ') ? line.slice('/assay approve '.length).trim() : '';
    if (text === '') continue;
    const [, commit = null, reason = text] = /^([0-9a-f]{7,64})\s+(\S.*)$/i.exec(text) ?? [];
    return { name: 'approve', commit: commit?.toLowerCase() ?? null, reason: reason.slice(0, MAX_REASON) };
  }
  return null;
}

/** The task that a branch of ours is of, and of the branch that undoes it, as GitHub and GitLab name them. */
export const taskIdOfBranch = (branch: string): string | null =>
  /^assay\/([A-Za-z0-9][A-Za-z0-9_-]{0,63})$/.exec(branch)?.[1] ?? null;
export const revertedTaskId = (branch: string): string | null =>
  /^revert-\d+-assay\/([A-Za-z0-9][A-Za-z0-9_-]{0,63})$/.exec(branch)?.[1] ?? null;

/** Most of what one request may undo. */
const MAX_REVERTS = 10;

/** What a request undoes, as its text or its last commit says in the words of git or of the forge's own button. */
export function parseReverts(
  texts: readonly (string | null | undefined)[],
  repository: string,
): RevertedCommitOrChangeRequest[] {
  const all = texts
    .flatMap((text) => parseRevertReferences(text ?? '', repository))
    .map(
      (each): RevertedCommitOrChangeRequest =>
        'request' in each
          ? { commit: null, request: parseMergeRequestNumber(each.request) }
          : { commit: each.commit, request: null },
    );
  return [...new Map(all.map((each) => [JSON.stringify(each), each])).values()].slice(0, MAX_REVERTS);
}
