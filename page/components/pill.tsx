/** A word in a coloured frame; the style sheet has the colours of the words. */
export const Pill = ({ word }: { readonly word: string }) => (
  <span class={`pill ${word.replaceAll(/[ _]/g, '-')}`}>{word.replaceAll('_', ' ')}</span>
);
