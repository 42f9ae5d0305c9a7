const LITERALS =
  /"(?:[^"\\\n]|\\.){0,300}"|'(?:[^'\\\n]|\\.){0,300}'|(?<![\w$.])-?\d[\w.]{0,40}|\b(?:true|false|null|undefined|True|False|None)\b/g;
/** Up to where an assertion that compares a whole says what it expects. */
const WHOLE =
  /\.(?:toEqual|toStrictEqual|eql)\(|\.deep\.equal\(|\b(?:deepEqual|deepStrictEqual|assertEqual|assertDictEqual|assertListEqual)\([^,]{1,300},|^assert\b[^=]{1,300}==/;
/** The property that an assertion asks for, as in `expect(order.total)` and `assert.equal(order.total, 1)`. */
const PROPERTY = /\.(\w{1,80})(?=\s{0,5}[),]|\s{1,5}(?:==|is)\s)/;
/** Values side by side, as in `assert (a.x, b.x) == (1, 2)`, and one of them alone. */
const TUPLE = /^(?:assert|self\.assertEqual\()\s{0,5}\((.{1,300}?)\)\s{0,5}(?:==|,)\s{0,5}\(/;
const SINGLE = /^(?:assert\s{0,5}([^=<>]{1,200}?)\s{0,5}==|self\.assertEqual\((.{1,200}?),)/;
/** Whether there is something, and what: implied by any comparison of the same with a value. */
const PRESENCE =
  /^(?:assert(?:\.ok)?|expect)\((.{1,200})\)(?:\.(?:toBeDefined|toBeTruthy)\(\)|\.not\.toBe(?:Null|Undefined)\(\))?;?$|^assert ([^=<>]{1,200}?)(?: is not None)?$/;

/**
 * Whether the assertions that a test lost are asked in others: some properties by one comparison of the whole that spells out each
 * value, and that there is something by a comparison of it that was there before.
 */
export function isFolded(before: readonly string[], after: readonly string[]): boolean {
  const missing = before.filter((text) => !after.includes(text));
  const kept = before.filter((text) => after.includes(text));
  const left = missing.filter((text) => !isImplied(text, kept));
  if (left.length === 0) return missing.length > 0;
  return after
    .filter((text) => !before.includes(text))
    .some((text) => {
      const whole = WHOLE.exec(text);
      return whole !== null && spellsOut(text, text.slice(whole.index + whole[0].length), left);
    });
}

function spellsOut(text: string, expected: string, assertions: readonly string[]): boolean {
  const tuple = TUPLE.exec(text)?.[1];
  if (tuple === undefined && !/[{[]/.test(expected)) return false;
  const there = new Map<string, number>();
  for (const literal of expected.match(LITERALS) ?? [])
    there.set(plain(literal), (there.get(plain(literal)) ?? 0) + 1);
  return assertions.every((lost) => {
    const literals = lost.match(LITERALS) ?? [];
    const property = PROPERTY.exec(lost)?.[1];
    const single = SINGLE.exec(lost);
    if (tuple !== undefined && !tuple.includes(single?.[1] ?? single?.[2] ?? lost)) return false;
    if (tuple === undefined && property !== undefined && !new RegExp(`\\b${property}\\b`).test(expected))
      return false;
    return (
      literals.length > 0 &&
      literals.every((literal) => {
        const count = there.get(plain(literal)) ?? 0;
        there.set(plain(literal), count - 1);
        return count > 0;
      })
    );
  });
}

const plain = (literal: string): string => literal.replace(/^['"]|['"]$/g, '"');

function isImplied(text: string, kept: readonly string[]): boolean {
  const match = PRESENCE.exec(text);
  const subject = match?.[1] ?? match?.[2];
  if (subject === undefined) return false;
  return kept.some(
    (other) =>
      (/\b(?:equal|strictEqual|deepEqual|deepStrictEqual)\(/.test(other) &&
        other.includes(`(${subject}, `)) ||
      /^\.(?:toBe|toEqual|toStrictEqual)\([^)]/.test(
        other.startsWith(`expect(${subject})`) ? other.slice(`expect(${subject})`.length) : '',
      ) ||
      other.startsWith(`assert ${subject} == `),
  );
}
