import type { PollState } from '../api/use-poll.ts';
import { navigate } from '../navigation.ts';
import { type PageRoute, pageRouteHash } from '../page-route.ts';
import { formatVerificationWindow, verificationNudgeText } from './verification-nudge-text.ts';
import type { TaskStatusSnapshot } from './view-props.ts';

interface Props {
  readonly place: PageRoute;
  readonly status: PollState<TaskStatusSnapshot>;
  readonly onHelp: () => void;
  readonly onSignOut: () => void;
}

const VIEWS: readonly { readonly place: PageRoute; readonly name: string }[] = [
  { place: { view: 'board' }, name: 'Board' },
  { place: { view: 'quality' }, name: 'Quality' },
];

/** Where one is, whether the API answers, and how much was completed without verification. */
export function PageHeader({ place, status, onHelp, onSignOut }: Props) {
  const nudge = status.body?.verification_nudge;
  const skip = (): void => document.getElementById('main')?.focus();
  return (
    <header>
      <button type="button" class="skip" onClick={skip}>
        Skip to the content
      </button>
      <a class="name" href={pageRouteHash({ view: 'board' })}>
        Assay
      </a>
      <nav aria-label="Views">
        {VIEWS.map((each) => (
          <a
            key={each.name}
            href={pageRouteHash(each.place)}
            aria-current={place.view === each.place.view ? 'page' : undefined}
          >
            {each.name}
          </a>
        ))}
      </nav>
      <div class="grow">
        {nudge && nudge.unverified_count > 0 && (
          <button
            type="button"
            class={`badge ${nudge.threshold_exceeded ? 'bad' : 'warn'}`}
            title={formatVerificationWindow(nudge)}
            onClick={() => navigate({ view: 'quality' })}
          >
            {nudge.threshold_exceeded ? 'Alert: ' : ''}
            {verificationNudgeText(nudge)}
          </button>
        )}
      </div>
      <button type="button" onClick={onHelp}>
        Keys
      </button>
      <button type="button" onClick={onSignOut}>
        Sign out
      </button>
      <p class="away" role="alert">
        {status.error !== null &&
          `${status.error.message} The page may be out of date; it retries by itself.`}
      </p>
    </header>
  );
}
