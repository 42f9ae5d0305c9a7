import './environment.ts';
import type { SQSEvent } from 'aws-lambda';
import { PROBLEMS } from '../../shared/api/problem.ts';
import { ROUTES, type RouteName, routeKey } from '../../shared/api/routes.ts';
import { BOX_ENV, TABLE } from '../../shared/contract/names.ts';
import { deniedBy } from './engines/access.ts';
import { Bucket, type HttpResult } from './engines/bucket.ts';
import { type Send, useServices } from './engines/clients.ts';
import { type Box, Containers } from './engines/containers.ts';
import { Deliveries, type Delivery } from './engines/deliveries.ts';
import { Events } from './engines/events.ts';
import type { Item } from './engines/expression.ts';
import { Machines } from './engines/machines.ts';
import { Queue } from './engines/queues.ts';
import { type Limits, Quotas } from './engines/quotas.ts';
import { StreamReader } from './engines/stream.ts';
import { type Input, Table } from './engines/table.ts';
import { FUNCTIONS, type FunctionName } from './functions.ts';
import type { Service } from './world/faults.ts';
import { currentProcess, Process, runAsWorld } from './world/processes.ts';
import { drawn } from './world/random.ts';
import { OutsideError, type World } from './world/world.ts';

/** What refuses, in each service's own words: the control plane tells some of them apart. */
const REFUSALS: Partial<Record<Service, [string, string]>> = {
  dynamodb: ['ProvisionedThroughputExceededException', 'the request rate is too high'],
  s3: ['SlowDown', 'please reduce your request rate'],
  sqs: ['ThrottlingException', 'rate exceeded'],
  states: ['ThrottlingException', 'rate exceeded'],
  // Not one that it knows.
  ecs: ['ServerException', 'internal error'],
  lambda: ['TooManyRequestsException', 'Rate Exceeded.'],
  events: ['ThrottlingException', 'rate exceeded'],
};

export interface ApiRequest {
  readonly token: string;
  readonly id?: string;
  readonly role?: string;
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}
export interface ApiAnswer {
  readonly status: number;
  /** The document; of a refusal, the problem. */
  readonly body: Record<string, unknown>;
}

/** The deployment in one process: the real handlers, between simulated services. */
export class Cloud {
  readonly world: World;
  readonly table: Table;
  readonly bucket: Bucket;
  readonly events = new Events();
  readonly queues: ReadonlyMap<string, Queue>;
  readonly readers: readonly StreamReader[];
  readonly machines: Machines;
  readonly containers: Containers;
  readonly deliveries: Deliveries;
  /** Functions that are at work. */
  readonly #running = new Set<Process>();
  #invocations = 0;

  readonly #quotas: Quotas | null;
  /** Hears of each invocation before it begins. */
  onInvoke: (name: FunctionName, event: unknown) => void = () => {};

