import { useEffect, useState } from 'preact/hooks';
import type * as z from 'zod';
import type { ArtifactPartResponse } from '../../shared/api/artifact-schemas.ts';
import type { AttemptView } from '../../shared/api/task-schemas.ts';
import type { Screenshot } from '../../shared/contract/screenshot.ts';
import { formatCount } from '../../shared/lib/format.ts';
import { TokenExpiredError } from '../api/api-errors.ts';
import type { ViewProps } from '../shell/view-props.ts';

type Of = Pick<ViewProps, 'api' | 'onTokenExpired'> & { readonly id: string; readonly attempt: number };

/** One picture. It comes with the token, which no address may carry, and is shown from memory; it is a PNG, whatever it holds. */
function Picture({ shot, id, attempt, api, onTokenExpired }: Of & { readonly shot: Screenshot }) {
  const [url, setUrl] = useState<string | null>(null);
  const [trouble, setTrouble] = useState('');
  const { name, path, width, height } = shot;
  useEffect(() => {
    let made: string | null = null;
    let over = false;
    const asked = `/tasks/${encodeURIComponent(id)}/artifact?kind=screenshot&attempt=${attempt}&name=${encodeURIComponent(name)}`;
    api.read<z.infer<typeof ArtifactPartResponse>>(asked).then(
      (read) => {
        if (over || read === null) return;
        const bytes = Uint8Array.from(atob(read.body.text), (each) => each.charCodeAt(0));
        made = URL.createObjectURL(new Blob([bytes], { type: 'image/png' }));
        setUrl(made);
      },
      (error: Error) => {
        if (over) return;
        if (error instanceof TokenExpiredError) onTokenExpired();
        else setTrouble(error.message);
      },
    );
    return () => {
      over = true;
      if (made !== null) URL.revokeObjectURL(made);
    };
  }, [api, id, attempt, name, onTokenExpired]);
  const said = `${name}: the page ${path} in ${width} by ${height} pixels`;
  return (
    <figure>
      <figcaption>
        {name} <span class="dim">{`${path}, ${width} × ${height}`}</span>
      </figcaption>
      {url === null ? (
        <p role="status" class="dim">
          {trouble === '' ? 'Loading …' : trouble}
        </p>
      ) : (
        <img class="shot" src={url} alt={said} width={width} height={height} />
      )}
    </figure>
  );
}

/** What a browser of ours has seen of the application. */
export function ScreenshotsSection({
  attempt,
  id,
  api,
  onTokenExpired,
}: ViewProps & { readonly attempt: AttemptView; readonly id: string }) {
  const [open, setOpen] = useState(false);
  const shots = (attempt.verification?.gates ?? []).flatMap(({ screenshots = [] }) => screenshots);
  if (shots.length === 0) return null;
  return (
    <details class="part" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{formatCount(shots.length, 'screenshot')}</summary>
      {open &&
        shots.map((shot) => (
          <Picture
            key={shot.name}
            shot={shot}
            id={id}
            attempt={attempt.number}
            api={api}
            onTokenExpired={onTokenExpired}
          />
        ))}
    </details>
  );
}
