import { useState } from 'preact/hooks';
import type { AttemptView } from '../../shared/api/schemas.ts';
import { Text } from '../components/text.tsx';
import type { ViewProps } from '../shell/view.ts';
import { useArtifact } from './artifact.ts';

/** What the agent said and did meanwhile, in its own words: a claim, shown as text. */
export function TranscriptPart({
  attempt,
  id,
  api,
  onTokenOver,
}: ViewProps & { readonly attempt: AttemptView; readonly id: string }) {
  const [open, setOpen] = useState(false);
  const of = { id, attempt: attempt.number, kind: 'transcript' } as const;
  const transcript = useArtifact(api, of, { wanted: open, whole: 1, onTokenOver });
  return (
    <details class="part" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Transcript</summary>
      <p role="status" class="dim">
        {transcript.text === null && transcript.trouble === '' && 'Asking …'}
        {transcript.trouble}
      </p>
      {transcript.text !== null && <Text text={transcript.text} />}
      {transcript.next !== null && transcript.text !== null && (
        <button type="button" onClick={transcript.more}>
          Read on: {transcript.next.toLocaleString('en')} of {transcript.bytes.toLocaleString('en')} bytes are
          here
        </button>
      )}
    </details>
  );
}
