import { cfgHolds } from './rust-cfg.ts';

/** Most attributes of one item, and characters of one attribute. */
const MAX_ATTRIBUTES = 30;
const MAX_LENGTH = 2_000;

/** What may stand between the attributes of an item and its keyword. */
const MODIFIERS =
  /(?:\b(?:pub|async|unsafe|const|default|extern)\b|\bpub\s*\([^()\n]{0,80}\)|""|"\s{0,20}")\s*$/;

/**
 * The attributes of the item at `at`, without their brackets, and where the first of them begins. `cfg_attr` stands for what it
 * brings, where its condition holds.
 */
export function attributesBefore(
  code: string,
  text: string,
  at: number,
): { readonly attributes: readonly string[]; readonly start: number } {
  const attributes: string[] = [];
  let end = at;
  let start = at;
  for (let looked = 0; looked < MAX_ATTRIBUTES; looked++) {
    const before = code.slice(Math.max(0, end - 400), end).trimEnd();
    const from = Math.max(0, end - 400);
    const modifier = MODIFIERS.exec(before);
    if (modifier) {
      end = from + modifier.index;
      start = end;
      continue;
    }
    if (!before.endsWith(']')) break;
    const open = opening(code, from + before.length - 1);
    if (open === null || code[open - 1] !== '#') break;
    attributes.unshift(...expanded(text.slice(open + 1, from + before.length - 1).trim()));
    end = open - 1;
    start = end;
  }
  return { attributes, start };
}

/** Where the bracket opens that closes at `at`. */
function opening(code: string, at: number): number | null {
  let depth = 0;
  for (let index = at; index >= Math.max(0, at - MAX_LENGTH); index--) {
    if (code[index] === ']') depth++;
    else if (code[index] === '[' && --depth === 0) return index;
  }
  return null;
}

function expanded(attribute: string): string[] {
  if (!/^cfg_attr\b/.test(attribute)) return [attribute];
  const [condition = '', ...brought] = split(
    attribute.slice(attribute.indexOf('(') + 1, attribute.lastIndexOf(')')),
  );
  return cfgHolds(condition) ? brought : [];
}

/** The parts between the commas of a list. */
function split(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') depth++;
    else if (text[at] === ')') depth--;
    else if (text[at] === ',' && depth === 0) {
      parts.push(text.slice(from, at).trim());
      from = at + 1;
    }
  }
  return [...parts, text.slice(from).trim()].filter((part) => part !== '');
}
