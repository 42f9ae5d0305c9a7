import jsonata from 'jsonata';
import { isRecord } from '../../resource-properties.ts';
import { StateError } from './errors.ts';
import { registerJsonataFunctions } from './functions.ts';

/** Variables of an expression: `states` as `$states`, and every assigned variable. */
export type ExpressionBindings = Readonly<Record<string, unknown>>;

/** A JSON value of a definition, with its expressions compiled. Throws `States.QueryEvaluationError`. */
export type CompiledExpressionTemplate = (bindings: ExpressionBindings) => Promise<unknown>;

const EXPRESSION = /^\{%([\s\S]*)%\}$/;

/**
 * Compiles a value of a definition; `field` names it in errors. Throws an ordinary error on a syntax error.
 */
export function compileExpressionTemplate(value: unknown, field: string): CompiledExpressionTemplate {
  if (typeof value === 'string') {
    const source = EXPRESSION.exec(value)?.[1];
    return source === undefined ? async () => value : compileExpression(source.trim(), field);
  }
  if (Array.isArray(value) && hasExpression(value)) {
    const items = value.map((item, index) => compileExpressionTemplate(item, `${field}[${index}]`));
    return (bindings) => Promise.all(items.map((item) => item(bindings)));
  }
  if (isRecord(value) && hasExpression(value)) {
    const entries = Object.entries(value).map(
      ([key, item]) => [key, compileExpressionTemplate(item, `${field}.${key}`)] as const,
    );
    return async (bindings) => {
      const made: Record<string, unknown> = {};
      for (const [key, item] of entries) made[key] = await item(bindings);
      return made;
    };
  }
  return async () => value;
}

function hasExpression(value: unknown): boolean {
  if (typeof value === 'string') return EXPRESSION.test(value);
  if (Array.isArray(value)) return value.some(hasExpression);
  return isRecord(value) && Object.values(value).some(hasExpression);
}

function compileExpression(source: string, field: string): CompiledExpressionTemplate {
  if (/\$eval\b/.test(source)) throw new Error(`${field}: $eval is not available in Step Functions`);
  const expression = parse(source, field);
  registerJsonataFunctions(expression);
  return async (bindings) => {
    const value: unknown = await expression.evaluate(undefined, bindings).catch((error: unknown) => {
      throw queryError(source, field, messageOf(error));
    });
    if (value === undefined) throw queryError(source, field, 'it returned nothing (undefined)');
    return value;
  };
}

function parse(source: string, field: string): jsonata.Expression {
  try {
    return jsonata(source);
  } catch (error) {
    throw new Error(`${field}: ${messageOf(error)} in the expression "${source}"`);
  }
}

function queryError(source: string, field: string, reason: string): StateError {
  return new StateError(
    'States.QueryEvaluationError',
    `The JSONata expression '${source}' of the field '${field}' failed: ${reason}`,
  );
}

/** JSONata throws plain objects with a `message`. */
function messageOf(error: unknown): string {
  return isRecord(error) && typeof error['message'] === 'string' ? error['message'] : String(error);
}
