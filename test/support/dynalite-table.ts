import type { AddressInfo } from 'node:net';
import { CreateTableCommand, DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import {
  TABLE_INDEXES,
  TASK_SUMMARY_ATTRIBUTES,
  TASKS_TABLE_KEY_ATTRIBUTES,
} from '../../shared/contract/resource-names.ts';
import { AcceptedTreeStore } from '../../shared/store/accepted-trees.ts';
import { ClaimIntentStore } from '../../shared/store/claim-intents.ts';
import { DeadlineStore } from '../../shared/store/deadlines.ts';
import { createDocumentClient } from '../../shared/store/document-client.ts';
import { FileLockStore } from '../../shared/store/file-locks.ts';
import { HeartbeatStore } from '../../shared/store/heartbeats.ts';
import { ItemTable } from '../../shared/store/item-table.ts';
import { LaunchStore } from '../../shared/store/launches.ts';
import { ModelSpendStore } from '../../shared/store/model-spend.ts';
import { RoleLearningStore } from '../../shared/store/role-learning.ts';
import { RunningContainerStore } from '../../shared/store/running-containers.ts';
import { TaskCompletionStore } from '../../shared/store/task-completions.ts';
import { TaskCountStore } from '../../shared/store/task-counts.ts';
import { TaskStore } from '../../shared/store/task-store.ts';
import { WorkRequestStore } from '../../shared/store/work-requests.ts';
import { createInProcessClient } from './in-process-dynalite.ts';

/** The Tasks table on an in-memory engine, with the stores on it. Call `close` when done. */
export async function createTestTable() {
  const server = dynalite({ createTableMs: 0 });
  const client = createInProcessClient(server);
  const indexes = Object.values(TABLE_INDEXES);
  const create = async (name: string): Promise<string> => {
    await client.send(
      new CreateTableCommand({
        TableName: name,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [
          TASKS_TABLE_KEY_ATTRIBUTES.pk,
          TASKS_TABLE_KEY_ATTRIBUTES.sk,
          ...indexes.flatMap((index) => [index.pk, index.sk]),
        ].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
        KeySchema: [
          { AttributeName: TASKS_TABLE_KEY_ATTRIBUTES.pk, KeyType: 'HASH' },
          { AttributeName: TASKS_TABLE_KEY_ATTRIBUTES.sk, KeyType: 'RANGE' },
        ],
        GlobalSecondaryIndexes: indexes.map((index) => ({
          IndexName: index.name,
          KeySchema: [
            { AttributeName: index.pk, KeyType: 'HASH' },
            { AttributeName: index.sk, KeyType: 'RANGE' },
          ],
          Projection:
            index.name === TABLE_INDEXES.byStatus.name
              ? { ProjectionType: 'INCLUDE', NonKeyAttributes: [...TASK_SUMMARY_ATTRIBUTES] }
              : { ProjectionType: 'KEYS_ONLY' },
        })),
      }),
    );
    // It answers while it still makes the table, and until then there is none.
    const described = () => client.send(new DescribeTableCommand({ TableName: name }));
    while ((await described()).Table?.TableStatus !== 'ACTIVE');
    return name;
  };
  await create('tasks');
  const db = createDocumentClient(client);
  const tasks = new TaskStore(new ItemTable(db, 'tasks'));
  return {
    db,
    tasks,
    /** Six vCPUs on demand, two on Spot. */
    register: new RunningContainerStore(new ItemTable(db, 'tasks'), {
      on_demand: 6 * 1_024,
      spot: 2 * 1_024,
    }),
    launches: new LaunchStore(new ItemTable(db, 'tasks')),
    accepted: new AcceptedTreeStore(new ItemTable(db, 'tasks')),
    deadlines: new DeadlineStore(new ItemTable(db, 'tasks')),
    requests: new WorkRequestStore(new ItemTable(db, 'tasks')),
    locks: new FileLockStore(new ItemTable(db, 'tasks'), tasks),
    counts: new TaskCountStore(new ItemTable(db, 'tasks')),
    completions: new TaskCompletionStore(new ItemTable(db, 'tasks')),
    beliefs: new RoleLearningStore(new ItemTable(db, 'tasks')),
    spend: new ModelSpendStore(new ItemTable(db, 'tasks')),
    claims: new ClaimIntentStore(new ItemTable(db, 'tasks')),
    beats: new HeartbeatStore(new ItemTable(db, 'tasks')),
    /** Makes a further, empty table of the same form. */
    another: create,
    /** Listens for clients that are not ours, and says where. */
    listen: async (): Promise<string> => {
      await new Promise<void>((resolve) => {
        server.listen(0, '127.0.0.1', () => resolve());
      });
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    close: async () => {
      client.destroy();
      if (!server.listening) return;
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}
