import * as z from 'zod';

/**
 * The part of the Amazon States Language that the interpreter runs: JSONata only. Each object is strict, so
 * that a key which would change the meaning of a definition is refused instead of ignored. Sources:
 * states-language.net/spec.html and the Step Functions developer guide.
 */
const expression = z.string().regex(/^\{%[\s\S]*%\}$/, 'must be a JSONata expression in {% %}');
const template = z.unknown();
const seconds = (least: number) => z.union([z.int().min(least), expression]);
const assign = z.record(z.string().regex(/^[\p{ID_Start}][\p{ID_Continue}]{0,79}$/u), template);
const name = z.string().min(1).max(80);

const retrier = z.strictObject({
  ErrorEquals: z.array(z.string()).min(1),
  IntervalSeconds: z.int().min(1).default(1),
  MaxAttempts: z.int().min(0).default(3),
  BackoffRate: z.number().min(1).default(2),
  MaxDelaySeconds: z.int().min(1).optional(),
  JitterStrategy: z.enum(['FULL', 'NONE']).default('NONE'),
  Comment: z.string().optional(),
});
export type Retrier = z.infer<typeof retrier>;

const catcher = z.strictObject({
  ErrorEquals: z.array(z.string()).min(1),
  Next: name,
  Output: template.optional(),
  Assign: assign.optional(),
  Comment: z.string().optional(),
});

const common = { Comment: z.string().optional(), QueryLanguage: z.literal('JSONata').optional() };
const result = { Output: template.optional(), Assign: assign.optional() };
const transition = { Next: name.optional(), End: z.literal(true).optional() };
const handlers = { Retry: z.array(retrier).optional(), Catch: z.array(catcher).optional() };

const task = z.strictObject({
  Type: z.literal('Task'),
  ...common,
  ...result,
  ...transition,
  ...handlers,
  Resource: z.string(),
  Arguments: template.optional(),
  TimeoutSeconds: seconds(1).optional(),
});

const choice = z.strictObject({
  Type: z.literal('Choice'),
  ...common,
  ...result,
  Choices: z
    .array(
      z.strictObject({
        Condition: z.union([z.boolean(), expression]),
        Next: name,
        ...result,
        Comment: z.string().optional(),
      }),
    )
    .min(1),
  Default: name.optional(),
});

const wait = z
  .strictObject({
    Type: z.literal('Wait'),
    ...common,
    ...result,
    ...transition,
    Seconds: seconds(0).optional(),
    Timestamp: z.string().optional(),
  })
  .refine((state) => (state.Seconds === undefined) !== (state.Timestamp === undefined), {
    error: 'needs exactly one of Seconds and Timestamp',
  });

const parallel = z.strictObject({
  Type: z.literal('Parallel'),
  ...common,
  ...result,
  ...transition,
  ...handlers,
  Arguments: template.optional(),
  Branches: z.array(z.unknown()).min(1),
});

const map = z.strictObject({
  Type: z.literal('Map'),
  ...common,
  ...result,
  ...transition,
  ...handlers,
  Items: z.union([z.array(template), expression]).optional(),
  ItemSelector: template.optional(),
  ItemProcessor: z
    .object({ ProcessorConfig: z.strictObject({ Mode: z.literal('INLINE') }).optional() })
    .loose(),
  MaxConcurrency: seconds(0).optional(),
});

/** A state of a definition. Branches and item processors are parsed separately. */
export const stateSchema = z.discriminatedUnion('Type', [
  task,
  choice,
  wait,
  parallel,
  map,
  z.strictObject({ Type: z.literal('Pass'), ...common, ...result, ...transition }),
  z.strictObject({ Type: z.literal('Succeed'), ...common, Output: template.optional() }),
  z.strictObject({
    Type: z.literal('Fail'),
    ...common,
    Error: z.string().optional(),
    Cause: z.string().optional(),
  }),
]);
export type StateDefinition = z.infer<typeof stateSchema>;

const flow = { Comment: z.string().optional(), StartAt: name, States: z.record(name, z.unknown()) };

/** A branch of a Parallel state, or the processor of a Map state. */
export const flowSchema = z.strictObject(flow);
export type FlowDefinition = z.infer<typeof flowSchema>;

/** A whole definition. */
export const machineSchema = z.strictObject({
  ...flow,
  QueryLanguage: z.literal('JSONata', { error: 'must be "JSONata": JSONPath is not interpreted' }),
  Version: z.literal('1.0').optional(),
  TimeoutSeconds: z.int().min(1).optional(),
});
