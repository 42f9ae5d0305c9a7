import { useState } from 'preact/hooks';
import { type ApiClient, createApiClient } from '../api/api-client.ts';
import { TokenExpiredError } from '../api/api-errors.ts';

interface Props {
  /** Why one has to sign in again; null: for the first time. */
  readonly why: string | null;
  readonly onSignIn: (api: ApiClient) => void;
}

/** Asks for the token. It is kept in the memory of this page only: whoever reloads gives it again, or lets a password manager do so. */
export function SignIn({ why, onSignIn }: Props) {
  const [token, setToken] = useState('');
  const [trouble, setTrouble] = useState(why);
  const [busy, setBusy] = useState(false);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const given = token.trim();
    // A header takes nothing else.
    if (!/^[!-~]+$/.test(given)) return setTrouble('A token is one word of letters, digits and signs.');
    setBusy(true);
    const api = createApiClient(given);
    try {
      await api.read('/status');
      onSignIn(api);
    } catch (error) {
      setTrouble(
        error instanceof TokenExpiredError
          ? error.message
          : `${(error as Error).message} Nothing was signed in.`,
      );
      setBusy(false);
    }
  };
  return (
    <main class="sign-in">
      <h1>Assay</h1>
      <form onSubmit={(event) => void submit(event)}>
        <label for="token">Operator token</label>
        <input
          id="token"
          type="password"
          autocomplete="current-password"
          spellcheck={false}
          value={token}
          aria-describedby="token-help token-trouble"
          onInput={(event) => setToken(event.currentTarget.value)}
        />
        <p id="token-help" class="dim">
          Made with <code>assay token create</code>; that of <code>assay up</code> is in{' '}
          <code>.assay-data/connection.json</code>. It stays in this page's memory and is forgotten when you
          leave.
        </p>
        <p id="token-trouble" role="alert" class="trouble">
          {trouble}
        </p>
        <button type="submit" class="primary" disabled={busy}>
          Sign in
        </button>
      </form>
    </main>
  );
}
