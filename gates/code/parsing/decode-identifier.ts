import { decodeEscapeSequence } from './string-literal.ts';
import type { SyntaxNode } from './syntax-node.ts';

/**
 * The name that an identifier stands for. Languages let one name be written in several ways: JavaScript with escape sequences,
 * Python with any letter that NFKC makes equal.
 */
export const decodeIdentifier = (node: Pick<SyntaxNode, 'text'>): string =>
  node.text.includes('\\')
    ? node.text.replace(/\\u(?:[0-9a-fA-F]{4}|\{[0-9a-fA-F]{1,6}\})/g, decodeEscapeSequence)
    : node.text;

export const normalizePythonIdentifier = (text: string): string => text.normalize('NFKC');
