import { isRecord } from '../resource-properties.ts';

/** Resolves the references of intrinsic functions. Each method throws if the target does not exist. */
export interface ReferenceResolver {
  ref(name: string): unknown;
  getAtt(logicalId: string, attribute: string): unknown;
  condition(name: string): boolean;
  findInMap(map: string, first: string, second: string): unknown;
}

/** The value of `AWS::NoValue`: the property is omitted. */
const NO_VALUE = Symbol('AWS::NoValue');

const text = (value: unknown, where: string): string => {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new Error(`${where} needs a string, not ${JSON.stringify(value)}`);
};

const items = (value: unknown, where: string): readonly unknown[] => {
  if (Array.isArray(value)) return value;
  throw new Error(`${where} needs a list, not ${JSON.stringify(value)}`);
};

/**
 * Resolves the intrinsic functions in a value of a template. @throws Error that names an unsupported
 * function.
 */
export function resolveIntrinsics(value: unknown, references: ReferenceResolver): unknown {
  const result = evaluate(value, references);
  return result === NO_VALUE ? undefined : result;
}

function evaluate(value: unknown, references: ReferenceResolver): unknown {
  if (Array.isArray(value)) {
    return value.map((item) => evaluate(item, references)).filter((item) => item !== NO_VALUE);
  }
  if (!isRecord(value)) return value;
  const [key, ...more] = Object.keys(value);
  if (key !== undefined && more.length === 0 && (key === 'Ref' || key.startsWith('Fn::'))) {
    return intrinsic(key, value[key], references);
  }
  const entries = Object.entries(value).map(([name, item]) => [name, evaluate(item, references)] as const);
  return Object.fromEntries(entries.filter(([, item]) => item !== NO_VALUE));
}

function intrinsic(name: string, argument: unknown, references: ReferenceResolver): unknown {
  const inner = (item: unknown): unknown => evaluate(item, references);
  const list = (): readonly unknown[] => items(inner(argument), name);
  switch (name) {
    case 'Ref':
      return argument === 'AWS::NoValue' ? NO_VALUE : references.ref(text(argument, name));
    case 'Fn::GetAtt': {
      const path = typeof argument === 'string' ? argument.split('.') : items(argument, name);
      const [logicalId, ...attribute] = path.map((part) => text(part, name));
      return references.getAtt(logicalId ?? '', attribute.join('.'));
    }
    case 'Fn::Join': {
      const [separator, parts] = items(argument, name);
      const resolved = items(inner(parts), name).map((part) => text(part, name));
      return resolved.join(text(separator, name));
    }
    case 'Fn::Sub':
      return substitute(argument, references);
    case 'Fn::Select': {
      const [index, choices] = list();
      return items(choices, name)[Number(index)];
    }
    case 'Fn::Split': {
      const [separator, whole] = list();
      return text(whole, name).split(text(separator, name));
    }
    case 'Fn::If': {
      const [condition, yes, no] = items(argument, name);
      return inner(references.condition(text(condition, name)) ? yes : no);
    }
    case 'Fn::FindInMap': {
      const [map, first, second] = list().map((part) => text(part, name));
      return references.findInMap(map ?? '', first ?? '', second ?? '');
    }
    case 'Fn::GetAZs':
      return ['a', 'b', 'c'].map((zone) => `${text(references.ref('AWS::Region'), name)}${zone}`);
    case 'Fn::Base64':
      return Buffer.from(text(inner(argument), name)).toString('base64');
    default:
      throw new Error(`the embedded stack does not support the intrinsic function ${name}`);
  }
}

function substitute(argument: unknown, references: ReferenceResolver): string {
  const [template, own] = Array.isArray(argument) ? argument : [argument, {}];
  const variables = isRecord(own) ? own : {};
  return text(template, 'Fn::Sub').replaceAll(
    /\$\{(!?)([^}]+)\}/g,
    (_whole, literal: string, name: string) => {
      if (literal !== '') return `\${${name}}`;
      if (Object.hasOwn(variables, name)) return text(evaluate(variables[name], references), 'Fn::Sub');
      const [logicalId, ...attribute] = name.split('.');
      if (attribute.length === 0) return text(references.ref(name), 'Fn::Sub');
      return text(references.getAtt(logicalId ?? '', attribute.join('.')), 'Fn::Sub');
    },
  );
}

/** Evaluates the condition functions of the template's `Conditions`. */
export function evaluateCondition(condition: unknown, references: ReferenceResolver): boolean {
  if (!isRecord(condition)) throw new Error(`not a condition: ${JSON.stringify(condition)}`);
  const [name] = Object.keys(condition);
  const argument = condition[name ?? ''];
  switch (name) {
    case 'Condition':
      return references.condition(text(argument, 'Condition'));
    case 'Fn::Equals': {
      const [left, right] = items(resolveIntrinsics(argument, references), name);
      return JSON.stringify(left) === JSON.stringify(right);
    }
    case 'Fn::Not':
      return !items(argument, name).every((item) => evaluateCondition(item, references));
    case 'Fn::And':
      return items(argument, name).every((item) => evaluateCondition(item, references));
    case 'Fn::Or':
      return items(argument, name).some((item) => evaluateCondition(item, references));
    default:
      throw new Error(`the embedded stack does not support the condition function ${name}`);
  }
}
