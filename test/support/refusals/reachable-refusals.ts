import { globSync } from 'node:fs';
import { API_REFUSALS } from '../../../shared/api/problem.ts';
import type { RefusalCode } from '../../../shared/contract/refusal.ts';
import {
  getExecutableParts,
  isSyntaxNode,
  type ParsedSource,
  parseSource,
  readSourceText,
  type SyntaxNode,
} from './parsed-source.ts';

const isCode = (value: unknown): value is RefusalCode =>
  typeof value === 'string' && Object.hasOwn(API_REFUSALS, value);

/** What a body mentions: names, methods by `.name` and `#name`, and codes of refusals that it passes to something. */
interface Mentions {
  readonly names: Set<string>;
  readonly codes: Set<RefusalCode>;
}

/** Codes that are passed on as they stand, as `'conflict'` in `new Refusal('conflict', …)`, or in one arm of a condition. */
function codesIn(argument: unknown, found: Set<RefusalCode>): void {
  if (!isSyntaxNode(argument)) return;
  if (argument['type'] === 'StringLiteral' && isCode(argument['value'])) found.add(argument['value']);
  if (argument['type'] === 'ConditionalExpression')
    for (const arm of [argument['consequent'], argument['alternate']]) codesIn(arm, found);
}

function mentionsIn(value: unknown, found: Mentions): Mentions {
  if (Array.isArray(value)) for (const each of value) mentionsIn(each, found);
  if (!isSyntaxNode(value) || Array.isArray(value)) return found;
  const { type } = value;
  if (type === 'CallExpression' || type === 'NewExpression')
    for (const each of (value['arguments'] ?? []) as SyntaxNode[]) codesIn(each['expression'], found.codes);
  if (type === 'AssignmentPattern') codesIn(value['right'], found.codes);
  if (type === 'Identifier') found.names.add(String(value['value']));
  if (type === 'MemberExpression') {
    const property = value['property'] as SyntaxNode;
    if (property['type'] === 'Identifier') found.names.add(`.${String(property['value'])}`);
    else if (property['type'] === 'PrivateName') found.names.add(`#${String(property['value'])}`);
    else mentionsIn(property, found);
    return mentionsIn(value['object'], found);
  }
  if (type === 'KeyValueProperty') return mentionsIn(value['value'], found);
  for (const part of getExecutableParts(value)) mentionsIn(part, found);
  return found;
}

/** Of bodies that were read before. */
const mentions = new WeakMap<SyntaxNode, Mentions>();

function mentionsOf(body: SyntaxNode): Mentions {
  const known = mentions.get(body) ?? mentionsIn(body, { names: new Set(), codes: new Set() });
  mentions.set(body, known);
  return known;
}

/** The handlers of `serve(function, { name: … })` in a file. */
function handlersIn(source: ParsedSource): [string, SyntaxNode][] {
  return (source.declarationBodies.get('handler') ?? []).flatMap((call) => {
    const [, argument] = (call['arguments'] ?? []) as SyntaxNode[];
    const object = argument?.['expression'];
    if (!isSyntaxNode(object) || object['type'] !== 'ObjectExpression') return [];
    return (object['properties'] as SyntaxNode[]).map((each): [string, SyntaxNode] => [
      String((each['key'] as SyntaxNode)['value']),
      each['value'] as SyntaxNode,
    ]);
  });
}

/** Reads all that a route of the API can run. */
export class RefusalAnalysis {
  readonly #sources: ReadonlyMap<string, ParsedSource>;
  readonly #methods = new Map<string, [ParsedSource, SyntaxNode][]>();

  /** `read` gives the text of a file. */
  constructor(read: (file: string) => string = readSourceText) {
    const files = globSync(['shared/**/*.ts', 'functions/{api,runtime}/*.ts']);
    this.#sources = new Map(files.map((file) => [file, parseSource(file, read(file))]));
    for (const source of this.#sources.values())
      for (const [name, bodies] of source.declarationBodies)
        if (name.startsWith('.'))
          this.#methods.set(name, [
            ...(this.#methods.get(name) ?? []),
            ...bodies.map((body): [ParsedSource, SyntaxNode] => [source, body]),
          ]);
  }

  /**
   * Codes of the refusals that each handler can come to. Whatever it mentions may run, and a method of any class of the name that it
   * calls. So more may be found than can happen, and never less, as long as a refusal is made where its code stands.
   */
  findHandlerRefusals(): Map<string, Set<RefusalCode>> {
    return new Map(
      [...this.#sources.values()].flatMap((source) =>
        handlersIn(source).map(([name, body]): [string, Set<RefusalCode>] => [
          name,
          this.#reach(body, source),
        ]),
      ),
    );
  }

  /** Codes of the refusals that one function can come to. */
  findFunctionRefusals(file: string, name: string): Set<RefusalCode> {
    const source = this.#sources.get(file);
    const [body] = source?.declarationBodies.get(name) ?? [];
    if (!source || !body) throw new Error(`${file} has no ${name}`);
    return this.#reach(body, source);
  }

  #resolve(name: string, of: ParsedSource): [ParsedSource, SyntaxNode][] {
    if (name.startsWith('.')) return this.#methods.get(name) ?? [];
    const from = of.imports.get(name);
    const source = from ? this.#sources.get(from.file) : of;
    if (!source) return [];
    return (source.declarationBodies.get(from?.name ?? name) ?? []).map((body) => [source, body]);
  }

  #reach(start: SyntaxNode, of: ParsedSource): Set<RefusalCode> {
    const codes = new Set<RefusalCode>();
    const seen = new Set<SyntaxNode>();
    const waiting: [ParsedSource, SyntaxNode][] = [[of, start]];
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [source, body] = next;
      if (seen.has(body)) continue;
      seen.add(body);
      const found = mentionsOf(body);
      for (const code of found.codes) codes.add(code);
      for (const name of found.names) waiting.push(...this.#resolve(name, source));
    }
    return codes;
  }
}
