/** The words of the commands of a line that `&&` joins; null for a line that does anything else than run them one after another. */
export function parseShellCommands(line: string): string[][] | null {
  const commands: string[][] = [];
  let words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  for (let at = 0; at < line.length; at++) {
    const letter = line[at] ?? '';
    if (quote !== null) {
      if (letter === quote) quote = null;
      else if (quote === '"' && /[$`\\]/.test(letter)) return null;
      else word += letter;
    } else if (letter === '"' || letter === "'") {
      quote = letter;
      word ??= '';
    } else if (letter === '&' && line[at + 1] === '&') {
      at++;
      if (word !== null) words.push(word);
      if (words.length === 0) return null;
      commands.push(words);
      words = [];
      word = null;
    } else if (/[;|&<>()$`\\\n\r!#]/.test(letter)) return null;
    else if (/\s/.test(letter)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? '') + letter;
  }
  if (quote !== null) return null;
  if (word !== null) words.push(word);
  if (words.length === 0) return null;
  return [...commands, words];
}
