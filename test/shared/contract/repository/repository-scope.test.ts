import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GitCredentialsSecret } from '../../../../shared/contract/repository/git-secret.ts';
import {
  findDuplicateScopes,
  findMostSpecificScope,
} from '../../../../shared/contract/repository/repository-url.ts';
import { PushCredentials } from '../../../../shared/contract/repository/schema.ts';
import { ForgeCredentialsSecret, ForgeSettings } from '../../../../shared/control/forge/forge-settings.ts';

const HOST = 'https://git.example.com';
const path = fc.array(fc.constantFrom('a', 'b', 'shop', 'x.y'), { minLength: 1, maxLength: 4 });
const suffix = fc.constantFrom('', '.git');
const urlOf = (segments: readonly string[], end = ''): string => `${HOST}/${segments.join('/')}${end}`;

describe('the most specific scope of a repository', () => {
  it('is the longest one that covers it, whatever the order and whichever side has .git', () => {
    const scopes = fc.array(fc.tuple(path, suffix), { maxLength: 8 });
    fc.assert(
      fc.property(scopes, path, suffix, fc.integer(), (all, wanted, end, turn) => {
        const listed = all
          .map(([segments, git]) => ({ url: urlOf(segments, git), segments, isRepository: git !== '' }))
          .filter((_, index, each) => !findDuplicateScopes(each).includes(index));
        const at = Math.abs(turn) % (listed.length + 1);
        const rotated = [...listed.slice(at), ...listed.slice(0, at)];
        const covering = listed.filter(
          ({ segments, isRepository }) =>
            segments.every((segment, index) => segment === wanted[index]) &&
            (!isRepository || segments.length === wanted.length),
        );
        const longest = covering.sort((a, b) => b.segments.length - a.segments.length)[0];
        for (const repository of [urlOf(wanted, end), `${urlOf(wanted, end)}/`])
          expect(findMostSpecificScope(rotated, repository)?.url).toBe(longest?.url);
      }),
    );
  });

  it.each([
    [`${HOST}/acme/shop`, `${HOST}/acme/shop.git`],
    [`${HOST}/acme/shop.git`, `${HOST}/acme/shop`],
    [`${HOST}/acme/shop.git`, `${HOST}/acme/shop.git/`],
  ])('is %s for %s, and not its owner', (url, repository) => {
    expect(findMostSpecificScope([{ url: `${HOST}/acme` }, { url }], repository)?.url).toBe(url);
  });

  it.each([
    [`${HOST}/acme/shop`, `${HOST}/acme/shop.gitx`],
    [`${HOST}/acme/shop.git`, `${HOST}/acme/shop/other`],
    [`${HOST}/acme/shop.git`, `${HOST}/acme/shop.git/other`],
    [`${HOST}/acme`, `${HOST}/acme.git/shop`],
  ])('%s does not cover %s', (url, repository) => {
    expect(findMostSpecificScope([{ url }], repository)).toBeNull();
  });
});

describe('two entries for the same scope', () => {
  const same = [`${HOST}/acme/shop`, `${HOST}/acme/shop.git`];
  it.each([
    ['push credentials', PushCredentials, 'credentials', (url: string) => ({ url, token: 't' })],
    ['read credentials', GitCredentialsSecret, 'credentials', (url: string) => ({ url, token: 't' })],
    ['forge credentials', ForgeCredentialsSecret, 'credentials', (url: string) => ({ url, token: 't' })],
    ['forges', ForgeSettings, null, (url: string) => ({ url, forge: 'github' })],
  ] as const)(
    'are refused in the %s, also where they differ in .git or a slash',
    (_, schema, field, entry) => {
      for (const urls of [same, [same[0], same[0]], [same[0], `${same[0]}/`]]) {
        const list = urls.map((url) => entry(url ?? ''));
        const read = schema.safeParse(field === null ? list : { [field]: list });
        expect(read.error?.issues).toMatchObject([
          { path: [...(field === null ? [] : [field]), 1, 'url'], message: 'is listed twice' },
        ]);
      }
    },
  );
});
