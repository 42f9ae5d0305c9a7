import { Brackets } from './brackets.ts';
import { lex } from './lex.ts';

/** Functions that are handed a running test. */
const HELPERS =
  /^func\s{1,10}(\w{1,200})\s{0,10}(?:\[[^\]\n]{0,200}\])?\s{0,10}\([^)\n]{0,300}\btesting\.(?:T|TB|B|F)\b/gm;
const FAILS = /\b\w{1,20}\.(?:Errorf?|Fatalf?|Fail(?:Now)?)\s{0,5}\(|\b(?:assert|require)\.\w{1,60}\s{0,5}\(/;
const NEVER = /\bif\s{1,5}(?:false\b|(\d{1,9})\s{0,5}!=\s{0,5}\1\b)|&&\s{0,5}false\b/;
/** Calls that hand the test on, whether of the same package or of another. */
const CALLS =
  /(?<![\w.])(?:(\w{1,80})\.)?([A-Za-z_]\w{0,80})\s{0,5}(?:\[[^\]\n]{0,100}\]\s{0,5})?\(\s{0,20}(?:t|tb)\s{0,5},/g;
/** Names of helpers of files that the patch leaves alone, and so did not make. */
const SOUNDS = /^(?:assert|require|want|expect|check|verify|ensure|equal|compare)/i;

/** What is known of the functions of all changed files that are handed a test. */
export type GoHelpers = ReadonlyMap<string, boolean>;

/** Whether each such function can make the test fail. Two of one name must both. */
export function goHelpers(texts: readonly string[]): GoHelpers {
  const known = new Map<string, boolean>();
  for (const text of texts) {
    const { code } = lex('go', text);
    const brackets = new Brackets(code);
    for (const match of code.matchAll(HELPERS)) {
      const [, name = ''] = match;
      const body = brackets.body(match.index + match[0].length);
      const own = body ? brackets.slice(body.open, body.end) : '';
      known.set(name, (known.get(name) ?? true) && FAILS.test(own) && !NEVER.test(own));
    }
  }
  return known;
}

/** How often code hands its test to something that asks: to what the patch shows, or by its name. */
export function asksThrough(code: string, helpers: GoHelpers, counted: ReadonlySet<string>): number {
  let calls = 0;
  for (const [, of, name = ''] of code.matchAll(CALLS)) {
    // What is counted by its name already.
    if ((of === undefined && counted.has(name)) || /^(?:assert|require|is|qt|check|must)$/.test(of ?? ''))
      continue;
    if (helpers.get(name) ?? SOUNDS.test(name)) calls++;
  }
  return calls;
}
