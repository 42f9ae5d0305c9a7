import { type AwsJsonAnswer, type AwsJsonClient, clientOf } from '../http/aws-json.ts';
import { isRecord } from '../properties.ts';

/** To the thread of the engine, and back from it: a request with its answer, as JSON texts. */
export interface EngineCall {
  readonly id: number;
  readonly operation: string;
  readonly text: string;
}
export interface EngineAnswer {
  readonly id: number;
  readonly status: number;
  readonly text: string;
}

export interface EngineClient extends AwsJsonClient {
  /** Takes an answer of the thread. */
  answered(answer: EngineAnswer): void;
}

/** Calls the engine in its thread. What is under way when that ends has no answer: the stack ends with it. */
export function engineClient(post: (call: EngineCall) => void): EngineClient {
  const waiting = new Map<number, PromiseWithResolvers<AwsJsonAnswer>>();
  let next = 0;
  const call: AwsJsonClient['call'] = (operation, body) => {
    const waits = Promise.withResolvers<AwsJsonAnswer>();
    const id = next++;
    waiting.set(id, waits);
    post({ id, operation, text: JSON.stringify(body) });
    return waits.promise;
  };
  return {
    ...clientOf(call, () => {}),
    answered({ id, status, text }) {
      const body: unknown = JSON.parse(text);
      waiting.get(id)?.resolve({ status, body: isRecord(body) ? body : {} });
      waiting.delete(id);
    },
  };
}
