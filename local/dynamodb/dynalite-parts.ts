import { createRequire } from 'node:module';
import type { AwsJsonAnswer } from '../http/aws-json.ts';
import { isRecord, type Json } from '../properties.ts';

/**
 * The parts of dynalite that its HTTP server puts together. A request between two threads of one process takes longer on its way through HTTP
 * than in the engine. The version is pinned exactly, because these are internals.
 */
interface Store {
  readonly lifecycleManager: { gracefulClose(done: (error?: Error | null) => void): void };
}
interface Validations {
  checkTypes(data: unknown, types: unknown): unknown;
  checkValidations(data: unknown, types: unknown, custom: unknown, store: Store): void;
}
type Action = (store: Store, data: unknown, done: (error: unknown, data?: unknown) => void) => void;
interface Refusal {
  readonly statusCode: number;
  readonly body: Json;
}

/** All that it knows. */
const OPERATIONS = [
  'BatchGetItem',
  'BatchWriteItem',
  'CreateTable',
  'DeleteItem',
  'DeleteTable',
  'DescribeTable',
  'DescribeTimeToLive',
  'GetItem',
  'ListTables',
  'ListTagsOfResource',
  'PutItem',
  'Query',
  'Scan',
  'TagResource',
  'UntagResource',
  'UpdateItem',
  'UpdateTable',
] as const;

const load = createRequire(import.meta.url);
const part = <T>(path: string): T => load(`dynalite/${path}`) as T;

/** What an operation throws or answers that is meant for whoever asked. */
const refusalIn = (error: unknown): Refusal | null =>
  isRecord(error) && typeof error['statusCode'] === 'number' ? (error as unknown as Refusal) : null;

export interface Dynalite {
  /** @param answer is called once. What is wrong with the engine itself is thrown where nobody waits for it. */
  call(operation: string, data: unknown, answer: (answer: AwsJsonAnswer) => void): void;
  close(done: (error?: Error | null) => void): void;
}

/** Opens the tables in a folder; that they cannot be read is thrown with the first call. */
export function openDynalite(path: string): Dynalite {
  const store = part<{ create(options: object): Store }>('db').create({
    ...{ path, createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 },
  });
  const validations = part<Validations>('validations');
  const operations = new Map(
    OPERATIONS.map((name) => {
      const file = name.charAt(0).toLowerCase() + name.slice(1);
      const { types, custom } = part<{ types: unknown; custom: unknown }>(`validations/${file}`);
      return [name as string, { types, custom, act: part<Action>(`actions/${file}`) }];
    }),
  );
  return {
    call(operation, data, answer) {
      const known = operations.get(operation);
      if (!known)
        return answer({
          status: 400,
          body: { __type: 'com.amazon.coral.service#UnknownOperationException' },
        });
      const refuse = (error: unknown): void => {
        const refusal = refusalIn(error);
        if (!refusal) throw error;
        answer({ status: refusal.statusCode, body: refusal.body });
      };
      let checked: unknown;
      try {
        checked = validations.checkTypes(data, known.types);
        validations.checkValidations(checked, known.types, known.custom, store);
      } catch (error) {
        return refuse(error);
      }
      known.act(store, checked, (error, body) => {
        if (error) refuse(error);
        else answer({ status: 200, body: isRecord(body) ? body : {} });
      });
    },
    close: (done) => store.lifecycleManager.gracefulClose(done),
  };
}
