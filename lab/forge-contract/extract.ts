import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** Requests that the product makes to GitHub; a test fails for any other. */
const OPERATIONS: readonly (readonly [method: string, path: string])[] = [
  ['get', '/user'],
  ['get', '/repos/{owner}/{repo}/pulls'],
  ['post', '/repos/{owner}/{repo}/pulls'],
  ['get', '/repos/{owner}/{repo}/pulls/{pull_number}'],
  ['get', '/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/comments'],
  ['get', '/repos/{owner}/{repo}/commits/{ref}/check-runs'],
  ['post', '/repos/{owner}/{repo}/check-runs'],
  ['patch', '/repos/{owner}/{repo}/check-runs/{check_run_id}'],
  ['get', '/repos/{owner}/{repo}/issues/{issue_number}'],
  ['get', '/repos/{owner}/{repo}/issues/{issue_number}/comments'],
  ['post', '/repos/{owner}/{repo}/issues/{issue_number}/comments'],
  ['patch', '/repos/{owner}/{repo}/issues/comments/{comment_id}'],
  ['delete', '/repos/{owner}/{repo}/issues/comments/{comment_id}'],
  ['get', '/repos/{owner}/{repo}/issues/{issue_number}/labels'],
  ['post', '/repos/{owner}/{repo}/issues/{issue_number}/labels'],
  ['delete', '/repos/{owner}/{repo}/issues/{issue_number}/labels/{name}'],
  ['get', '/repos/{owner}/{repo}/collaborators/{username}/permission'],
  ['post', '/app/installations/{installation_id}/access_tokens'],
];

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** Keys of schemas that say nothing about which values are valid. */
const ANNOTATIONS = new Set(['description', 'example', 'examples', 'title', 'externalDocs', 'deprecated']);
/** Levels of an answer that are kept: the product reads no deeper. */
const RESPONSE_DEPTH = 3;

/** Copies a schema with its references resolved; objects below `depth` become any value. */
function copySchema(root: Json, schema: unknown, depth: number): unknown {
  if (Array.isArray(schema)) return schema.map((each) => copySchema(root, each, depth));
  if (!isObject(schema)) return schema;
  const { $ref: ref } = schema;
  if (typeof ref === 'string') {
    const target = ref
      .slice(2)
      .split('/')
      .reduce<unknown>((at, part) => (isObject(at) ? at[part.replace('~1', '/')] : undefined), root);
    return copySchema(root, target, depth);
  }
  if (depth === 0 && (schema['properties'] || schema['allOf'] || schema['anyOf'] || schema['oneOf']))
    return {};
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
      // `properties` holds names, which may be those of annotations.
      if (key === 'properties' && isObject(value))
        return [
          [
            key,
            Object.fromEntries(
              Object.entries(value).map(([name, each]) => [name, copySchema(root, each, depth - 1)]),
            ),
          ],
        ];
      return ANNOTATIONS.has(key) || key.startsWith('x-') ? [] : [[key, copySchema(root, value, depth)]];
    }),
  );
}

const jsonSchemaOf = (root: Json, holder: unknown, depth: number): unknown => {
  const resolved = copySchema(root, holder, 99) as { content?: Json } | undefined;
  const content = resolved?.content?.['application/json'] as { schema?: unknown } | undefined;
  return content?.schema === undefined ? null : copySchema(root, content.schema, depth);
};

/** Returns what is needed of an OpenAPI description to validate the product's requests. */
export function extractOperations(description: Json): Json[] {
  const paths = description['paths'] as Record<string, Record<string, Json>>;
  return OPERATIONS.map(([method, path]) => {
    const operation = paths[path]?.[method];
    if (!operation) throw new Error(`the description has no ${method} ${path}`);
    const parameters = (operation['parameters'] ?? []) as unknown[];
    return {
      method: method.toUpperCase(),
      path,
      query: parameters
        .map((each) => copySchema(description, each, 99) as { in: string; name: string; schema: unknown })
        .filter((each) => each.in === 'query')
        .map(({ name, schema }) => ({ name, schema })),
      body: jsonSchemaOf(description, operation['requestBody'], 99),
      responses: Object.fromEntries(
        Object.entries(operation['responses'] as Json).map(([status, each]) => [
          status,
          jsonSchemaOf(description, each, RESPONSE_DEPTH),
        ]),
      ),
    };
  });
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { package: { type: 'string' }, out: { type: 'string' } } });
  const folder = resolve(values.package ?? 'node_modules/@octokit/openapi');
  const read = (file: string): Json => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Json;
  const { version } = read('package.json');
  const operations = extractOperations(read('generated/api.github.com.json'));
  const out = values.out ?? join(import.meta.dirname, '../../test/support/forge/github-openapi.json');
  writeFileSync(out, `${JSON.stringify({ source: `@octokit/openapi ${version}`, operations })}\n`);
  console.log(`${operations.length} operations of @octokit/openapi ${version} in ${out}`);
}
