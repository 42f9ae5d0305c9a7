import { unescaped } from './literal.ts';
import type { Syntax } from './syntax.ts';

/**
 * The name that an identifier stands for. Languages let one name be written in several ways: JavaScript with escape sequences,
 * Python with any letter that NFKC makes equal.
 */
export const identifierName = (node: Pick<Syntax, 'text'>): string =>
  node.text.includes('\\')
    ? node.text.replace(/\\u(?:[0-9a-fA-F]{4}|\{[0-9a-fA-F]{1,6}\})/g, unescaped)
    : node.text;

export const pythonName = (text: string): string => text.normalize('NFKC');
