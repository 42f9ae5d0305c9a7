/** Characters that a reader does not see and a model does: Unicode tags, direction marks, joiners and other fillers. */
export const INVISIBLE_CHARACTERS =
  /[\u{e0000}-\u{e007f}\u{200b}-\u{200f}\u{202a}-\u{202e}\u{2060}-\u{2069}\u{feff}\u{00ad}\u{115f}\u{1160}\u{180e}\u{3164}\u{ffa0}\u{fff9}-\u{fffb}]|(?!\ufe0f|\ufe0e)\p{Variation_Selector}/gu;
const INVISIBLE = new RegExp(INVISIBLE_CHARACTERS.source, 'u');

/** Characters that look like Latin letters or brackets and that NFKD leaves alone (Unicode TR39, abridged), by target. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  A: 'ΑАᎪ𐊠',
  B: 'ΒВᏴ',
  C: 'СᏟϹⅭ',
  D: 'ᎠᗞᴅⅮ',
  E: 'ΕЕᎬᴇ⋿ⴹ𐊆',
  F: 'Ϝᖴꜰ',
  H: 'ΗНᎻʜ',
  I: 'ΙІӀᏆɪ',
  J: 'ЈᎫᴊ',
  K: 'ΚКᏦᴋ',
  L: 'Ꮮʟ',
  M: 'ΜМᎷᴍ',
  N: 'ΝⲚɴꓠ',
  O: 'ΟОՕᴏ',
  P: 'ΡРᏢᴘ',
  R: 'ᎡᏒᖇʀꓣƦᚱ',
  S: 'ЅՏᏚꜱꓢ',
  T: 'ΤТᎢᴛꓔ⊤┬',
  U: 'ՍႮሀᑌᴜꓴ∪⋃',
  V: 'ᏙᴠѴ',
  W: 'ᎳᴡԜ',
  X: 'ΧХ᙭',
  Y: 'ΥҮᎩʏ',
  Z: 'ΖᏃᴢ',
  a: 'аɑα',
  c: 'сϲᴄ',
  d: 'ԁᏧɗ',
  e: 'еҽєε',
  g: 'ɡց',
  h: 'һհ',
  i: 'іı',
  j: 'јϳ',
  n: 'ոռηπпɲ',
  o: 'оοօ',
  p: 'рρ',
  r: 'гᴦɼꭇ',
  s: 'ѕꜱʂ',
  t: 'тτƭ',
  u: 'υսᴜʋцµμ',
  v: 'ѵν',
  x: 'хχ',
  y: 'уγ',
  '<': '‹〈⟨〈˂ᐸ❮❰𝈶𐒆⧼❬⯇◁',
  '>': '›〉⟩〉˃ᐳ❯❱𖼿⧽❭⯈▷',
  '<<': '«≪⟪《',
  '>>': '»≫⟫》',
  '<<<': '⋘',
  '>>>': '⋙',
};
const TARGET_OF = new Map(
  Object.entries(LOOK_ALIKES).flatMap(([target, all]) => [...all].map((each) => [each, target] as const)),
);
/** Letters in blocks that NFKD leaves alone: the first code point stands for A. */
const LETTER_BLOCKS = [0x1_f150, 0x1_f170, 0x1_f1e6] as const;

const NAMED_ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  laquo: '«',
  raquo: '»',
  lang: '⟨',
  rang: '⟩',
  ll: '≪',
  gg: '≫',
  nbsp: ' ',
  shy: '',
  zwj: '',
  zwnj: '',
};
/** One character of the source, also as an HTML entity (escaped again or not), a JavaScript escape or percent-encoded. */
const CHARACTER =
  /&(?:(?:amp|#38|#x26);)*(?:#(?<decimal>\d{1,7})|#x(?<hex>[\da-f]{1,6})|(?<name>lt|gt|laquo|raquo|lang|rang|ll|gg|nbsp|shy|zwj|zwnj));?|\\u\{(?<braced>[\da-f]{1,6})\}|\\u(?<four>[\da-f]{4})|\\x(?<two>[\da-f]{2})|%(?<percent>[\da-f]{2})|[\s\S]/giu;

const fromCodePoint = (digits: string, radix: number): string => {
  const code = Number.parseInt(digits, radix);
  return code <= 0x10_ffff ? String.fromCodePoint(code) : '';
};

function decodeCharacter({ 0: source, groups = {} }: RegExpExecArray): string {
  const { decimal, hex, name, braced, four, two, percent } = groups;
  if (name !== undefined) return NAMED_ENTITIES[name.toLowerCase()] ?? source;
  if (decimal !== undefined) return fromCodePoint(decimal, 10);
  const digits = hex ?? braced ?? four ?? two ?? percent;
  return digits === undefined ? source : fromCodePoint(digits, 16);
}

function foldCharacter(character: string): string {
  if (character === '' || (character.length === 1 && character < '\u0080')) return character;
  const known = TARGET_OF.get(character);
  if (known !== undefined) return known;
  if (INVISIBLE.test(character)) return '';
  const code = character.codePointAt(0) ?? 0;
  const block = LETTER_BLOCKS.find((first) => code >= first && code < first + 26);
  if (block !== undefined) return String.fromCharCode(65 + code - block);
  return [...character.normalize('NFKD')]
    .filter((each) => !/\p{M}/u.test(each))
    .map((each) => TARGET_OF.get(each) ?? each)
    .join('');
}

/** Text as a model may read it, with the place in the source that each of its characters comes from. */
export interface FoldedText {
  readonly text: string;
  /** For each UTF-16 unit of `text`, the index in the source where its character begins. */
  readonly starts: readonly number[];
}

/**
 * Folds text to what it looks like: NFKD without marks, HTML entities and escapes decoded, look-alike letters and brackets
 * as Latin ones, invisible characters left out. Never shown: used to find what is written in disguise.
 */
export function foldConfusables(text: string): FoldedText {
  const parts: string[] = [];
  const starts: number[] = [];
  CHARACTER.lastIndex = 0;
  for (let found = CHARACTER.exec(text); found !== null; found = CHARACTER.exec(text)) {
    const folded = foldCharacter(decodeCharacter(found));
    parts.push(folded);
    for (let unit = 0; unit < folded.length; unit++) starts.push(found.index);
  }
  return { text: parts.join(''), starts };
}
