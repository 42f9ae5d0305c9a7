import type { Node } from '@vscode/tree-sitter-wasm';
import { UnreadableCodeError } from './unreadable-code-error.ts';

/** Deepest nesting that is looked at. Deeper code is not written by hand, and every walk over it would need care. */
export const MAX_SYNTAX_DEPTH = 1_000;
/** Most nodes of one file: about what 2 MB of dense code have. */
const MAX_NODES = 2_000_000;

/** A node of a syntax tree, in plain objects: it outlives the parser's memory, and reading it costs no call into it. */
export class SyntaxNode {
  readonly type: string;
  /** False for punctuation and keywords. */
  readonly named: boolean;
  /** Name of its place in the parent, e.g. `body`. */
  readonly field: string | null;
  /** Offset in the source, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** 1-based line that it begins on. */
  readonly line: number;
  /** Put in by the parser because the code lacks it. */
  readonly missing: boolean;
  readonly source: string;
  readonly parent: SyntaxNode | null;
  readonly children: SyntaxNode[] = [];

  constructor(
    fields: Pick<
      SyntaxNode,
      'type' | 'named' | 'field' | 'start' | 'end' | 'line' | 'missing' | 'source' | 'parent'
    >,
  ) {
    this.type = fields.type;
    this.named = fields.named;
    this.field = fields.field;
    this.start = fields.start;
    this.end = fields.end;
    this.line = fields.line;
    this.missing = fields.missing;
    this.source = fields.source;
    this.parent = fields.parent;
  }

  get text(): string {
    return this.source.slice(this.start, this.end);
  }
  /** Its named children: without punctuation, but with comments. */
  get namedChildren(): SyntaxNode[] {
    return this.children.filter((child) => child.named);
  }
  /** The first child at that place. */
  childForField(field: string): SyntaxNode | null {
    return this.children.find((child) => child.field === field) ?? null;
  }
  /** Every child at that place. */
  childrenForField(field: string): SyntaxNode[] {
    return this.children.filter((child) => child.field === field);
  }
  /** The first child of one of the types. */
  firstChildOfType(...types: readonly string[]): SyntaxNode | null {
    return this.children.find((child) => types.includes(child.type)) ?? null;
  }
  hasChildOfType(type: string): boolean {
    return this.children.some((child) => child.type === type);
  }
  /** This node and everything below it, in the order of the source. */
  *walk(enter: (node: SyntaxNode) => boolean = () => true): Generator<SyntaxNode> {
    const waiting: SyntaxNode[] = [this];
    for (let node = waiting.pop(); node; node = waiting.pop()) {
      yield node;
      if (enter(node))
        for (let at = node.children.length; at > 0; at--) waiting.push(node.children[at - 1] as SyntaxNode);
    }
  }
  /** The parent, its parent, and so on. */
  *ancestors(): Generator<SyntaxNode> {
    for (let at = this.parent; at; at = at.parent) yield at;
  }
}

/**
 * A node of the parser's tree and all that is below it, as plain objects. A walk, because the parser's own queries take quadratic
 * time on a node with many children.
 * @param enters whether to look below a node of a type; all by default.
 * @throws Unreadable when it is nested too deeply or has too many nodes.
 */
export function toSyntaxNode(
  top: Node,
  source: string,
  enters: (type: string) => boolean = () => true,
): SyntaxNode {
  const cursor = top.walk();
  try {
    let line = top.startPosition.row + 1;
    let lineEnd = source.indexOf('\n', top.startIndex);
    // Nodes come in the order of the source, so that the lines are counted once.
    const lineAt = (offset: number): number => {
      for (; lineEnd >= 0 && lineEnd < offset; lineEnd = source.indexOf('\n', lineEnd + 1)) line++;
      return line;
    };
    let nodes = 0;
    const make = (parent: SyntaxNode | null): SyntaxNode => {
      if (++nodes > MAX_NODES) throw new UnreadableCodeError(`has more than ${MAX_NODES} syntax nodes`);
      const start = cursor.startIndex;
      return new SyntaxNode({
        type: cursor.nodeType,
        named: cursor.nodeIsNamed,
        field: cursor.currentFieldName,
        start,
        end: cursor.endIndex,
        line: lineAt(start),
        missing: cursor.nodeIsMissing,
        source,
        parent,
      });
    };
    const root = make(null);
    let at = root;
    for (let depth = 0; ; ) {
      if (enters(at.type) && cursor.gotoFirstChild()) {
        if (++depth > MAX_SYNTAX_DEPTH)
          throw new UnreadableCodeError(`is nested more than ${MAX_SYNTAX_DEPTH} levels deep`);
      } else {
        while (!cursor.gotoNextSibling()) {
          if (!cursor.gotoParent()) return root;
          depth--;
          at = at.parent ?? root;
        }
        at = at.parent ?? root;
      }
      const node = make(at);
      at.children.push(node);
      at = node;
    }
  } finally {
    cursor.delete();
  }
}
