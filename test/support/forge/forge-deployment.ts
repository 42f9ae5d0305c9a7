import { createHmac } from 'node:crypto';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Task } from '../../../shared/contract/task/task.ts';
import type { ForgeChangeRequest, ForgeClient, ReviewComment } from '../../../shared/control/forge/forge.ts';
import {
  ForgeCredentialsSecret,
  type ForgeSetting,
  ForgeSettings,
} from '../../../shared/control/forge/forge-settings.ts';
import { taskIdOfPullRequest } from '../../../shared/control/forge/pull-request-tasks.ts';
import type { ForgeEventResult } from '../../../shared/control/forge/webhook.ts';
import type { FileLockStore } from '../../../shared/store/file-locks.ts';
import { ItemTable } from '../../../shared/store/item-table.ts';
import { PullRequestStore } from '../../../shared/store/pull-requests.ts';
import type { RoleLearningStore } from '../../../shared/store/role-learning.ts';
import type { StepFunctionsClient } from '../../../shared/store/state-machines.ts';
import type { TaskCountStore } from '../../../shared/store/task-counts.ts';
import { TaskStore } from '../../../shared/store/task-store.ts';
import {
  applyTaskWriteEffects,
  type TaskProjectionContext,
} from '../../../shared/use-cases/cascade/task-write-effects.ts';
import { handleForgeEvent } from '../../../shared/use-cases/deliver/handle-forge-event.ts';
import { ANY_AGENTS, addSeconds } from '../builders.ts';
import { MemoryTable } from '../memory-table.ts';
import { stub } from '../stub.ts';

export const SHOP = 'https://github.com/acme/shop.git';
const SECRET = 'a secret of the webhook';
export const sha = (number: number): string => number.toString(16).padStart(8, '0').repeat(5);
export const at = (seconds: number): string => addSeconds(seconds).toISOString().replace('.000', '');

export interface PullRequestEvent {
  readonly action: string;
  readonly number?: number;
  readonly head: number;
  readonly before?: number;
  readonly second: number;
  readonly changes?: object;
  readonly fields?: object;
}

/** What follows from writes, without machines, counts and what is learned. */
const NOTHING_ELSE_FOLLOWS: Omit<TaskProjectionContext, 'tasks' | 'pullRequests'> = {
  locks: stub<FileLockStore>({ release: async () => {} }),
  counts: stub<TaskCountStore>({ count: async () => false }),
  beliefs: stub<RoleLearningStore>({}),
  breakers: { recordMark: async () => undefined },
  spend: { settle: async () => undefined },
  mergedWork: { put: async () => undefined },
  stateMachines: stub<StepFunctionsClient>({ startExecution: async () => {} }),
  cascadeMachineArn: 'arn',
  now: () => addSeconds(3_600),
  onCompletion: () => {},
};

/** Webhook and stream of one deployment, on a table in memory. */
export class ForgeDeployment {
  readonly #items: ItemTable;
  readonly store: TaskStore;
  readonly pullRequests: PullRequestStore;
  readonly replies: string[] = [];
  readonly writers = new Set<string>();
  reviewComments: readonly ReviewComment[] = [];
  /** What connecting to the forge throws; null: nothing. */
  connectError: Error | null = null;
  issues = 0;
  /** What the deployment has forges for, and the label of issues. */
  settings: readonly ForgeSetting[] = ForgeSettings.parse([
    { url: 'https://github.com/acme', forge: 'github' },
  ]);
  /** Tasks by the merged work that is theirs. */
  readonly mergedWork = new Map<string, string>();
  pushScopes: readonly string[] = ['https://github.com/another'];
  #client: Partial<ForgeClient> = {
    canWrite: async (login) => this.writers.has(login),
    upsertComment: async (_place, _marker, body) => void this.replies.push(body),
    listReviewComments: async () => this.reviewComments,
    readIssue: async (number) => {
      this.issues++;
      return number === 12 ? { title: 'Round up', body: '2.5 becomes 3.' } : null;
    },
  };

  constructor(present: Partial<ForgeChangeRequest> | null = null) {
    const table = new MemoryTable();
    const db = { send: async (command: unknown) => table.carryOut(command) };
    this.#items = new ItemTable(db as unknown as DynamoDBDocumentClient, 'tasks');
    this.store = new TaskStore(this.#items);
    this.pullRequests = new PullRequestStore(this.#items);
    if (present) this.showPullRequest(present);
  }

  /** Has the forge answer with a pull request. */
  showPullRequest(present: Partial<ForgeChangeRequest>): void {
    this.#client = { ...this.#client, readChangeRequest: async () => present as ForgeChangeRequest };
  }

  hear(event: string, value: object): Promise<ForgeEventResult> {
    const body = JSON.stringify({ repository: { clone_url: SHOP, default_branch: 'main' }, ...value });
    const signature = createHmac('sha256', SECRET).update(body).digest('hex');
    return handleForgeEvent(
      'github',
      { 'x-github-event': event, 'x-hub-signature-256': `sha256=${signature}` },
      Buffer.from(body),
      {
        tasks: this.store,
        mergedWork: { findTask: async (_repository, key) => this.mergedWork.get(key) ?? null },
        pullRequests: this.pullRequests,
        connect: async () => {
          if (this.connectError) throw this.connectError;
          return stub<ForgeClient>(this.#client);
        },
        now: addSeconds(3_600),
        allowFileRepositories: false,
        pushScopes: this.pushScopes,
        pullRequestScopes: this.settings.map(({ url }) => url),
        agents: ANY_AGENTS,
        settings: this.settings,
        secret: async () =>
          ForgeCredentialsSecret.parse({
            credentials: this.settings.map(({ url }) => ({ url, token: 't', webhook_secret: SECRET })),
          }),
      },
    );
  }

  change({
    action,
    number = 7,
    head,
    before,
    second,
    changes,
    fields = {},
  }: PullRequestEvent): Promise<ForgeEventResult> {
    return this.hear('pull_request', {
      action,
      ...(before !== undefined && { before: sha(before) }),
      ...(changes && { changes }),
      sender: { login: 'helpful[bot]' },
      pull_request: {
        number,
        title: 'Round up',
        body: 'Fixes #12.',
        user: { login: 'helpful[bot]', type: 'Bot' },
        updated_at: at(second),
        head: { ref: 'round', sha: sha(head), repo: { full_name: 'acme/shop' } },
        base: { ref: 'main', repo: { full_name: 'acme/shop' } },
        ...fields,
      },
    });
  }

  /** What the stream does of the creation of a task. */
  async follow(id: string): Promise<void> {
    const made = await this.store.require(id);
    await applyTaskWriteEffects(null, made, {
      ...NOTHING_ELSE_FOLLOWS,
      tasks: this.store,
      pullRequests: this.pullRequests,
    });
  }

  /** Delivers an event and what follows from it. */
  async deliver(change: PullRequestEvent): Promise<ForgeEventResult> {
    const heard = await this.change(change);
    if (heard.outcome === 'done' && heard.reason === 'verifies a pull request' && heard.task_id)
      await this.follow(heard.task_id);
    return heard;
  }

  task(head: number, number = 7): Promise<Task | null> {
    return this.store.get(
      taskIdOfPullRequest(SHOP, { kind: 'pull_request', number, head_commit: sha(head) }),
    );
  }
}
