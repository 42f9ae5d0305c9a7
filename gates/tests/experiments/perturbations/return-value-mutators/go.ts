import type { SyntaxNode } from '../../../../code/parsing/syntax-node.ts';
import type { ReturnValueMutation, ReturnValueMutator } from '../rewrite-functions.ts';

/** The types of what a function gives, one for each. */
function resultsOf(node: SyntaxNode): string[] {
  const result = node.childForField('result');
  if (result === null) return [];
  if (result.type !== 'parameter_list') return [result.text];
  return result.namedChildren.flatMap((each) => {
    const type = each.childForField('type')?.text;
    return type === undefined
      ? []
      : Array.from({ length: Math.max(1, each.childrenForField('name').length) }, () => type);
  });
}

const NUMBER = /^(?:u?int(?:8|16|32|64)?|float(?:32|64)|byte|rune|time\.Duration)$/;

/** Statements that change a value of a type a little; '' where the name of the type does not tell how. */
function changed(value: string, type: string): string {
  if (NUMBER.test(type)) return `${value}++; `;
  if (type === 'bool') return `${value} = !${value}; `;
  if (type === 'string') return `${value} = assayOther(${value}); `;
  if (type.startsWith('[]')) {
    const [inner, rest] = [type.slice(2), `if n := len(${value}); n > 0 { ${value} = ${value}[:n-1] }; `];
    const one = inner.startsWith('[') ? '' : changed('one', inner);
    return one === ''
      ? rest
      : `if len(${value}) > 0 { all := append(${type}(nil), ${value}...); one := all[0]; ${one}all[0] = one; ${value} = all }; `;
  }
  return '';
}

/** The function works in one of its own, and what comes out is looked at. */
export const goReturnValueMutator: ReturnValueMutator = {
  editsFor: (node, body, how, mark) => {
    const types = resultsOf(node);
    const names = types.map((_, at) => `assay${at}`);
    const failure = types.at(-1) === 'error' ? (names.at(-1) ?? null) : null;
    const then = thenOf(how, types, names, failure)?.replaceAll(/\bassay(Failure|Other)\b/g, `$&${mark}`);
    if (then === undefined) return [];
    const work = `func() ${node.childForField('result')?.text ?? ''} `;
    const before = names.length === 0 ? `{ ${work}` : `{ ${names.join(', ')} := ${work}`;
    const after = `(); ${then}${names.length === 0 ? '' : `return ${names.join(', ')} `}}`;
    return [
      { start: body.start, end: body.start, replacement: before },
      { start: body.end, end: body.end, replacement: after, closesOther: true },
    ];
  },
  textAtEnd: (_how, name) => `
type assayFailure${name} struct{}
func (assayFailure${name}) Error() string { return "another failure" }
func assayOther${name}(text string) string {
	made := []byte(text)
	off := false
	for at, each := range made {
		if each >= '0' && each <= '9' { made[at] = '0' + (each-'0'+1)%10; off = true }
	}
	if off { return string(made) }
	return text + "~"
}
`,
  mutatesOutermostCall: false,
};

function thenOf(
  how: ReturnValueMutation,
  types: readonly string[],
  names: readonly string[],
  failure: string | null,
): string | null {
  const zeros = types.map((type) => `*new(${type})`);
  switch (how) {
    case 'fails':
      return failure === null
        ? 'if true { panic("switched off") }; '
        : `if ${failure} == nil { ${names.join(', ')} = ${[...zeros.slice(0, -1), 'assayFailure{}'].join(', ')} }; `;
    case 'nothing':
      if (names.length === 0) return null;
      return failure === null
        ? `${names.join(', ')} = ${zeros.join(', ')}; `
        : names.length === 1
          ? null
          : `if ${failure} == nil { ${names.join(', ')} = ${zeros.join(', ')} }; `;
    case 'no failure':
      return failure === null ? null : `if ${failure} != nil { ${names.join(', ')} = ${zeros.join(', ')} }; `;
    case 'other value': {
      const all = types.map((type, at) => changed(names[at] ?? '', type)).join('');
      return all === '' ? null : failure === null ? all : `if ${failure} == nil { ${all}}; `;
    }
    case 'other failure':
      return failure === null ? null : `if ${failure} != nil { ${failure} = assayFailure{} }; `;
  }
}
