import { useState } from 'preact/hooks';
import type { AttemptView } from '../../shared/api/task-schemas.ts';
import { UntrustedText } from '../components/untrusted-text.tsx';
import type { ViewProps } from '../shell/view-props.ts';
import { useArtifact } from './use-artifact.ts';

/** What the agent said and did meanwhile, in its own words: a claim, shown as text. */
export function TranscriptSection({
  attempt,
  id,
  api,
  onTokenExpired,
}: ViewProps & { readonly attempt: AttemptView; readonly id: string }) {
  const [open, setOpen] = useState(false);
  const of = { id, attempt: attempt.number, kind: 'transcript' } as const;
  const transcript = useArtifact(api, of, { wanted: open, whole: 1, onTokenExpired });
  return (
    <details class="part" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Transcript</summary>
      <p role="status" class="dim">
        {transcript.text === null && transcript.error === '' && 'Loading …'}
        {transcript.error}
      </p>
      {transcript.text !== null && <UntrustedText text={transcript.text} />}
      {transcript.nextOffset !== null && transcript.text !== null && (
        <button type="button" onClick={transcript.loadMore}>
          Read on: {transcript.nextOffset.toLocaleString('en')} of {transcript.bytes.toLocaleString('en')}{' '}
          bytes are here
        </button>
      )}
    </details>
  );
}
