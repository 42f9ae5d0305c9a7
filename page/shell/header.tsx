import { go } from '../address.ts';
import type { Polled } from '../api/poll.ts';
import { hashOf, type Place } from '../place.ts';
import { nudgeText, windowText } from './news.ts';
import type { Status } from './view.ts';

interface Props {
  readonly place: Place;
  readonly status: Polled<Status>;
  readonly onHelp: () => void;
  readonly onSignOut: () => void;
}

const VIEWS: readonly { readonly place: Place; readonly name: string }[] = [
  { place: { view: 'board' }, name: 'Board' },
  { place: { view: 'quality' }, name: 'Figures' },
];

/** Where one is, whether the API answers, and how much was completed without verification. */
export function Header({ place, status, onHelp, onSignOut }: Props) {
  const nudge = status.body?.verification_nudge;
  const skip = (): void => document.getElementById('main')?.focus();
  return (
    <header>
      <button type="button" class="skip" onClick={skip}>
        Skip to the content
      </button>
      <a class="name" href={hashOf({ view: 'board' })}>
        Assay
      </a>
      <nav aria-label="Views">
        {VIEWS.map((each) => (
          <a
            key={each.name}
            href={hashOf(each.place)}
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
            title={windowText(nudge)}
            onClick={() => go({ view: 'quality' })}
          >
            {nudge.threshold_exceeded ? 'Alert: ' : ''}
            {nudgeText(nudge)}
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
        {status.trouble !== null &&
          `${status.trouble.message} What you see may be old; it is asked again by itself.`}
      </p>
    </header>
  );
}
