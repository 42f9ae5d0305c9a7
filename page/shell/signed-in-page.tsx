import { useCallback, useMemo, useState } from 'preact/hooks';
import type { ApiClient } from '../api/api-client.ts';
import { useApiPolling } from '../api/use-poll.ts';
import { TaskBoard } from '../board/board.tsx';
import { useShortcuts } from '../components/shortcuts.ts';
import { navigate, usePageRoute } from '../navigation.ts';
import { NO_FILTER } from '../page-route.ts';
import { QualityPage } from '../quality/quality-page.tsx';
import { TaskPage } from '../task/task-page.tsx';
import { PageHeader } from './page-header.tsx';
import { ShortcutHelp } from './shortcut-help.tsx';
import { Toasts, useToasts } from './toasts.tsx';
import { useVerificationNudge } from './use-verification-nudge.ts';
import type { TaskStatusSnapshot, ViewProps } from './view-props.ts';

interface Props {
  readonly api: ApiClient;
  readonly onTokenExpired: () => void;
  readonly onSignOut: () => void;
}

/** What somebody with a token sees: the header, one view, and what is told in passing. */
export function SignedInPage({ api, onTokenExpired, onSignOut }: Props) {
  const place = usePageRoute();
  const [help, setHelp] = useState(false);
  const toasts = useToasts();
  const status = useApiPolling<TaskStatusSnapshot>(api, '/status', onTokenExpired);
  useVerificationNudge(status.body?.verification_nudge ?? null, place, toasts.say);
  const shortcuts = useMemo(
    () => [
      { keys: 'g b', description: 'Go to the board', run: () => navigate({ view: 'board' }) },
      { keys: 'g q', description: 'Go to the quality page', run: () => navigate({ view: 'quality' }) },
      { keys: '?', description: 'Show what keys do', run: () => setHelp(true) },
    ],
    [],
  );
  useShortcuts(shortcuts);
  const closeHelp = useCallback(() => setHelp(false), []);
  const common: ViewProps = { api, onTokenExpired, showToast: toasts.say };
  return (
    <>
      <PageHeader place={place} status={status} onHelp={() => setHelp(true)} onSignOut={onSignOut} />
      <main id="main" tabIndex={-1}>
        {place.view === 'task' ? (
          <TaskPage key={place.id} id={place.id} {...common} />
        ) : place.view === 'quality' ? (
          <QualityPage {...common} status={status.body} />
        ) : (
          <TaskBoard {...common} status={status} filter={place.filter ?? NO_FILTER} />
        )}
      </main>
      <Toasts toasts={toasts.toasts} />
      {help && <ShortcutHelp onClose={closeHelp} />}
    </>
  );
}
