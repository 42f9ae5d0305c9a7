import type { SyntaxNode } from '../../../../code/parsing/syntax-node.ts';
import { type ReturnValueMutation, type ReturnValueMutator, rustZeroValue } from '../rewrite-functions.ts';

/** What cannot stand in a function of its own: what is borrowed, waited for, or has no type that can be named. */
const LEFT_ALONE = /&|'|\bimpl\b|\bdyn\b|!|\bSelf\b.*\bSelf\b/;
const RESULT = /^(?:\w+::)*Result<(.+)>$/s;

/** A type, and what it fails with where it is a result. */
interface Answer {
  readonly value: string;
  readonly failure: string | null;
}

function answerOf(type: string): Answer {
  const inner = RESULT.exec(type)?.[1];
  if (inner === undefined) return { value: type, failure: null };
  let depth = 0;
  for (let at = 0; at < inner.length; at++) {
    const sign = inner[at] ?? '';
    if ('<([{'.includes(sign)) depth++;
    else if ('>)]}'.includes(sign)) depth--;
    else if (sign === ',' && depth === 0)
      return {
        value: inner.slice(0, at).trim(),
        failure: inner
          .slice(at + 1)
          .trim()
          .replace(/,$/, ''),
      };
  }
  return { value: inner.trim(), failure: '' };
}

/** An expression of the type that is a little off from `v`; null where the name of the type does not tell how. */
function changed(type: string): string | null {
  if (/^[iu](?:8|16|32|64|128|size)$/.test(type)) return 'v.wrapping_add(1)';
  if (/^f(?:32|64)$/.test(type)) return 'v + 1.0';
  if (type === 'bool') return '!v';
  if (type === 'char') return "if v == 'a' { 'b' } else { 'a' }";
  if (/^(?:std::string::)?String$/.test(type))
    return `{ let made: String = v.chars().map(|c| match c.to_digit(10) { Some(d) => char::from_digit((d + 1) % 10, 10).unwrap_or(c), None => c }).collect(); if made == v { made + "~" } else { made } }`;
  const inner = /^(?:std::vec::)?Vec<(.+)>$/s.exec(type)?.[1];
  if (inner !== undefined) {
    const one = changed(inner);
    return one === null
      ? '{ let mut v = v; v.pop(); v }'
      : `{ let mut all = v; if !all.is_empty() { let v = all.remove(0); all.insert(0, ${one}); } all }`;
  }
  const maybe = /^(?:std::option::)?Option<(.+)>$/s.exec(type)?.[1];
  const some = maybe === undefined ? null : changed(maybe);
  return some === null ? null : `v.map(|v| ${some})`;
}

/** Failures of a type that can be made, as patterns and as expressions; those of an enum of the same file, or texts. */
function failuresOf(root: SyntaxNode, type: string): { readonly pattern: string; readonly made: string }[] {
  if (type === 'String') return [{ pattern: '_', made: 'String::from("another failure")' }];
  if (/^Box<dyn (?:std::error::)?Error(?: \+ (?:Send|Sync|'static))*>$/.test(type))
    return [{ pattern: '_', made: '"another failure".into()' }];
  const own = [...root.walk()].find(
    (node) => node.type === 'enum_item' && node.childForField('name')?.text === type,
  );
  const variants =
    own?.childForField('body')?.namedChildren.filter((each) => each.type === 'enum_variant') ?? [];
  return variants.flatMap((each) => {
    const name = `${type}::${each.childForField('name')?.text}`;
    const body = each.childForField('body');
    if (body === null) return [{ pattern: `${name} { .. }`, made: name }];
    const fields = body.namedChildren.filter((field) => !/comment|visibility|attribute/.test(field.type));
    if (body.type === 'ordered_field_declaration_list')
      return [
        { pattern: `${name} { .. }`, made: `${name}(${fields.map(() => 'Default::default()').join(', ')})` },
      ];
    const named = fields.map((field) => `${field.childForField('name')?.text}: Default::default()`);
    return [{ pattern: `${name} { .. }`, made: `${name} { ${named.join(', ')} }` }];
  });
}

const rootOf = (node: SyntaxNode): SyntaxNode => [...node.ancestors()].at(-1) ?? node;

/** The function works in one of its own, and what comes out is looked at. */
export const rustReturnValueMutator: ReturnValueMutator = {
  editsFor: (node, body, how) => {
    const modifiers = node.firstChildOfType('function_modifiers')?.text ?? '';
    const type = node.childForField('return_type')?.text ?? '()';
    if (/async|const|unsafe|extern/.test(modifiers) || LEFT_ALONE.test(type)) return [];
    const { value, failure } = answerOf(type);
    const failures = failure === null ? [] : failuresOf(rootOf(node), failure);
    const then = thenOf(how, value, failure, failures);
    if (then === null) return [];
    return [
      { start: body.start, end: body.start, replacement: `{ let assay: ${type} = (|| -> ${type} ` },
      { start: body.end, end: body.end, replacement: `)(); ${then} }`, closesOther: true },
    ];
  },
  textAtEnd: () => '',
  mutatesOutermostCall: false,
};

function thenOf(
  how: ReturnValueMutation,
  value: string,
  failure: string | null,
  failures: ReturnType<typeof failuresOf>,
): string | null {
  const [first, second = first] = failures;
  switch (how) {
    case 'fails':
      if (failure === null) return 'if true { panic!("switched off"); } assay';
      return first === undefined ? null : `match assay { Ok(_) => Err(${first.made}), other => other }`;
    case 'nothing': {
      const zero = rustZeroValue(value);
      if (zero === null || value === '()') return null;
      return failure === null ? `let _ = assay; ${zero}` : `assay.map(|_| ${zero})`;
    }
    case 'no failure': {
      const zero = failure === null ? null : rustZeroValue(value);
      return zero === null ? null : `match assay { Err(_) => Ok(${zero}), other => other }`;
    }
    case 'other value': {
      const off = changed(value);
      if (off === null) return null;
      return failure === null ? `let v = assay; ${off}` : `assay.map(|v| ${off})`;
    }
    case 'other failure':
      if (first === undefined || second === undefined || first === second) return null;
      return `match assay { Err(${first.pattern}) => Err(${second.made}), Err(_) => Err(${first.made}), other => other }`;
  }
}
