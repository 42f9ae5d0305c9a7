import '../../support/function-env.ts';
import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { handler as evidence } from '../../../functions/api/evidence-api.ts';
import { handler as read } from '../../../functions/api/read-api.ts';
import type { ApiGatewayEvent } from '../../../functions/api/route-request.ts';
import { handler as upload } from '../../../functions/api/upload-api.ts';
import { handler as hook } from '../../../functions/api/webhook-api.ts';
import { handler as work } from '../../../functions/api/work-api.ts';
import { handler as submit } from '../../../functions/api/write-api.ts';
import { installSdkClients, routeSdkCalls } from '../../../lab/simulator/engines/sdk-clients.ts';
import { SimulatedTable, type TableCommandInput } from '../../../lab/simulator/engines/simulated-table.ts';
import { ROUTES, type RouteDefinition, type RouteName, routeKey } from '../../../shared/api/routes.ts';
import type { Task } from '../../../shared/contract/task/task.ts';
import { taskToItem } from '../../../shared/store/task-item.ts';
import { CALLER, DEAD_LETTER, ITEMS, QUERIES } from './requests.ts';

const HANDLERS = {
  'api-submit': submit,
  'api-work': work,
  'api-upload': upload,
  'api-evidence': evidence,
  'api-read': read,
  'api-webhook': hook,
} as const;

export interface Asked {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly raw?: string | undefined;
  /** What differs from the identity of whom the route is for. */
  readonly identity?: Readonly<Record<string, unknown>>;
}
export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
  /** Items and objects that were written. */
  readonly written: readonly unknown[];
}

/** The real handlers over a table and a bucket in memory, which hold `task` only. */
export async function ask(name: RouteName, task: Task, asked: Asked): Promise<Answered> {
  const table = new SimulatedTable(
    () => 0,
    () => 0,
  );
  table.run('PutCommand', { Item: taskToItem(task) as Record<string, unknown> });
  for (const Item of ITEMS) table.run('PutCommand', { Item });
  const written: unknown[] = [];
  table.onWrite = ({ after }) => written.push(after);
  routeSdkCalls(async (service, operation, input) => {
    if (service === 'dynamodb') return table.run(operation, input as TableCommandInput);
    if (operation !== 'PutObjectCommand') throw new Error(`${service} is not asked for ${operation}`);
    written.push(input['Body']);
    return {};
  });
  const route: RouteDefinition = ROUTES[name];
  const caller = CALLER[name] ?? 'operator';
  const event = {
    version: '2.0',
    routeKey: routeKey(route),
    rawPath: '/',
    rawQueryString: '',
    headers: { authorization: 'Bearer x', ...asked.headers },
    queryStringParameters: { ...QUERIES[name], ...asked.query },
    pathParameters: {
      id: 'T1',
      role: 'backend',
      letter: DEAD_LETTER,
      provider: 'anthropic',
      ...asked.params,
    },
    requestContext: {
      requestId: 'r',
      http: { method: route.method },
      authorizer: {
        lambda: {
          caller,
          principal: 'ann',
          role: 'admin',
          task_id: 'T1',
          attempt: 1,
          launch: 1,
          ...asked.identity,
        },
      },
    },
    body: asked.raw,
    isBase64Encoded: false,
  } as unknown as ApiGatewayEvent;
  const handler = HANDLERS[route.function];
  const answer = (await handler(event, {} as Context)) as APIGatewayProxyStructuredResultV2;
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers ?? {},
    body: String(answer.body ?? ''),
    written,
  };
}

installSdkClients();
