import './simulated-environment.ts';
import type { SQSEvent } from 'aws-lambda';
import { API_REFUSALS } from '../../shared/api/problem.ts';
import { ROUTES, type RouteName, routeKey } from '../../shared/api/routes.ts';
import { CONTAINER_ENV_NAMES, TASKS_TABLE_KEY_ATTRIBUTES } from '../../shared/contract/resource-names.ts';
import { type DeliveryInvocation, DeliveryInvocations } from './engines/delivery-invocations.ts';
import type { TableItem } from './engines/dynamodb-expression.ts';
import { SimulatedEventBus } from './engines/event-bus.ts';
import { accessDenialReason } from './engines/role-access.ts';
import { routeSdkCalls, type SendCommand } from './engines/sdk-clients.ts';
import { type QuotaLimits, ServiceQuotas } from './engines/service-quotas.ts';
import { type HttpResponse, SimulatedBucket } from './engines/simulated-bucket.ts';
import { type SimulatedContainer, SimulatedFargate } from './engines/simulated-fargate.ts';
import { SimulatedQueue } from './engines/simulated-queue.ts';
import { SimulatedStepFunctions } from './engines/simulated-step-functions.ts';
import { StreamReader } from './engines/simulated-stream.ts';
import { SimulatedTable, type TableCommandInput } from './engines/simulated-table.ts';
import { LAMBDA_FUNCTIONS, type LambdaFunctionName } from './lambda-functions.ts';
import type { SimulatedService } from './world/call-faults.ts';
import { drawFraction } from './world/random-stream.ts';
import { getCurrentProcess, runOutsideProcesses, SimulatedProcess } from './world/simulated-process.ts';
import { ServiceCallError, type SimulatedWorld } from './world/simulated-world.ts';

/** What refuses, in each service's own words: the control plane tells some of them apart. */
const REFUSALS: Partial<Record<SimulatedService, [string, string]>> = {
  dynamodb: ['ProvisionedThroughputExceededException', 'the request rate is too high'],
  s3: ['SlowDown', 'please reduce your request rate'],
  sqs: ['ThrottlingException', 'rate exceeded'],
  states: ['ThrottlingException', 'rate exceeded'],
  // Not one that it knows.
  ecs: ['ServerException', 'internal error'],
  lambda: ['TooManyRequestsException', 'Rate Exceeded.'],
  events: ['ThrottlingException', 'rate exceeded'],
};

export interface SimulatedRequest {
  readonly token: string;
  readonly id?: string;
  readonly role?: string;
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}
export interface SimulatedResponse {
  readonly status: number;
  /** The document; of a refusal, the problem. */
  readonly body: Record<string, unknown>;
}

/** The deployment in one process: the real handlers, between simulated services. */
export class SimulatedCloud {
  readonly world: SimulatedWorld;
  readonly table: SimulatedTable;
  readonly bucket: SimulatedBucket;
  readonly events = new SimulatedEventBus();
  readonly queues: ReadonlyMap<string, SimulatedQueue>;
  readonly streamReaders: readonly StreamReader[];
  readonly stateMachines: SimulatedStepFunctions;
  readonly containers: SimulatedFargate;
  readonly deliveries: DeliveryInvocations;
  /** Functions that are at work. */
  readonly #running = new Set<SimulatedProcess>();
  #invocations = 0;

  readonly #quotas: ServiceQuotas | null;
  /** Hears of each invocation before it begins. */
  onInvoke: (name: LambdaFunctionName, event: unknown) => void = () => {};

