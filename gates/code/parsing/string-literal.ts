import type { SyntaxNode } from './syntax-node.ts';

const SIMPLE: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  '0': '\0',
};

/** The character that a backslash sequence of JavaScript or Python stands for. */
export function decodeEscapeSequence(sequence: string): string {
  const hex = /^\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|u\{([0-9a-f]{1,6})\}|U([0-9a-f]{8}))$/i.exec(sequence);
  const digits = hex?.[1] ?? hex?.[2] ?? hex?.[3] ?? hex?.[4];
  if (digits !== undefined) {
    const code = Number.parseInt(digits, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : '';
  }
  // A backslash at the end of a line joins it with the next one.
  if (/^\\\r?\n$/.test(sequence)) return '';
  const letter = sequence.slice(1);
  return SIMPLE[letter] ?? letter;
}

const PARTS = ['string_fragment', 'string_content', 'string_literal_content'];
const WRAPPERS = ['parenthesized_expression', 'as_expression', 'satisfies_expression', 'non_null_expression'];

/** The text of a constant string expression of JavaScript or Python, concatenations included; null for anything else. */
export function evaluateConstantString(node: SyntaxNode | null): string | null {
  if (!node) return null;
  if (node.type === 'string' || node.type === 'template_string') {
    // An `f` string or a template with a value in it is computed.
    if (node.hasChildOfType('interpolation') || node.hasChildOfType('template_substitution')) return null;
    const raw = node.firstChildOfType('string_start')?.text.toLowerCase().includes('r') ?? false;
    return node.namedChildren.map((part) => partValue(part, raw)).join('');
  }
  if (node.type === 'concatenated_string') return joined(node.namedChildren);
  if (WRAPPERS.includes(node.type)) return evaluateConstantString(node.namedChildren[0] ?? null);
  if (
    (node.type === 'binary_expression' || node.type === 'binary_operator') &&
    node.childForField('operator')?.text === '+'
  )
    return joined([node.childForField('left'), node.childForField('right')]);
  return null;
}

function joined(parts: readonly (SyntaxNode | null)[]): string | null {
  const values = parts.filter((part) => part?.type !== 'comment').map(evaluateConstantString);
  return values.every((value) => value !== null) ? values.join('') : null;
}

/** A part of a string: plain text, an escape sequence, or plain text with escape sequences in it. */
function partValue(part: SyntaxNode, raw: boolean): string {
  if (part.type === 'escape_sequence') return raw ? part.text : decodeEscapeSequence(part.text);
  if (!PARTS.includes(part.type)) return '';
  const { source, start, end, children } = part;
  let text = '';
  let at = start;
  for (const child of children) {
    text += source.slice(at, child.start) + partValue(child, raw);
    at = child.end;
  }
  return text + source.slice(at, end);
}

/**
 * The name that an identifier stands for. Languages let one name be written in several ways: JavaScript with escape sequences,
 * Python with any letter that NFKC makes equal.
 */
export const decodeIdentifier = (node: Pick<SyntaxNode, 'text'>): string =>
  node.text.includes('\\')
    ? node.text.replace(/\\u(?:[0-9a-fA-F]{4}|\{[0-9a-fA-F]{1,6}\})/g, decodeEscapeSequence)
    : node.text;

export const normalizePythonIdentifier = (text: string): string => text.normalize('NFKC');
