import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type NudgeCounts, RECENT_UNVERIFIED } from '../ledger/nudge.ts';
import { ITEM_PREFIX, TABLE } from '../names.ts';

/** Completions by day, verified or not. The set of ids makes counting idempotent: a repeated stream record counts nothing twice. */
export class NudgeStore {
  readonly #db: DynamoDBDocumentClient;
  readonly #table: string;

  constructor(db: DynamoDBDocumentClient, table: string) {
    this.#db = db;
    this.#table = table;
  }

  /** Counts one completion under `key` (task id and attempt). False when it was counted before. `at` is the ISO time of the completion. */
  async count(key: string, taskId: string, verified: boolean, at: string): Promise<boolean> {
    try {
      await this.#db.send(
        new UpdateCommand({
          TableName: this.#table,
          Key: { [TABLE.pk]: ITEM_PREFIX.completions, [TABLE.sk]: at.slice(0, 10) },
          UpdateExpression: verified
            ? 'ADD #verified :one, #ids :key'
            : 'ADD #unverified :one, #ids :key SET #recent = list_append(if_not_exists(#recent, :none), :task)',
          ConditionExpression: 'NOT contains(#ids, :id)',
          ExpressionAttributeNames: {
            '#ids': 'ids',
            ...(verified
              ? { '#verified': 'verified' }
              : { '#unverified': 'unverified', '#recent': 'recent' }),
          },
          ExpressionAttributeValues: {
            ':one': 1,
            ':key': new Set([key]),
            ':id': key,
            ...(verified ? {} : { ':none': [], ':task': [`${at}#${taskId}`] }),
          },
        }),
      );
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }

  /** All completions so far. */
  async counts(): Promise<NudgeCounts> {
    let verified = 0;
    let unverified = 0;
    const recent: string[] = [];
    let after: Record<string, unknown> | undefined;
    do {
      const answer = await this.#db.send(
        new QueryCommand({
          TableName: this.#table,
          KeyConditionExpression: '#pk = :pk',
          ProjectionExpression: 'verified, unverified, recent',
          ExpressionAttributeNames: { '#pk': TABLE.pk },
          ExpressionAttributeValues: { ':pk': ITEM_PREFIX.completions },
          ScanIndexForward: false,
          ConsistentRead: true,
          ...(after ? { ExclusiveStartKey: after } : {}),
        }),
      );
      for (const day of answer.Items ?? []) {
        verified += (day['verified'] as number | undefined) ?? 0;
        unverified += (day['unverified'] as number | undefined) ?? 0;
        recent.push(...((day['recent'] as string[] | undefined) ?? []));
      }
      after = answer.LastEvaluatedKey;
    } while (after);
    const newest = recent.sort((a, b) => (a < b ? 1 : -1)).slice(0, RECENT_UNVERIFIED);
    return {
      verified,
      unverified,
      recentUnverified: newest.map((entry) => entry.slice(entry.indexOf('#') + 1)),
    };
  }
}