  constructor(
    world: SimulatedWorld,
    program: (box: SimulatedContainer) => Promise<void>,
    delivers: (delivery: DeliveryInvocation) => Promise<void>,
    limits: QuotaLimits | null = null,
  ) {
    this.world = world;
    this.#quotas =
      limits &&
      new ServiceQuotas(
        limits,
        () => world.clock.now,
        (key) => this.table.run('GetCommand', { Key: key })['Item'] as TableItem | undefined,
      );
    const { clock, conditions } = world;
    let reads = 0;
    this.table = new SimulatedTable(
      () => clock.now,
      () =>
        world.hasNoMoreFaults
          ? 0
          : Math.floor(drawFraction(`${conditions.seed}/lag/${reads++}`) * conditions.indexLag),
    );
    this.bucket = new SimulatedBucket(world);
    this.stateMachines = new SimulatedStepFunctions({
      invoke: (name, payload) => this.invoke(name as LambdaFunctionName, payload),
      send: (url, body) =>
        world.callService(
          'sqs',
          () => `send ${body.slice(0, 120)}`,
          () => this.#queue(url).send(body),
        ),
      world,
    });
    this.queues = new Map(
      ['agents1', 'agents2', 'agents3', 'gates'].map((name) => [
        name,
        new SimulatedQueue(world, name, (event: SQSEvent) => this.invoke('dispatch', event) as never),
      ]),
    );
    const isOf =
      (...kinds: readonly string[]) =>
      (write: { key: Readonly<Record<string, unknown>> }): boolean =>
        kinds.includes(String(write.key[TASKS_TABLE_KEY_ATTRIBUTES.sk]));
    this.streamReaders = [
      // Of a busy table some four shards, and ten batches of each at a time.
      {
        name: 'conductor' as const,
        wants: isOf(TASKS_TABLE_KEY_ATTRIBUTES.taskSk, TASKS_TABLE_KEY_ATTRIBUTES.requestSk),
        batchSize: 10,
        windowMs: 0,
        ...(limits && { lanes: 40 }),
      },
      {
        name: 'ledger' as const,
        wants: isOf(TASKS_TABLE_KEY_ATTRIBUTES.taskSk),
        batchSize: 500,
        windowMs: 30_000,
      },
    ].map(
      (reader) =>
        new StreamReader(world, {
          ...reader,
          invoke: (Records) => this.invoke(reader.name, { Records }) as never,
        }),
    );
    this.containers = new SimulatedFargate(
      world,
      { box: CONTAINER_ENV_NAMES.launchName, url: CONTAINER_ENV_NAMES.assignmentUrl },
      program,
      (event) => {
        void world
          .callService(
            'lambda',
            () => 'the event of a stopped box',
            () => this.invoke('reconcile', event),
          )
          .catch(() => {});
      },
    );
    this.deliveries = new DeliveryInvocations(world, delivers, (event) => {
      void world
        .callService(
          'lambda',
          () => 'the event of a delivery that failed',
          () => this.invoke('reconcile', event),
        )
        .catch(() => {});
    });
    const send: SendCommand = (service, operation, input) => {
      if (service === 'dynamodb') this.#holdToRole(operation, input as TableCommandInput);
      return world.callService(
        service,
        () => `${operation} ${describe(input)}`,
        () => {
          const serve = () => this.#serve(service, operation, input);
          return this.#quotas ? this.#quotas.call(service, operation, input, serve) : serve();
        },
        () => new ServiceCallError(...(REFUSALS[service] ?? ['TimeoutError', 'no answer'])),
      );
    };
    routeSdkCalls(this.#quotas ? patient(send, (milliseconds) => world.clock.sleep(milliseconds)) : send);
  }

  get quotas(): ServiceQuotas {
    if (!this.#quotas) throw new Error('this cloud has no quotas');
    return this.#quotas;
  }

  #queue(url: string): SimulatedQueue {
    const queue = this.queues.get(url.split('/').at(-1) ?? '');
    if (!queue) throw new Error(`there is no queue ${url}`);
    return queue;
  }

  /** A call that the function's role would be refused on AWS. What is no function's call is nobody's that has a role. */
  #holdToRole(operation: string, input: TableCommandInput): void {
    const caller = getCurrentProcess()?.name.split(' #')[0] ?? '';
    const denied = Object.hasOwn(LAMBDA_FUNCTIONS, caller)
      ? accessDenialReason(caller as LambdaFunctionName, operation, input)
      : null;
    if (denied !== null) this.world.reportViolation('functions do what their roles allow', denied);
  }

