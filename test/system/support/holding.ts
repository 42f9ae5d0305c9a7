import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Files of the stack that hold one of the tokens, in plain or as git sends it. */
export function holding(folder: string, tokens: readonly string[]): string[] {
  const forms = tokens.flatMap((token) => [token, Buffer.from(`x-access-token:${token}`).toString('base64')]);
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => {
      const text = readFileSync(path, 'latin1');
      return forms.some((form) => text.includes(form));
    })
    .map((path) => relative(folder, path));
}
