import type { InvokeResult } from '../../../local/shared-types.ts';
import { createExecutions } from '../../../local/step-functions/executions.ts';
import { createStepFunctions, type StepFunctions } from '../../../local/step-functions/index.ts';
import { createSqsSender } from '../../../local/step-functions/integrations/sqs.ts';
import { deployMachines } from '../../../local/step-functions/machines.ts';
import { CREDENTIALS } from '../support/resources.ts';

const place = { region: 'us-east-1', accountId: '000000000000' };

type Behaviour = (payload: unknown, call: number) => unknown;

/** Makes a function of the stand-in host fail with this error. */
export class FunctionError extends Error {
  readonly errorType: string;
  constructor(errorType: string, message = 'on purpose') {
    super(message);
    this.errorType = errorType;
  }
}

interface Called {
  readonly name: string;
  readonly payload: unknown;
}

/** A Lambda host made of plain functions. */
const invoker =
  (functions: Readonly<Record<string, Behaviour>>, calls: Called[] = []) =>
  async (name: string, payload: unknown): Promise<InvokeResult> => {
    calls.push({ name, payload });
    const behaviour = functions[name];
    if (!behaviour) throw new Error(`there is no function ${name}`);
    try {
      return { payload: await behaviour(payload, calls.length) };
    } catch (error) {
      const errorType = error instanceof FunctionError ? error.errorType : 'Error';
      return { payload: null, error: { errorType, errorMessage: String(error) } };
    }
  };

/** Step Functions with one machine `M` (or several), a Lambda host made of plain functions, and counters. */
export function deploy(
  definition: object,
  options: {
    readonly type?: string;
    readonly functions?: Readonly<Record<string, Behaviour>>;
    readonly others?: Readonly<Record<string, { readonly type: string; readonly definition: object }>>;
    readonly sqsEndpoint?: string;
  } = {},
) {
  const counts: Record<string, number> = {};
  const calls: Called[] = [];
  const machines = { M: { type: options.type ?? 'EXPRESS', definition }, ...options.others };
  const invoke = invoker(options.functions ?? {}, calls);
  const told: string[] = [];
  const states = createStepFunctions({
    credentials: CREDENTIALS,
    ...place,
    onLog: (line) => void told.push(line),
    resources: Object.entries(machines).map(([name, machine]) => stateMachine(name, machine)),
    lambda: { invoke },
    sqsEndpoint: options.sqsEndpoint ?? 'http://127.0.0.1:1',
    counters: {
      add: (service, operation, amount = 1) => {
        const key = `${service}.${operation}`;
        counts[key] = (counts[key] ?? 0) + amount;
      },
      snapshot: () => ({}),
      reset: () => {},
    },
  });
  return { states, counts, calls, told };
}

function stateMachine(name: string, { type, definition }: { type: string; definition: object }) {
  const text = JSON.stringify({ QueryLanguage: 'JSONata', ...definition });
  return {
    logicalId: name,
    type: 'AWS::StepFunctions::StateMachine',
    properties: { StateMachineName: name, StateMachineType: type, DefinitionString: text },
    metadata: {},
  };
}

export const machineArn = (name = 'M') => `arn:aws:states:us-east-1:000000000000:stateMachine:${name}`;

/** Calls an action and returns the body of its answer, whatever its status. */
export async function call(
  states: StepFunctions,
  action: string,
  body: object,
): Promise<Record<string, unknown>> {
  const answer = await states.handle(action, body);
  return { ...(answer.body as object) };
}

/** Runs a machine to its end: its status, and its output or its error. */
export async function run(
  definition: object,
  input: unknown = {},
  functions: Readonly<Record<string, Behaviour>> = {},
  sqsEndpoint = 'http://127.0.0.1:1',
) {
  const sqs = createSqsSender(sqsEndpoint, place.region, CREDENTIALS);
  const executions = createExecutions({
    machines: deployMachines([stateMachine('M', { type: 'EXPRESS', definition })], place),
    counters: { add: () => {}, snapshot: () => ({}), reset: () => {} },
    services: { lambda: { invoke: invoker(functions) }, sendMessage: sqs.send },
  });
  try {
    const execution = executions.start({ stateMachineArn: machineArn(), input: JSON.stringify(input) });
    await execution.ended;
    const { status, output, error, cause } = execution;
    return { status, output, error, cause };
  } finally {
    await executions.stop();
    sqs.close();
  }
}

/** A definition whose first state is `first`; the others are named as given. */
export function flow(first: object, others: Readonly<Record<string, object>> = {}) {
  return { StartAt: 'First', States: { First: first, ...others } };
}

/** A Task that invokes function `f` through the optimised integration. */
export const invoke = (more: object = {}) => ({
  Type: 'Task',
  Resource: 'arn:aws:states:::lambda:invoke',
  Arguments: { FunctionName: 'f', Payload: '{% $states.input %}' },
  Output: '{% $states.result.Payload %}',
  End: true,
  ...more,
});
