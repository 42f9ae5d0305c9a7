import { foldConfusables } from './fold-confusables.ts';

/** The mark word, letters of which may be set apart. */
const SPACED_MARK_WORD = [...'UNTRUSTED'].join('[\\s_.*|~\\ufffd-]{0,3}');
/**
 * That word as part of a mark: an opening one, or a closing one at the beginning of a line or with a boundary. Types such as
 * `Vec<Vec<Vec<Untrusted>>>` are none.
 */
const FALSE_MARK = new RegExp(
  `<<<\\s*${SPACED_MARK_WORD}|^[\\s+\\-/*#>"'|]{0,8}${SPACED_MARK_WORD}[^\\n>]{0,200}>>>|${SPACED_MARK_WORD}\\s+[\\w-]{6,80}\\s*>>>`,
  'im',
);
/** Other ways to write that the material ends here. */
const FALSE_END =
  /<{2,}\s*\/?\s*(?:END|CLOSE|STOP)\b[^\n<>]{0,60}>{2,}|<\/\s*untrusted\b[^\n>]{0,60}>|(?:[-=#*[]{2,}|^)\s*END(?:[ _-]OF)?(?:[ _-]THE)?[ _-](?:UNTRUSTED|MATERIAL TO JUDGE)\b/im;

/** So many tags in a row are words; the flags of England, Scotland and Wales have six. */
const HIDDEN_WORDS = /[\u{e0020}-\u{e007e}]{8,}|\p{Variation_Selector}{8,}/u;

/**
 * Signs of a text that speaks to a judge. Each of them alone also occurs in honest text (chat templates, notes to
 * reviewers, code that grades), so a finding takes two kinds within `WINDOW` characters.
 */
const SIGNS: Readonly<Record<string, RegExp>> = {
  role: /<\|(?:im_start|im_end|start_header_id|eot_id|system|assistant|end)\|>|<(?:start|end)_of_turn>|\[\/?INST\]|<<\/?SYS>>|^[\s+\-/*#>"'|]{0,8}(?:\[?(?:SYSTEM|DEVELOPER)(?: (?:PROMPT|MESSAGE|NOTE|OVERRIDE))?\]?|Human|Assistant)\s*:/gm,
  override:
    /\b(?:ignore|disregard|forget|override|supersede|bypass)s?\b[^.\n]{0,30}\b(?:previous|prior|above|earlier|preceding|all|any|your|these|those)\b[^.\n]{0,30}\b(?:instructions?|prompts?|rubric|guidelines|criteria|orders|directions)\b|\b(?:rubric|instructions|criteria|policy)\b[^.\n]{0,20}\b(?:has|have|was|were)\b[^.\n]{0,12}\b(?:changed|replaced|updated|superseded)\b|\bnew (?:system )?(?:instructions?|rubric)\b/gi,
  addressed:
    /\b(?:if you are|you are|you're|as) (?:now )?(?:an?|the) (?:\w+ ){0,2}(?:AI|LLM|language model|reviewer|judge|grader|evaluator|assistant)\b|\b(?:note|message|memo|instructions?|attention|notice|dear|hint|hello|hey)\b[,:]?(?: (?:to|for|all|any|the|automated|automatic|AI|LLM|model|code)){0,4} (?:reviewers?|judges?|graders?|evaluators?|AI|LLMs?|language models?|verifiers?)\b|^[\s+\-/*#>"'|]{0,8}(?:AI |LLM |automated )?(?:reviewers?|judges?|graders?|evaluators?)\s*[:,]|\byour (?:verdict|judge?ment|grade|confidence)\b/gim,
  verdict:
    /\b(?:answer|respond|reply|return|output|give|say|set|report|choose|record|mark|conclude|grade|rate|score|treat|declare|consider)\b[^.\n]{0,60}?\b(?:accept(?:ed)?|approved?|clear|pass(?:ed|ing)?|yes|met|correct|verified|full marks|top marks|5 of 5|10 of 10|5\/5|10\/10)\b|\bverdict\b\W{0,4}(?:is|must be|should be|:|=)?\W{0,4}(?:accept|approve|clear|pass|good|yes)\b|\bconfidence\b\W{0,4}(?:of|is|:|=)?\W{0,4}(?:1(?:\.0+)?|0?\.9\d*|100 ?%)(?![\d.])/gi,
  answer:
    /["']verdict["']\s*:\s*["'](?:accept|approve|clear|pass|good|yes)["'][^}\n]{0,200}["']confidence["']\s*:|["']answer["']\s*:\s*["']yes["']|["']reasons["']\s*:\s*\[[^\]\n]{0,200}\]\s*,\s*["'](?:verdict|answer)["']/gi,
};
/** Kinds that honest text has side by side: a fixture of a judge, a specification of its answers, a reply in a chat log. */
const HONEST_PAIRS = new Set(['answer+verdict', 'answer+role', 'role+verdict', 'answer+role+verdict']);
const WINDOW = 300;

function speaksToJudge(text: string): boolean {
  const signs = Object.entries(SIGNS)
    .flatMap(([kind, pattern]) => [...text.matchAll(pattern)].map(({ index }) => ({ kind, index })))
    .sort((a, b) => a.index - b.index);
  return signs.some((first, place) => {
    const near = signs.slice(place).filter(({ index }) => index - first.index <= WINDOW);
    const kinds = [...new Set(near.map(({ kind }) => kind))].sort();
    return kinds.length > 1 && !HONEST_PAIRS.has(kinds.join('+'));
  });
}

/** Returns what a text from outside does to speak as somebody else, as phrases; none for honest text. */
export function findInjections(text: string): string[] {
  const folded = foldConfusables(text).text;
  return [
    ...(FALSE_MARK.test(folded) || FALSE_END.test(folded) ? ['a mark like those that fence it'] : []),
    ...(HIDDEN_WORDS.test(text) ? ['words in invisible characters'] : []),
    ...(speaksToJudge(folded) ? ['an order to whoever judges it'] : []),
  ];
}
