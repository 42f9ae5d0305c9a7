import { useCallback, useState } from 'preact/hooks';
import type { ApiClient } from './api/api-client.ts';
import { SignIn } from './shell/sign-in.tsx';
import { SignedInPage } from './shell/signed-in-page.tsx';

/** The whole page: who has no token is asked for one, and whose token has ended is asked again where they were. */
export function PageApp() {
  const [api, setApi] = useState<ApiClient | null>(null);
  const [why, setWhy] = useState<string | null>(null);
  const onTokenExpired = useCallback(() => {
    setApi(null);
    setWhy(
      'Your token is over, was revoked, or is not known any more. Give another one: you come back to where you were.',
    );
  }, []);
  const onSignOut = useCallback(() => {
    setApi(null);
    setWhy(null);
  }, []);
  return api === null ? (
    <SignIn why={why} onSignIn={setApi} />
  ) : (
    <SignedInPage api={api} onTokenExpired={onTokenExpired} onSignOut={onSignOut} />
  );
}
