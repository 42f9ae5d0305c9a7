import type { ResolvedResource } from './shared-types.ts';

export type UnknownRecord = Record<string, unknown>;

export const isRecord = (value: unknown): value is UnknownRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Typed access to the properties of a resource. Each method throws an error that names the resource and the
 * property.
 */
export interface PropertyReader {
  /** Refuses all other properties: one that is not supported must not be ignored silently. */
  only(...names: string[]): void;
  has(name: string): boolean;
  text(name: string): string;
  text<T>(name: string, otherwise: T): string | T;
  number(name: string): number;
  number<T>(name: string, otherwise: T): number | T;
  flag(name: string, otherwise: boolean): boolean;
  list(name: string): readonly unknown[];
  record(name: string): PropertyReader;
  records(name: string): readonly PropertyReader[];
  readonly values: UnknownRecord;
  readonly where: string;
}

export function createPropertyReader(where: string, given: unknown): PropertyReader {
  if (!isRecord(given)) throw new Error(`${where}: an object is expected`);
  const values: UnknownRecord = given;
  const wrong = (name: string, expected: string): never => {
    throw new Error(`${where}: ${name} must be ${expected}, not ${JSON.stringify(values[name])}`);
  };
  function text<T>(name: string, ...otherwise: [] | [T]): string | T {
    const value = values[name];
    if (value === undefined && otherwise.length === 1) return otherwise[0];
    return typeof value === 'string' ? value : wrong(name, 'a string');
  }
  function number<T>(name: string, ...otherwise: [] | [T]): number | T {
    const value = values[name];
    if (value === undefined && otherwise.length === 1) return otherwise[0];
    // CloudFormation accepts numbers as strings.
    const parsed = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    return typeof parsed === 'number' && Number.isFinite(parsed) ? parsed : wrong(name, 'a number');
  }
  const list = (name: string): readonly unknown[] => {
    const value = values[name] ?? [];
    return Array.isArray(value) ? value : wrong(name, 'a list');
  };
  return {
    where,
    values,
    text,
    number,
    list,
    has: (name) => values[name] !== undefined,
    flag: (name, otherwise) => {
      const value = values[name] ?? otherwise;
      if (value === 'true' || value === 'false') return value === 'true';
      return typeof value === 'boolean' ? value : wrong(name, 'true or false');
    },
    record: (name) => createPropertyReader(`${where}.${name}`, values[name] ?? {}),
    records: (name) =>
      list(name).map((item, index) => createPropertyReader(`${where}.${name}[${index}]`, item)),
    only: (...names) => {
      const unknown = Object.keys(values).filter((name) => !names.includes(name));
      if (unknown.length > 0) {
        throw new Error(`${where}: the embedded stack does not support ${unknown.join(', ')}`);
      }
    },
  };
}

export const createResourcePropertyReader = (resource: ResolvedResource): PropertyReader =>
  createPropertyReader(`${resource.type} ${resource.logicalId}`, resource.properties);
