import * as z from 'zod';
import type { UnknownRecord } from '../resource-properties.ts';
import { ServiceError } from '../service-actions.ts';
import type { TaskDefinition } from './task-definitions.ts';

/** Largest `overrides` in bytes (ECS API reference, TaskOverride). */
const MAX_OVERRIDES_BYTES = 8_192;

const pair = z.object({ name: z.string(), value: z.string() });

/** The supported parameters of RunTask. Others are accepted and have no effect on this machine. */
const runTaskRequest = z.looseObject({
  clientToken: z.string().max(64).optional(),
  count: z.literal(1, { error: 'must be 1 in the embedded stack' }).optional(),
  startedBy: z.string().max(36).optional(),
  group: z.string().optional(),
  launchType: z.string().optional(),
  capacityProviderStrategy: z.array(z.looseObject({ capacityProvider: z.string() })).optional(),
  tags: z.array(z.looseObject({ key: z.string() })).default([]),
  overrides: z
    .looseObject({
      containerOverrides: z
        .array(
          z.looseObject({
            name: z.string(),
            command: z.array(z.string()).optional(),
            environment: z.array(pair).optional(),
            environmentFiles: z.undefined({ error: 'is not known to the embedded stack' }).optional(),
          }),
        )
        .default([]),
    })
    .default({ containerOverrides: [] }),
});
export type RunTaskRequest = z.infer<typeof runTaskRequest>;

/** Parses and checks a RunTask request. @throws ServiceError as ECS does. */
export function parseRunTaskRequest(request: UnknownRecord, definition: TaskDefinition): RunTaskRequest {
  const parsed = runTaskRequest.safeParse(request);
  if (!parsed.success) throw invalid(z.prettifyError(parsed.error));
  if (Buffer.byteLength(JSON.stringify(request['overrides'] ?? {})) > MAX_OVERRIDES_BYTES) {
    throw invalid(`Container Overrides length must be at most ${MAX_OVERRIDES_BYTES}`);
  }
  if (parsed.data.launchType !== undefined && parsed.data.capacityProviderStrategy !== undefined)
    throw invalid(
      'Specifying both a launch type and capacity provider strategy is not supported. Remove one and try again.',
    );
  const { name } = definition.container;
  const unknown = parsed.data.overrides.containerOverrides.find((override) => override.name !== name);
  if (unknown) {
    throw invalid(`Override for container named ${unknown.name} is not a container in the TaskDefinition.`);
  }
  return parsed.data;
}

/**
 * Returns command and environment of the container: those of its definition, with the overrides of the
 * request.
 */
export function applyContainerOverrides({ container }: TaskDefinition, { overrides }: RunTaskRequest) {
  const environment = new Map(container.environment);
  let command = container.command;
  for (const override of overrides.containerOverrides) {
    command = override.command ?? command;
    for (const { name, value } of override.environment ?? []) environment.set(name, value);
  }
  return { command, environment: Object.fromEntries(environment) };
}

function invalid(message: string): ServiceError {
  return new ServiceError('InvalidParameterException', message);
}
