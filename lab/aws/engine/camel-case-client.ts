import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ECSClient } from '@aws-sdk/client-ecs';

/**
 * Task definitions that the emulator's CloudFormation made keep the template's capital letters in `secrets` and `linuxParameters`, and so
 * the SDK does not see what is in them. This writes the answers of a client as ECS writes them.
 */
export function withCamelCaseResponses(client: ECSClient): ECSClient {
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const { response } = result as { response: { body: Readable } };
      const body = JSON.stringify(small(JSON.parse(await text(response.body))));
      response.body = Readable.from([Buffer.from(body)]);
      return result;
    },
    { step: 'deserialize', priority: 'low' },
  );
  return client;
}

function small(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(small);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      `${key.slice(0, 1).toLowerCase()}${key.slice(1)}`,
      small(each),
    ]),
  );
}
