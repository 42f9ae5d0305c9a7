import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody, sendJson } from '../http/listen.ts';
import { createResourcePropertyReader } from '../resource-properties.ts';
import type {
  EventBus,
  InvokeResult,
  LambdaHost,
  OperationCounters,
  ResolvedResource,
} from '../shared-types.ts';
import { functionArn, parseFunctionName } from './function-spec.ts';

const PATH = /^\/2015-03-31\/functions\/([^/?]+)\/invocations$/;
/** The supported on-failure destination. */
const DEFAULT_BUS = /:event-bus\/default$/;

/** Settings of asynchronous invocations. */
interface Asynchronous {
  readonly retries: number;
  readonly tellsBus: boolean;
}

/** @throws Error for a destination that is not the default bus. */
function asynchronousConfigs(resources: readonly ResolvedResource[]): ReadonlyMap<string, Asynchronous> {
  const configs = resources
    .filter(({ type }) => type === 'AWS::Lambda::EventInvokeConfig')
    .map(createResourcePropertyReader);
  return new Map(
    configs.map((config) => {
      config.only(
        'FunctionName',
        'Qualifier',
        'DestinationConfig',
        'MaximumRetryAttempts',
        'MaximumEventAgeInSeconds',
      );
      const failed = config.record('DestinationConfig').record('OnFailure').text('Destination', null);
      if (failed !== null && !DEFAULT_BUS.test(failed))
        throw new Error(`${config.where}: the embedded stack knows the default bus as a destination only`);
      const settings = { retries: config.number('MaximumRetryAttempts', 2), tellsBus: failed !== null };
      return [parseFunctionName(config.text('FunctionName')), settings];
    }),
  );
}

export interface InvokeOptions {
  readonly resources: readonly ResolvedResource[];
  readonly lambda: LambdaHost;
  readonly counters: OperationCounters;
  readonly bus: EventBus;
  onError(message: string): void;
}

/**
 * Creates the handler of Lambda's `Invoke`, for functions that call functions. It resolves to false for any
 * other request.
 */
export function createInvokeHandler({ resources, lambda, counters, bus, onError }: InvokeOptions) {
  const configs = asynchronousConfigs(resources);

  /**
   * Invokes a function asynchronously, with retries but, unlike Lambda, without pauses. Reports a failure of
   * the last attempt.
   */
  async function inBackground(name: string, requestPayload: unknown): Promise<void> {
    const { retries, tellsBus } = configs.get(name) ?? { retries: 2, tellsBus: false };
    let result: InvokeResult = { payload: null };
    let count = 0;
    do {
      result = await lambda.invoke(name, requestPayload);
      count++;
    } while (result.error && count <= retries);
    if (!result.error) return;
    onError(`${name}: ${result.error.errorType}: ${result.error.errorMessage}`);
    const arn = `${functionArn(name)}:$LATEST`;
    if (tellsBus)
      bus.put({
        source: 'lambda',
        'detail-type': 'Lambda Function Invocation Result - Failure',
        resources: [arn],
        detail: {
          version: '1.0',
          requestContext: { functionArn: arn, condition: 'RetriesExhausted', approximateInvokeCount: count },
          requestPayload,
          responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
          responsePayload: result.error,
        },
      });
  }

  return async (request: IncomingMessage, response: ServerResponse): Promise<boolean> => {
    const name = PATH.exec(request.url ?? '')?.[1];
    if (request.method !== 'POST' || name === undefined) return false;
    counters.add('lambda', 'Invoke');
    const text = (await readBody(request))?.toString('utf8') ?? '';
    const event: unknown = text === '' ? null : JSON.parse(text);
    const invoked = parseFunctionName(decodeURIComponent(name));
    if (request.headers['x-amz-invocation-type'] === 'Event') {
      void inBackground(invoked, event);
      response.writeHead(202).end();
      return true;
    }
    const { payload, error } = await lambda.invoke(invoked, event);
    if (error) response.setHeader('x-amz-function-error', 'Unhandled');
    sendJson(response, 200, error ?? payload ?? null);
    return true;
  };
}
