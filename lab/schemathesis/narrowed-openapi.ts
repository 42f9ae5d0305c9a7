import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const DOCUMENT = join(import.meta.dirname, '../../docs/openapi.json');

type Json = Record<string, unknown>;
interface Document extends Json {
  readonly components: { readonly schemas: { readonly SubmitTask: SubmitTask } };
}
interface SubmitTask {
  readonly properties: Json;
  readonly required: string[];
}

/**
 * The published document, with what is sent in it narrowed so that tasks are accepted and stay where they are: their repository is one
 * of this machine, nothing of theirs is run, and no host of the network is asked. Answers are as they are published.
 */
export function narrowOpenApi(repository: string): string {
  const document = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as Document;
  const { properties, required } = document.components.schemas.SubmitTask;
  properties['repository'] = { type: 'string', enum: [repository] };
  properties['runner'] = { type: 'string', enum: ['external'] };
  properties['base_ref'] = { type: 'string', enum: ['main'] };
  delete properties['adapter'];
  required.push('runner');
  // The examples name a repository, too.
  return JSON.stringify(document, (key, value: unknown) =>
    key === 'repository' && typeof value === 'string' ? repository : value,
  );
}
