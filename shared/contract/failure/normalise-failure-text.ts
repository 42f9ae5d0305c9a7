/** What differs between two runs that fail in the same way, and what stands for it; in this order. */
const VARYING_PARTS: readonly (readonly [RegExp, string])[] = [
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours of terminals
  [/\u001b\[[0-9;?]*[a-z]/g, ''],
  [/(?:[a-z]:)?(?:[\w.@+~-]{0,255}[\\/]){1,64}[\w.@+~-]{1,255}(?::\d+){0,2}/g, '<path>'],
  [/\b\d{4}-\d\d-\d\d(?:[t ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:z|[+-]\d\d:?\d\d)?)?(?![\w-])/g, '<time>'],
  [/\b\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?\b/g, '<time>'],
  [
    /\b\d{1,12}(?:[.,]\d{1,9})? ?(?:ns|us|µs|ms|s|secs?|seconds?|m|mins?|minutes?|h|hours?)(?![\w/-])/g,
    '<time>',
  ],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<address>'],
  [/\b0x[0-9a-f]{1,32}\b/g, '<address>'],
  [/\b(?=[a-f]{0,64}[0-9])[0-9a-f]{7,64}\b(?![./-])/g, '<address>'],
  [/(?<![\w<])[-+]?\d+(?:[.,]\d+)*(?![\w>])/g, '<n>'],
  [/\s+/g, ' '],
];

/** A text without what differs between two runs that fail in the same way: paths, numbers, times, addresses, colours, spaces. */
export function normaliseFailureText(text: string): string {
  return VARYING_PARTS.reduce(
    (rest, [what, stands]) => rest.replaceAll(what, stands),
    text.toLowerCase(),
  ).trim();
}