  constructor(
    world: World,
    program: (box: Box) => Promise<void>,
    delivers: (delivery: Delivery) => Promise<void>,
    limits: Limits | null = null,
  ) {
    this.world = world;
    this.#quotas =
      limits &&
      new Quotas(
        limits,
        () => world.clock.now,
        (key) => this.table.run('GetCommand', { Key: key })['Item'] as Item | undefined,
      );
    const { clock, weather } = world;
    let reads = 0;
    this.table = new Table(
      () => clock.now,
      () => (world.isCalm ? 0 : Math.floor(drawn(`${weather.seed}/lag/${reads++}`) * weather.indexLag)),
    );
    this.bucket = new Bucket(world);
    this.machines = new Machines({
      invoke: (name, payload) => this.invoke(name as FunctionName, payload),
      send: (url, body) =>
        world.outside(
          'sqs',
          () => `send ${body.slice(0, 120)}`,
          () => this.#queue(url).send(body),
        ),
      world,
    });
    this.queues = new Map(
      ['agents1', 'agents2', 'agents3', 'gates'].map((name) => [
        name,
        new Queue(world, name, (event: SQSEvent) => this.invoke('dispatch', event) as never),
      ]),
    );
    const isOf =
      (...kinds: readonly string[]) =>
      (write: { key: Readonly<Record<string, unknown>> }): boolean =>
        kinds.includes(String(write.key[TABLE.sk]));
    this.readers = [
      // Of a busy table some four shards, and ten batches of each at a time.
      {
        name: 'conductor' as const,
        wants: isOf(TABLE.taskSk, TABLE.requestSk),
        batchSize: 10,
        windowMs: 0,
        ...(limits && { lanes: 40 }),
      },
      { name: 'ledger' as const, wants: isOf(TABLE.taskSk), batchSize: 500, windowMs: 30_000 },
    ].map(
      (reader) =>
        new StreamReader(world, {
          ...reader,
          invoke: (Records) => this.invoke(reader.name, { Records }) as never,
        }),
    );
    this.containers = new Containers(
      world,
      { box: BOX_ENV.box, url: BOX_ENV.assignmentUrl },
      program,
      (event) => {
        void world
          .outside(
            'lambda',
            () => 'the event of a stopped box',
            () => this.invoke('reconcile', event),
          )
          .catch(() => {});
      },
    );
    this.deliveries = new Deliveries(world, delivers, (event) => {
      void world
        .outside(
          'lambda',
          () => 'the event of a delivery that failed',
          () => this.invoke('reconcile', event),
        )
        .catch(() => {});
    });
    const send: Send = (service, operation, input) => {
      if (service === 'dynamodb') this.#holdToRole(operation, input as Input);
      return world.outside(
        service,
        () => `${operation} ${describe(input)}`,
        () => {
          const serve = () => this.#serve(service, operation, input);
          return this.#quotas ? this.#quotas.call(service, operation, input, serve) : serve();
        },
        () => new OutsideError(...(REFUSALS[service] ?? ['TimeoutError', 'no answer'])),
      );
    };
    useServices(this.#quotas ? patient(send, (milliseconds) => world.clock.sleep(milliseconds)) : send);
  }

  get quotas(): Quotas {
    if (!this.#quotas) throw new Error('this cloud has no quotas');
    return this.#quotas;
  }

  #queue(url: string): Queue {
    const queue = this.queues.get(url.split('/').at(-1) ?? '');
    if (!queue) throw new Error(`there is no queue ${url}`);
    return queue;
  }

  /** A call that the function's role would be refused on AWS. What is no function's call is nobody's that has a role. */
  #holdToRole(operation: string, input: Input): void {
    const caller = currentProcess()?.name.split(' #')[0] ?? '';
    const denied = Object.hasOwn(FUNCTIONS, caller)
      ? deniedBy(caller as FunctionName, operation, input)
      : null;
    if (denied !== null) this.world.violate('functions do what their roles allow', denied);
  }

  #serve(service: Service, operation: string, input: Readonly<Record<string, unknown>>): unknown {
    return runAsWorld(() => {
      if (service === 'dynamodb') return this.table.run(operation, input as Input);
      if (service === 's3') return this.bucket.run(operation, input);
      if (service === 'ecs') return this.containers.run(operation, input);
      if (service === 'lambda') return this.deliveries.run(operation, input);
      if (service === 'states') return this.machines.run(operation, input);
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
  async invoke(name: FunctionName, event: unknown): Promise<unknown> {
    const { handler, seconds } = FUNCTIONS[name];
    this.onInvoke(name, event);
    const end = this.#quotas?.begin();
    const process = new Process(`${name} #${++this.#invocations}`);
    this.#running.add(process);
    const context = {
      awsRequestId: process.name,
      functionName: name,
      getRemainingTimeInMillis: () => seconds * 1_000,
    };
    try {
      return await this.world.run(process, seconds, () => handler(event, context));
    } finally {
      end?.();
      process.end();
      this.#running.delete(process);
    }
  }

  /** The machine that runs everything goes down and comes up again: what is written stays, what runs is gone. */
  powerCut(): void {
    this.world.tell(() => 'POWER CUT: all functions, boxes and executions are gone');
    for (const process of [...this.#running]) process.kill('power cut');
    for (const { isRunning, process } of [...this.containers.boxes, ...this.deliveries.invocations])
      if (isRunning) process.kill('power cut');
    this.machines.forget();
  }

  get isIdle(): boolean {
    return (
      this.#running.size === 0 &&
      this.readers.every((each) => each.isIdle) &&
      [...this.containers.boxes, ...this.deliveries.invocations].every(({ isRunning }) => !isRunning)
    );
  }

  /** One request over HTTP: authorizer, then the route's function. Rejects when no answer comes. */
  api(name: RouteName, request: ApiRequest): Promise<ApiAnswer> {
    return this.world.outside(
      'http',
      () => `${name} ${request.id ?? request.role ?? ''}`,
      () => {
        this.#quotas?.request();
        return runAsWorld(() => this.#answer(name, request));
      },
    );
  }

  async #answer(name: RouteName, request: ApiRequest): Promise<ApiAnswer> {
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
      return { status: 503, body: { title: PROBLEMS.internal.title } };
    }
  }

  /** A request with a presigned URL. */
  presigned(
    method: 'GET' | 'PUT' | 'DELETE',
    url: string,
    body?: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<HttpResult> {
    return this.world.outside(
      'http',
      () => `${method} ${url.split('?', 1)[0]}`,
      () => this.bucket.presigned(method, url, body, headers),
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
  (send: Send, sleep: (milliseconds: number) => Promise<void>): Send =>
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
