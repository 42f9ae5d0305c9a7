import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const PAGES = ['README.md', 'CONTRIBUTING.md', ...globSync('docs/**/*.md', { cwd: ROOT })];
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
/** What programs are made of, and the schemas that are generated from them. */
const SOURCE = [
  ...globSync('{cli,containers,functions,gates,infra,lab,local,page,shared,workspace}/**/*.{ts,tsx,sql}', {
    cwd: ROOT,
  }),
  ...globSync('docs/*.json', { cwd: ROOT }),
]
  .map(read)
  .join('\n');

const codeOf = (text: string): string[] => {
  const blocks = [...text.matchAll(/^ *```\w*\n(.*?)^ *```/gms)].map(([, block = '']) => block);
  const prose = text.replace(/^ *```.*?^ *```/gms, '');
  return [...blocks, ...[...prose.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span)];
};

type Json = { readonly [name: string]: unknown };
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Names of the fields inside of each field of the schemas, whichever object has it. */
function nestedFields(): ReadonlyMap<string, ReadonlySet<string>> {
  const nested = new Map<string, Set<string>>();
  for (const file of ['openapi.json', 'assay.schema.json', 'events.schema.json']) {
    const document = JSON.parse(read(`docs/${file}`)) as Json;
    const at = (ref: string): unknown =>
      ref
        .slice(2)
        .split('/')
        .reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), document);
    const propertiesOf = (schema: unknown, seen: readonly string[] = []): string[] => {
      if (Array.isArray(schema)) return schema.flatMap((each) => propertiesOf(each, seen));
      if (!isObject(schema)) return [];
      const { $ref, properties, anyOf, oneOf, allOf, items } = schema;
      const target =
        typeof $ref === 'string' && !seen.includes($ref) ? propertiesOf(at($ref), [...seen, $ref]) : [];
      return [
        ...target,
        ...(isObject(properties) ? Object.keys(properties) : []),
        ...[anyOf, oneOf, allOf, items].flatMap((each) => propertiesOf(each, seen)),
      ];
    };
    const visit = (value: unknown): void => {
      if (Array.isArray(value)) value.forEach(visit);
      if (!isObject(value)) return;
      if (isObject(value['properties']))
        for (const [name, schema] of Object.entries(value['properties']))
          nested.set(name, new Set([...(nested.get(name) ?? []), ...propertiesOf(schema)]));
      Object.values(value).forEach(visit);
    };
    visit(document);
  }
  return nested;
}

/** `a.b[].c` and `a: {b, c}` as pairs of a field and a field of it. */
function fieldPairsOf(span: string): [string, string][] {
  const [, before, names] = /^([a-z_]+): \{([a-z_, ]+)\}$/.exec(span) ?? [];
  if (before !== undefined && names !== undefined) return names.split(', ').map((name) => [before, name]);
  if (!/^[a-z_]+(\[\])?(\.[a-z_]+(\[\])?)+$/.test(span)) return [];
  const path = span.replaceAll('[]', '').split('.');
  return path.slice(1).map((name, index) => [path[index] ?? '', name]);
}

/** Of the kernel, of a model's provider, of traces, and of EventBridge. */
const FOREIGN_PATHS = ['cgroup.kill', 'stream_options.include_usage', 'error.type', 'detail.task_id'];

test('paths of fields that a page names lead to fields of the schemas', () => {
  const nested = nestedFields();
  const wrong = PAGES.flatMap((page) =>
    codeOf(read(page))
      .filter((span) => fieldPairsOf(span).some(([field, inner]) => !nested.get(field)?.has(inner)))
      .filter((span) => !SOURCE.includes(span) && !FOREIGN_PATHS.includes(span) && !/\.(py|pem)$/.test(span))
      .map((span) => `${page}: ${span}`),
  );
  expect(wrong).toEqual([]);
});

/** Of providers' APIs and other software; of examples; claims of GitHub's tokens; the last ones are put together where they are used. */
const OTHER_NAMES = [
  ...['behavior_tagger', 'google_search', 'item_reference', 'num_ctx', 'system_instruction'],
  ...['no_fixme', 'test_7', 'test_8'],
  ...['repository_owner', 'repository_id', 'server_url'],
  ...['advice_change_not_demonstrated', 'advice_protected_files_not_executed'],
];

test('names with an underscore that a page has as code are in the sources', () => {
  const names = new Set(SOURCE.match(/\w+/g));
  const unknown = PAGES.flatMap((page) =>
    codeOf(read(page))
      .flatMap((code) => [...code.matchAll(/(?<![\w-])[a-z]+(?:_[a-z0-9]+)+(?!\w)/g)].map(([name]) => name))
      .filter((name) => !names.has(name) && !OTHER_NAMES.includes(name))
      .map((name) => `${page}: ${name}`),
  );
  expect(unknown).toEqual([]);
});
