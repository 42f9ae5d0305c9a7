import { expect, test } from 'vitest';
import { selectPushCredential } from '../../../functions/deliver/deliver-work.ts';
import { buildGitEnvironment } from '../../../workspace/git/git-environment.ts';

const SECRET = JSON.stringify({
  credentials: [
    { url: 'https://github.com/acme', token: 'ghs_acme' },
    { url: 'https://github.com/acme/vault', authorization: 'Bearer vault' },
    { url: 'https://git.example.org:8443/', token: 'tok' },
  ],
});
const basic = (token: string) => `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;

test.each([
  ['https://github.com/acme/shop.git', basic('ghs_acme')],
  ['https://github.com/acme/vault', 'Bearer vault'],
  ['https://github.com/acme/vault/sub', 'Bearer vault'],
  ['https://git.example.org:8443/any/thing', basic('tok')],
])('for %s is that of the longest prefix', (repository, header) => {
  expect(selectPushCredential(SECRET, repository)).toBe(header);
});

test.each([
  'https://github.com/acme-evil/shop.git',
  'https://github.com/other/shop.git',
  'https://github.com/Acme/shop.git',
  'https://github.com:8443/acme/shop.git',
  'https://github.com.evil.example/acme/shop.git',
  'https://evil.example/github.com/acme/shop.git',
  'https://git.example.org/any/thing',
  'ssh://git@github.com/acme/shop.git',
  'file:///srv/acme/shop.git',
])('is not for %s: nothing is pushed there', (repository) => {
  expect(() => selectPushCredential(SECRET, repository)).toThrow('has no credential to push to');
});

test.each([
  'https://github.com\\@127.0.0.1:1/acme/shop.git',
  'https://github.com/acme/../other/shop.git',
  'https://GitHub.com/acme/shop.git',
  'https://github.com/acme/shop.git?x',
])('is not looked for when the URL is not plain: %s', (repository) => {
  expect(() => selectPushCredential(SECRET, repository)).toThrow('not in its plain form');
  expect(() => selectPushCredential(null, repository)).toThrow('not in its plain form');
});

test.each([
  ['ghs_bare_token', 'is not JSON'],
  ['{"credentials":[]}', '/credentials'],
  ['{"credentials":[{"url":"https://github.com/a"}]}', '/credentials/0'],
  ['{"credentials":[{"url":"http://github.com/a","token":"hush"}]}', '/credentials/0'],
  ['{"credentials":[{"url":"https://github.com/a","token":"hush me"}]}', '/credentials/0'],
  [
    '{"credentials":[{"url":"https://a.example/x","token":"hush"},{"url":"https://a.example/x/","token":"hush"}]}',
    '/credentials/1/url',
  ],
])('that is no good (%s) is refused, and not told', (secret, where) => {
  expect(() => selectPushCredential(secret, 'https://github.com/acme/shop.git')).toThrow(where);
  expect(() => selectPushCredential(secret, 'https://github.com/acme/shop.git')).not.toThrow(/hush|ghs_/);
});

test('is handed to git for that repository alone, which may not follow it elsewhere', () => {
  const environment = buildGitEnvironment({
    url: 'https://github.com/acme/shop.git',
    authorization: 'Bearer x',
  });
  const settings = Object.entries(environment)
    .filter(([name]) => name.startsWith('GIT_CONFIG_KEY_'))
    .map(([name, key]) => [key, environment[name.replace('KEY', 'VALUE')]]);
  expect(settings).toContainEqual(['http.followRedirects', 'false']);
  expect(settings.filter(([, value]) => value?.includes('Bearer x'))).toEqual([
    ['http.https://github.com/acme/shop.git.extraHeader', 'Authorization: Bearer x'],
  ]);
});

test('is for nobody in a deployment that has none', () => {
  expect(selectPushCredential(null, 'https://github.com/acme/shop.git')).toBeNull();
});
