import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { WorkRequest } from '../contract/intake/schema.ts';
import { REQUEST_MOVES, type RequestStatus } from '../contract/intake/status.ts';
import { INDEXES, ITEM_PREFIX, TABLE } from '../contract/names.ts';
import { Refusal } from '../contract/refusal.ts';
import { type Moved, mayHaveTask } from '../control/intake/commands.ts';
import { FOLLOW_SECONDS } from '../control/task-commands/deadline.ts';
import { createdRank, requestDeadlineKey } from './task-item.ts';

const MAX_RACES = 25;

const keyOf = (id: string): Record<string, string> => ({
  [TABLE.pk]: `${ITEM_PREFIX.request}${id}`,
  [TABLE.sk]: TABLE.requestSk,
});
const partition = (status: RequestStatus): string => `request#${status}`;

const OWN: ReadonlySet<string> = new Set([
  TABLE.pk,
  TABLE.sk,
  ...Object.values(INDEXES).flatMap(({ pk, sk }) => [pk, sk]),
]);

/** The item of a request. What must follow from it is looked at once more after a while, in case the stream has lost it. */
export function requestToItem(request: WorkRequest, settled = false): Record<string, unknown> {
  const due = new Date(Date.parse(request.updated_at) + FOLLOW_SECONDS * 1_000);
  return {
    ...keyOf(request.id),
    ...request,
    expires_at: request.expires_at ?? undefined,
    [INDEXES.byStatus.pk]: partition(request.status),
    [INDEXES.byStatus.sk]: createdRank(request),
    ...(mayHaveTask(request) && !settled ? requestDeadlineKey(request.id, due) : {}),
  };
}

/** A request from its item. */
export const requestFromItem = (item: Record<string, unknown>): WorkRequest =>
  ({
    ...Object.fromEntries(Object.entries(item).filter(([name]) => !OWN.has(name))),
    expires_at: item['expires_at'] ?? null,
  }) as WorkRequest;

/** Requests in the table. Every write is one conditional Put of one whole item. */
export class RequestStore {
  readonly #db: DynamoDBDocumentClient;
  readonly #table: string;

  constructor(db: DynamoDBDocumentClient, table: string) {
    this.#db = db;
    this.#table = table;
  }

  async find(id: string): Promise<WorkRequest | null> {
    const { Item } = await this.#db.send(
      new GetCommand({ TableName: this.#table, Key: keyOf(id), ConsistentRead: true }),
    );
    return Item ? requestFromItem(Item) : null;
  }

  /** As `find`; a missing one, and one that `shows` does not, is a refusal. */
  async demand(id: string, shows: (request: WorkRequest) => boolean = () => true): Promise<WorkRequest> {
    const request = await this.find(id);
    if (!request || !shows(request)) throw new Refusal('not_found', `there is no request ${id}`);
    return request;
  }

  /** Writes a new request; the one that has its id already is the answer instead. */
  async enter(request: WorkRequest): Promise<{ readonly entered: boolean; readonly request: WorkRequest }> {
    const isNew = await this.#put(request, {
      ConditionExpression: 'attribute_not_exists(#pk)',
      ExpressionAttributeNames: { '#pk': TABLE.pk },
    });
    if (isNew) return { entered: true, request };
    const present = await this.find(request.id);
    if (!present) throw new Refusal('busy', `the id ${request.id} was taken a moment ago; try again`);
    return { entered: false, request: present };
  }

  /** Moves a request: read, compute, write under the condition that nothing has changed in between. */
  async advance(
    id: string,
    command: (request: WorkRequest) => Moved | null,
    shows?: (request: WorkRequest) => boolean,
  ): Promise<WorkRequest> {
    for (let race = 0; race < MAX_RACES; race++) {
      const present = await this.demand(id, shows);
      const moved = command(present);
      if (moved === null) return present;
      const from = REQUEST_MOVES[moved.move].from;
      const statuses = Object.fromEntries(from.map((status, index) => [`:s${index}`, status]));
      const written = await this.#put(moved.request, {
        ConditionExpression: `#version = :version AND #status IN (${Object.keys(statuses).join(', ')})`,
        ExpressionAttributeNames: { '#version': 'version', '#status': 'status' },
        ExpressionAttributeValues: { ':version': present.version, ...statuses },
      });
      if (written) return moved.request;
    }
    throw new Refusal('busy', `request ${id} changes too fast; try again`);
  }

  /** All that follows from a request has followed: nobody has to look at it again. */
  async settleOn(request: WorkRequest): Promise<void> {
    await this.#put(
      request,
      {
        ConditionExpression: '#version = :version',
        ExpressionAttributeNames: { '#version': 'version' },
        ExpressionAttributeValues: { ':version': request.version },
      },
      true,
    );
  }

  async #put(
    request: WorkRequest,
    condition: Pick<
      PutCommand['input'],
      'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
    >,
    settled = false,
  ): Promise<boolean> {
    try {
      await this.#db.send(
        new PutCommand({ TableName: this.#table, Item: requestToItem(request, settled), ...condition }),
      );
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }

  /** Requests of one status, the oldest first, after the rank `after` (exclusive). */
  async listed(
    status: RequestStatus,
    limit: number,
    after?: string,
  ): Promise<{ readonly ids: string[]; readonly next: string | null }> {
    const { pk, sk, name } = INDEXES.byStatus;
    const answer = await this.#db.send(
      new QueryCommand({
        TableName: this.#table,
        IndexName: name,
        KeyConditionExpression: after === undefined ? '#pk = :pk' : '#pk = :pk AND #sk > :after',
        ExpressionAttributeNames: { '#pk': pk, ...(after !== undefined && { '#sk': sk }) },
        ExpressionAttributeValues: {
          ':pk': partition(status),
          ...(after !== undefined && { ':after': after }),
        },
        Limit: limit,
      }),
    );
    const items = answer.Items ?? [];
    return {
      ids: items.map((item) => String(item['id'])),
      next: answer.LastEvaluatedKey === undefined ? null : String(answer.LastEvaluatedKey[sk]),
    };
  }
}
