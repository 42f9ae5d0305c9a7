/** Called for each word that ends before `end`; `word` is its place in the list. */
type WordMatchHandler = (word: number, end: number) => void;

const A = 0x41;
const Z = 0x5a;
const LOWER = 0x20;

interface TrieNode {
  readonly next: Map<number, TrieNode>;
  /** The longest other node that is a suffix of this one; null for the root. */
  fail: TrieNode | null;
  words: number[];
  state: number;
}

/**
 * Finds many words in one pass over bytes, whatever the words are (Aho and Corasick, 1975). ASCII letters match in either
 * case. The work is one table look-up per byte and one call per hit.
 */
export class AhoCorasickAutomaton {
  readonly #classes = new Uint8Array(256);
  readonly #shift: number;
  readonly #table: Uint16Array;
  /** States from here on end at least one word. */
  readonly #accepting: number;
  readonly #words: readonly (readonly number[])[];

  /** @param words lower case, not empty, Latin-1. */
  constructor(words: readonly string[]) {
    const bytes = [...new Set(Buffer.from(words.join(''), 'latin1'))];
    for (const [index, byte] of bytes.entries()) this.#classes[byte] = index + 1;
    for (let byte = A; byte <= Z; byte++) this.#classes[byte] = this.#classes[byte | LOWER] ?? 0;
    this.#shift = Math.ceil(Math.log2(bytes.length + 1));

    const nodes = trie(words);
    const order = [
      ...nodes.filter((node) => node.words.length === 0),
      ...nodes.filter((node) => node.words.length > 0),
    ];
    for (const [state, node] of order.entries()) node.state = state;
    this.#words = order.filter((node) => node.words.length > 0).map((node) => node.words);
    this.#accepting = order.length - this.#words.length;
    this.#table = new Uint16Array(order.length << this.#shift);
    // By distance from the root: what a node lacks, the one that it fails to has already.
    for (const node of nodes) {
      const row = node.state << this.#shift;
      const fail = (node.fail?.state ?? 0) << this.#shift;
      for (let column = 1; column <= bytes.length; column++)
        this.#table[row | column] =
          node.next.get(bytes[column - 1] ?? -1)?.state ??
          (node.fail ? (this.#table[fail | column] ?? 0) : 0);
    }
  }

  scan(bytes: Uint8Array, hit: WordMatchHandler): void {
    const classes = this.#classes;
    const table = this.#table;
    const shift = this.#shift;
    const accepting = this.#accepting;
    let state = 0;
    for (let at = 0; at < bytes.length; at++) {
      state = table[(state << shift) | (classes[bytes[at] as number] as number)] as number;
      if (state >= accepting)
        for (const word of this.#words[state - accepting] as readonly number[]) hit(word, at + 1);
    }
  }
}

const leaf = (): TrieNode => ({ next: new Map(), fail: null, words: [], state: 0 });

/** The nodes of all words, by their distance from the root. */
function trie(words: readonly string[]): TrieNode[] {
  const root = leaf();
  for (const [index, word] of words.entries()) {
    let node = root;
    for (const byte of Buffer.from(word, 'latin1')) {
      const next = node.next.get(byte) ?? leaf();
      node.next.set(byte, next);
      node = next;
    }
    node.words.push(index);
  }
  const nodes = [root];
  for (const node of nodes)
    for (const [byte, child] of node.next) {
      let fail = node.fail;
      while (fail && !fail.next.has(byte)) fail = fail.fail;
      child.fail = fail?.next.get(byte) ?? root;
      child.words = [...child.words, ...child.fail.words];
      nodes.push(child);
    }
  return nodes;
}
