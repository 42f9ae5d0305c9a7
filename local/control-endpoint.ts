import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { updateInjectedFaults } from './fault-injection.ts';
import { readBody, sendJson } from './http/listen.ts';
import type { InjectedFaults, OperationCounters } from './shared-types.ts';

interface Served {
  readonly status: number;
  readonly body: unknown;
}
type Handle = (action: string, body: unknown) => Promise<Served>;

export interface ControlPlaneHandlerOptions {
  readonly counters: OperationCounters;
  readonly faults: InjectedFaults;
  readonly states: { handle: Handle; executions(): unknown };
  readonly ecs: { handle: Handle };
  readonly events: { handle: Handle; history(): unknown };
  /** Serves a request that invokes a function. Resolves to false for any other request. */
  invoke(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
  alarms(): unknown;
  fireSchedules(more: Readonly<Record<string, unknown>>): Promise<void>;
  /** Resolves to false if the streams were not empty in time. */
  drain(): Promise<boolean>;
}

const ok = (body: unknown = {}): Served => ({ status: 200, body });

/**
 * Creates the endpoint of Step Functions, ECS and EventBridge, and of `/_assay/…`: counters, fault injection
 * and state of the stack.
 */
export function createControlPlaneHandler(options: ControlPlaneHandlerOptions): RequestListener {
  const { counters, faults, states, ecs, events } = options;
  const services: Readonly<Record<string, Handle>> = {
    AWSStepFunctions: (action, body) => states.handle(action, body),
    AmazonEC2ContainerServiceV20141113: (action, body) => ecs.handle(action, body),
    AWSEvents: (action, body) => events.handle(action, body),
  };
  const routes: Readonly<Record<string, (body: unknown) => Served | Promise<Served>>> = {
    'GET /_assay/counters': () => ok(counters.snapshot()),
    'POST /_assay/counters/reset': () => {
      counters.reset();
      return ok();
    },
    'POST /_assay/faults': (body) => {
      try {
        updateInjectedFaults(faults, body);
        return ok({ ...faults });
      } catch (error) {
        return { status: 400, body: { message: error instanceof Error ? error.message : String(error) } };
      }
    },
    'POST /_assay/schedules/fire': async (body) => {
      await options.fireSchedules(typeof body === 'object' && body !== null ? { ...body } : {});
      return ok();
    },
    'GET /_assay/alarms': () => ok(options.alarms()),
    'GET /_assay/events': () => ok(events.history()),
    'POST /_assay/drain': async () =>
      (await options.drain())
        ? ok({ drained: true })
        : { status: 504, body: { message: 'the streams did not come to rest' } },
    'GET /_assay/executions': () => ok(states.executions()),
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<Served | null> {
    if (await options.invoke(request, response)) return null;
    const text = (await readBody(request))?.toString('utf8') ?? '';
    const body: unknown = text === '' ? {} : JSON.parse(text);
    const target = String(request.headers['x-amz-target'] ?? '').split('.');
    const [service = '', action = ''] = target;
    if (service !== '') {
      const handle = services[service];
      if (handle !== undefined) return handle(action, body);
      return { status: 400, body: { __type: 'UnknownOperationException', message: `no service ${service}` } };
    }
    const route = routes[`${request.method} ${request.url}`];
    return route === undefined ? { status: 404, body: { message: 'Not Found' } } : route(body);
  }

  return (request, response) => {
    serve(request, response).then(
      (served) => served && send(request, response, served.status, served.body),
      (error: unknown) =>
        send(request, response, error instanceof SyntaxError ? 400 : 500, { message: String(error) }),
    );
  };
}

/** Answers SDK clients with the content type that they sent. */
function send(request: IncomingMessage, response: ServerResponse, status: number, body: unknown): void {
  const type = request.headers['content-type'] ?? '';
  sendJson(response, status, body, type.startsWith('application/x-amz-json') ? type : 'application/json');
}
