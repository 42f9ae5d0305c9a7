import { useCallback, useMemo, useState } from 'preact/hooks';
import { go, usePlace } from '../address.ts';
import type { Api } from '../api/client.ts';
import { usePoll } from '../api/poll.ts';
import { Board } from '../board/board.tsx';
import { useShortcuts } from '../components/keys.ts';
import { QualityPage } from '../quality/quality-page.tsx';
import { TaskPage } from '../task/task-page.tsx';
import { Header } from './header.tsx';
import { Help } from './help.tsx';
import { useNudge } from './nudge.ts';
import { Toasts, useToasts } from './toasts.tsx';
import type { Status, ViewProps } from './view.ts';

interface Props {
  readonly api: Api;
  readonly onTokenOver: () => void;
  readonly onSignOut: () => void;
}

/** What somebody with a token sees: the header, one view, and what is told in passing. */
export function Desk({ api, onTokenOver, onSignOut }: Props) {
  const place = usePlace();
  const [help, setHelp] = useState(false);
  const toasts = useToasts();
  const status = usePoll<Status>(api, '/status', onTokenOver);
  useNudge(status.body?.verification_nudge ?? null, place, toasts.say);
  const shortcuts = useMemo(
    () => [
      { keys: 'g b', does: 'Go to the board', run: () => go({ view: 'board' }) },
      { keys: 'g q', does: 'Go to the figures', run: () => go({ view: 'quality' }) },
      { keys: '?', does: 'Show what keys do', run: () => setHelp(true) },
    ],
    [],
  );
  useShortcuts(shortcuts);
  const closeHelp = useCallback(() => setHelp(false), []);
  const common: ViewProps = { api, onTokenOver, say: toasts.say };
  return (
    <>
      <Header place={place} status={status} onHelp={() => setHelp(true)} onSignOut={onSignOut} />
      <main id="main" tabIndex={-1}>
        {place.view === 'task' ? (
          <TaskPage key={place.id} id={place.id} {...common} />
        ) : place.view === 'quality' ? (
          <QualityPage {...common} status={status.body} />
        ) : (
          <Board {...common} status={status} />
        )}
      </main>
      <Toasts toasts={toasts.toasts} />
      {help && <Help onClose={closeHelp} />}
    </>
  );
}
