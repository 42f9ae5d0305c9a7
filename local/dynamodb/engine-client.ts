import { type AwsJsonAnswer, type AwsJsonClient, buildAwsJsonClient } from '../http/aws-json.ts';
import { isRecord } from '../resource-properties.ts';

/** Operation, besides those of DynamoDB, that loads items into an empty table. */
export const LOAD_ITEMS_OPERATION = 'LoadItems';
export interface LoadItemsRequest {
  readonly table: string;
  readonly ttlAttribute: string | null;
}
export interface LoadItemsResponse {
  /** For each item, when it expires, in seconds since 1970; null: never. */
  readonly expiries: readonly (number | null)[];
}

/** Messages to the engine's thread and back: a request and its answer, as JSON. */
export interface EngineCall {
  readonly id: number;
  readonly operation: string;
  readonly text: string;
  /** Items to load, each as JSON. */
  readonly items?: readonly string[];
}
export interface EngineAnswer {
  readonly id: number;
  readonly status: number;
  readonly text: string;
}

export interface EngineClient extends AwsJsonClient {
  /** Loads items, given as JSON, into an empty table. Returns the expiries, one for each item. */
  load(request: LoadItemsRequest, items: readonly string[]): Promise<LoadItemsResponse['expiries']>;
  /** Receives an answer of the thread. */
  receive(answer: EngineAnswer): void;
}

/**
 * Creates the client of the engine's thread. Calls get no answer when the thread ends, because the stack ends
 * with it.
 */
export function createEngineClient(post: (call: EngineCall) => void): EngineClient {
  const waiting = new Map<number, PromiseWithResolvers<AwsJsonAnswer>>();
  let next = 0;
  function send(request: Omit<EngineCall, 'id'>): Promise<AwsJsonAnswer> {
    const waits = Promise.withResolvers<AwsJsonAnswer>();
    const id = next++;
    waiting.set(id, waits);
    post({ id, ...request });
    return waits.promise;
  }
  const call: AwsJsonClient['call'] = (operation, body) => send({ operation, text: JSON.stringify(body) });
  return {
    ...buildAwsJsonClient(call, () => {}),
    async load(request, items) {
      const { table } = request;
      const { status, body } = await send({
        operation: LOAD_ITEMS_OPERATION,
        text: JSON.stringify(request),
        items,
      });
      if (status >= 400) throw new Error(`${table} could not be loaded: ${JSON.stringify(body)}`);
      return (body as unknown as LoadItemsResponse).expiries;
    },
    receive({ id, status, text }) {
      const body: unknown = JSON.parse(text);
      waiting.get(id)?.resolve({ status, body: isRecord(body) ? body : {} });
      waiting.delete(id);
    },
  };
}
