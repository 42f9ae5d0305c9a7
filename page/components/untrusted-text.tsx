import { useState } from 'preact/hooks';
import { escapeInvisibleCharacters } from './escape-text.ts';

/** Characters and lines of a text that are shown before somebody asks for more: a line may be a megabyte long. */
const MOST_CHARACTERS = 4_000;
const MOST_LINES = 60;

function cut(text: string, times: number): string {
  const lines = text.slice(0, MOST_CHARACTERS * times).split('\n');
  return lines.slice(0, MOST_LINES * times).join('\n');
}

/** Text from outside, as text: never markup, nothing in it unseen. */
export function UntrustedText({ text }: { readonly text: string }) {
  const [times, setTimes] = useState(1);
  const shown = cut(text, times);
  const rest = text.length - shown.length;
  return (
    <div class="text">
      <pre dir="ltr">{escapeInvisibleCharacters(shown)}</pre>
      {rest > 0 && (
        <button type="button" onClick={() => setTimes((before) => before * 4)}>
          Show more ({rest.toLocaleString('en')} characters are left)
        </button>
      )}
    </div>
  );
}
