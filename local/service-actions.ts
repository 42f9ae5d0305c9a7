import { isRecord } from './resource-properties.ts';
import type { OperationCounters } from './shared-types.ts';

/** An error answer of a service. The AWS SDK turns its code into the error's name. */
export class ServiceError extends Error {
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

/** Status and body of an answer in the AWS JSON protocols (1.0 and 1.1). */
export interface ServiceAnswer {
  readonly status: number;
  readonly body: unknown;
}

/**
 * One action of a service: takes the parsed request and returns the body of the answer, or throws a
 * `ServiceError`.
 */
export type ServiceAction = (request: Readonly<Record<string, unknown>>) => unknown;

/**
 * Runs the named action and counts it. Errors of the service become HTTP 400, any other error HTTP 500, as
 * the SDK expects.
 */
export async function runServiceAction(
  service: string,
  actions: Readonly<Record<string, ServiceAction>>,
  action: string,
  body: unknown,
  counters: OperationCounters,
): Promise<ServiceAnswer> {
  try {
    const run = Object.hasOwn(actions, action) ? actions[action] : undefined;
    if (!run) throw new ServiceError('UnknownOperationException', `The action ${action} is not served here.`);
    counters.add(service, action);
    return { status: 200, body: await run(isRecord(body) ? body : {}) };
  } catch (error) {
    if (error instanceof ServiceError) {
      return { status: 400, body: { __type: error.code, message: error.message, ...error.details } };
    }
    const message = error instanceof Error ? error.message : String(error);
    return { status: 500, body: { __type: 'InternalServerError', message } };
  }
}
