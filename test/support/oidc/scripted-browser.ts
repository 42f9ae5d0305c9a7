/** Follows redirects and sends forms as a browser does: enough for the pages of `oidc-provider`. */
export class ScriptedBrowser {
  readonly #cookies = new Map<string, string>();

  /** Opens an address, signs in as an account, and agrees to everything until no form is left. */
  async signIn(address: string, account: string): Promise<void> {
    let page = await this.#get(address);
    for (let step = 0; step < 10; step++) {
      const [, attributes = '', content = ''] = /<form([^>]*)>([\s\S]*?)<\/form>/.exec(page.text) ?? [];
      const action = /action="([^"]+)"/.exec(attributes)?.[1];
      if (action === undefined) return;
      const form = new URLSearchParams();
      for (const [, field = ''] of content.matchAll(/<input([^>]*)>/g)) {
        const name = /name="([^"]+)"/.exec(field)?.[1];
        if (name !== undefined) form.set(name, /value="([^"]*)"/.exec(field)?.[1] ?? '');
      }
      if (form.has('login')) form.set('login', account);
      if (form.has('password')) form.set('password', 'any');
      if (form.has('abort')) form.delete('abort');
      page = await this.#ask(new URL(action, page.url).href, form);
    }
    throw new Error(`the pages did not end: ${page.url}`);
  }

  #get(url: string) {
    return this.#ask(url);
  }

  async #ask(url: string, form?: URLSearchParams): Promise<{ readonly url: string; readonly text: string }> {
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: form }),
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';');
      const at = pair.indexOf('=');
      this.#cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    const location = answer.headers.get('location');
    const text = await answer.text();
    return location === null ? { url, text } : this.#get(new URL(location, url).href);
  }
}
