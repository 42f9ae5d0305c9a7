import { isRecord, type PropertyReader } from '../resource-properties.ts';

/** `$.detail.summary`: names, one below the other. */
const PATH = /^\$(?:\.[\w-]+)+$/;

const at = (event: unknown, path: string): unknown =>
  path
    .split('.')
    .slice(1)
    .reduce((value, key) => (isRecord(value) ? value[key] : undefined), event);

/**
 * Compiles an input transformer whose template is one string: variables in it are replaced by the values at
 * their paths. @throws Error that names an unsupported path or template.
 */
export function compileInputTransformer(transformer: PropertyReader): (event: unknown) => string {
  transformer.only('InputPathsMap', 'InputTemplate');
  const paths = Object.entries(transformer.record('InputPathsMap').values).map(([name, path]) => {
    if (typeof path !== 'string' || !PATH.test(path))
      throw new Error(`${transformer.where}: the path ${JSON.stringify(path)} is not supported`);
    return [name, path] as const;
  });
  const template: unknown = JSON.parse(transformer.text('InputTemplate'));
  if (typeof template !== 'string')
    throw new Error(`${transformer.where}: only a template that is one text is supported`);
  return (event) =>
    paths.reduce((text, [name, path]) => {
      const value = at(event, path);
      const shown = typeof value === 'string' ? value : JSON.stringify(value ?? null);
      return text.replaceAll(`<${name}>`, () => shown);
    }, template);
}
