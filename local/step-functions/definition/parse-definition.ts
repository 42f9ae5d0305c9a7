import type * as z from 'zod';
import { isRecord } from '../../resource-properties.ts';

/** Parses a part of a definition. Throws an error that names the key at fault. */
export function parseDefinition<T extends z.ZodType>(schema: T, value: unknown): z.infer<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  if (!issue) throw new Error(parsed.error.message);
  const path = issue.path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`));
  const key = path.join('').replace(/^\./, '');
  if (issue.code === 'unrecognized_keys') {
    throw new Error(`${[key, issue.keys[0]].filter(Boolean).join('.')} is not supported`);
  }
  if (issue.code === 'invalid_union' && key === 'Type' && isRecord(value)) {
    throw new Error(`Type ${JSON.stringify(value['Type'])} is not supported`);
  }
  throw new Error(key ? `${key}: ${issue.message}` : issue.message);
}

/** Runs `work` and puts the place in front of the message of whatever it throws, innermost place first. */
export function withErrorLocation<T>(where: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new Error(`${where}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