  #serve(service: SimulatedService, operation: string, input: Readonly<Record<string, unknown>>): unknown {
    return runOutsideProcesses(() => {
      if (service === 'dynamodb') return this.table.run(operation, input as TableCommandInput);
      if (service === 's3') return this.bucket.run(operation, input);
      if (service === 'ecs') return this.containers.run(operation, input);
      if (service === 'lambda') return this.deliveries.run(operation, input);
      if (service === 'states') return this.stateMachines.run(operation, input);
      if (service === 'events') return this.events.put(input);
      if (operation !== 'ChangeMessageVisibilityCommand') throw new Error(`SQS has no ${operation} here`);
      this.#queue(String(input['QueueUrl'])).changeVisibility(
        String(input['ReceiptHandle']),
        Number(input['VisibilityTimeout']),
      );
      return {};
    });
  }

  /** Invokes a function; rejects when it throws, dies or runs out of time. */
  async invoke(name: LambdaFunctionName, event: unknown): Promise<unknown> {
    const { handler, seconds } = LAMBDA_FUNCTIONS[name];
    this.onInvoke(name, event);
    const end = this.#quotas?.beginExecution();
    const process = new SimulatedProcess(`${name} #${++this.#invocations}`);
    this.#running.add(process);
    const context = {
      awsRequestId: process.name,
      functionName: name,
      getRemainingTimeInMillis: () => seconds * 1_000,
    };
    try {
      return await this.world.runProcess(process, seconds, () => handler(event, context));
    } finally {
      end?.();
      process.end();
      this.#running.delete(process);
    }
  }

  /** The machine that runs everything goes down and comes up again: what is written stays, what runs is gone. */
  cutPower(): void {
    this.world.logEvent(() => 'POWER CUT: all functions, boxes and executions are gone');
    for (const process of [...this.#running]) process.kill('power cut');
    for (const { isRunning, process } of [...this.containers.containers, ...this.deliveries.invocations])
      if (isRunning) process.kill('power cut');
    this.stateMachines.loseExecutions();
  }

  get isIdle(): boolean {
    return (
      this.#running.size === 0 &&
      this.streamReaders.every((each) => each.isIdle) &&
      [...this.containers.containers, ...this.deliveries.invocations].every(({ isRunning }) => !isRunning)
    );
  }

  /** One request over HTTP: authorizer, then the route's function. Rejects when no answer comes. */
  requestApi(name: RouteName, request: SimulatedRequest): Promise<SimulatedResponse> {
    return this.world.callService(
      'http',
      () => `${name} ${request.id ?? request.role ?? ''}`,
      () => {
        this.#quotas?.request();
        return runOutsideProcesses(() => this.#answer(name, request));
      },
    );
  }

  async #answer(name: RouteName, request: SimulatedRequest): Promise<SimulatedResponse> {
    const route = ROUTES[name];
    const event = {
      version: '2.0',
      routeKey: routeKey(route),
      headers: {
        authorization: `Bearer ${request.token}`,
        'content-type': 'application/json',
        ...request.headers,
      },
      queryStringParameters: request.query,
      pathParameters: {
        ...(request.id ? { id: request.id } : {}),
        ...(request.role ? { role: request.role } : {}),
      },
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      isBase64Encoded: false,
      requestContext: { requestId: `r${this.world.calls}`, authorizer: {} as unknown },
    };
    try {
      const { isAuthorized, context } = (await this.invoke('authorizer', event)) as {
        isAuthorized: boolean;
        context?: unknown;
      };
      if (!isAuthorized) return { status: 403, body: { message: 'Forbidden' } };
      event.requestContext.authorizer = { lambda: context };
      const answer = (await this.invoke(route.function, event)) as { statusCode: number; body?: string };
      return { status: answer.statusCode, body: JSON.parse(answer.body ?? '{}') as Record<string, unknown> };
    } catch {
      return { status: 503, body: { title: API_REFUSALS.internal.title } };
    }
  }

  /** A request with a presigned URL. */
  requestPresigned(
    method: 'GET' | 'PUT' | 'DELETE',
    url: string,
    body?: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<HttpResponse> {
    return this.world.callService(
      'http',
      () => `${method} ${url.split('?', 1)[0]}`,
      () => this.bucket.requestPresigned(method, url, body, headers),
    );
  }
}

const THROTTLED: ReadonlySet<string> = new Set([
  'ThrottlingException',
  'TooManyRequestsException',
  'SlowDown',
]);
/** As the SDK: what is throttled is asked twice more, after pauses that double. */
const patient =
  (send: SendCommand, sleep: (milliseconds: number) => Promise<void>): SendCommand =>
  async (...call) => {
    for (let tries = 1; ; tries++) {
      try {
        return await send(...call);
      } catch (error) {
        if (tries === 3 || !(error instanceof Error) || !THROTTLED.has(error.name)) throw error;
        await sleep(100 * 2 ** tries * Math.random());
      }
    }
  };

/** What a call was about, in a few words. */
function describe(input: Readonly<Record<string, unknown>>): string {
  const item = (input['Key'] ?? input['Item'] ?? {}) as Record<string, unknown> | string;
  if (typeof item === 'string') return item;
  const name = item['pk'] ?? input['name'] ?? input['IndexName'] ?? input['startedBy'] ?? '';
  const status = item['status'] === undefined ? '' : ` ${String(item['status'])} v${String(item['version'])}`;
  return `${String(name).slice(0, 60)}${status}`;
}
