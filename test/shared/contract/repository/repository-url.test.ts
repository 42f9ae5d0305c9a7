import { execFile, spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  normalizeRepositoryUrl,
  parseRepositoryUrl,
} from '../../../../shared/contract/repository/repository-url.ts';

describe('the URL of a repository', () => {
  it.each([
    ['https://github.com/acme/shop.git', 'https://github.com/acme/shop.git'],
    ['HTTPS://GitHub.com/Acme/Shop.git', 'https://github.com/Acme/Shop.git'],
    ['https://git.example.org:443/x', 'https://git.example.org/x'],
    ['https://git.example.org:8443/x/', 'https://git.example.org:8443/x/'],
    ['https://dev.azure.com/org/My%20Project/_git/repo', 'https://dev.azure.com/org/My%20Project/_git/repo'],
    ['https://git.sr.ht/~user/repo', 'https://git.sr.ht/~user/repo'],
    ['https://[::1]:8443/x', 'https://[::1]:8443/x'],
    ['ssh://git@github.com/acme/shop.git', 'ssh://git@github.com/acme/shop.git'],
    ['file:///srv/git/shop.git', 'file:///srv/git/shop.git'],
  ])('%s is kept as %s', (text, href) => {
    expect(parseRepositoryUrl(text)).toMatchObject({ href });
    expect(normalizeRepositoryUrl(normalizeRepositoryUrl(text))).toBe(href);
  });

  it.each([
    'https://github.com\\@127.0.0.1:1/x',
    'https://github.com@evil.example/x',
    'https://user:pw@github.com/x',
    'https://:@github.com/x',
    'https://github.com:443@evil.example/x',
    'https://github.com#@evil.example/x',
    'https://github.com?@evil.example/x',
    'https://github.com/x?y',
    'https://github.com/x#y',
    'https://github.com/a b',
    'https://github.com/a\tb',
    'https://github.com/a\nb',
    'https://git\u0000hub.com/x',
    'https://github.com/acme/../other',
    'https://github.com/acme/%2e%2e/other',
    'https://github.com/acme/.%2E/other',
    'https://github.com/acme%2fother',
    'https://github.com/acme%5cother',
    'https://github.com/acme/%61',
    'https://github.com/acme/%2561',
    'https://github.com/acme/%00',
    'https://github.com/%C3%A9:443',
    'https://github.com//x',
    'https://-github.com/x',
    'https://github.com/-x',
    'ssh://-oProxyCommand=x/y',
    'ssh://-x@host/y',
    'ssh://git:pw@host/y',
    'https://0x7f.1/x',
    'https://127.1/x',
    'https://2130706433/x',
    'https://[0:0:0:0:0:0:0:1]/x',
    'https://github.com./x',
    'https://github.com:0443/x',
    'https://github.com:/x',
    'https://github.com:99999/x',
    'https://ｇithub.com/x',
    'https://github。com/x',
    'https:github.com/x',
    'https:///github.com/x',
    'http://github.com/x',
    'git://github.com/x',
    'ext::sh -c x',
    'git@github.com:acme/shop.git',
    'file://host/x',
    'file:///srv/../etc',
    '-x',
    '',
  ])('%j is refused with a reason', (text) => {
    expect(parseRepositoryUrl(text)).toEqual({ error: expect.stringMatching(/^(must|is) /) });
  });
});

/** What git takes a URL for; null when it does not take it. */
function gitReads(url: string): Record<string, string> | null {
  const helper = '!f() { cat; echo username=u; echo password=p; }; f';
  const run = spawnSync(
    'git',
    [
      '-c',
      'credential.helper=',
      '-c',
      `credential.helper=${helper}`,
      '-c',
      'credential.useHttpPath=true',
      'credential',
      'fill',
    ],
    {
      input: `url=${url}\n\n`,
      encoding: 'utf8',
      env: {
        PATH: process.env['PATH'] ?? '',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_TERMINAL_PROMPT: '0',
      },
    },
  );
  if (run.status !== 0) return null;
  return Object.fromEntries(
    run.stdout
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

/** Pieces that parsers quarrel over. */
const PIECE = fc.constantFrom(
  ...[
    'a',
    'B',
    '0',
    '7f',
    '.',
    '..',
    '-',
    '_',
    '~',
    '@',
    ':',
    '/',
    '//',
    '\\',
    '?',
    '#',
    '%',
    '%2e',
    '%2F',
    '%20',
    '%41',
  ],
  ...[
    '%C3%A9',
    '[',
    ']',
    '::1',
    ';',
    '&',
    '=',
    '+',
    ',',
    '!',
    '$',
    ' ',
    '\t',
    '443',
    ':443',
    ':8443',
    'github.com',
    'xn--',
    'é',
    '。',
  ],
);
const TEXT = fc
  .tuple(
    fc.constantFrom('https://', 'HTTPS://', 'https:/', 'https:'),
    fc.oneof(
      fc.constant('github.com'),
      fc.array(PIECE, { minLength: 1, maxLength: 4 }).map((all) => all.join('')),
    ),
    fc.array(PIECE, { maxLength: 7 }).map((all) => all.join('')),
  )
  .map((all) => all.join(''));

describe('git', () => {
  it('reads every URL that is taken as we do', () => {
    let taken = 0;
    fc.assert(
      fc.property(TEXT, (text) => {
        const ours = parseRepositoryUrl(text);
        if ('error' in ours) return;
        taken++;
        const theirs = gitReads(ours.href);
        expect(theirs).toMatchObject({ protocol: ours.protocol, host: ours.authority });
        const path = decodeURIComponent(ours.segments.join('/'));
        expect((theirs?.['path'] ?? '').replace(/\/$/, '')).toBe(path);
      }),
      { numRuns: 4_000 },
    );
    expect(taken).toBeGreaterThan(20);
  }, 120_000);

  it.each([
    ['https://github.com/acme/shop.git', 'github.com:443'],
    ['https://a_b.example:8443/x', 'a_b.example:8443'],
    ['https://git.example.org/a@b:c/x', 'git.example.org:443'],
    ['https://[::1]:8443/x', '[::1]:8443'],
  ])('goes to the host and port of %s that we read', async (url, target) => {
    expect(parseRepositoryUrl(url)).toMatchObject({ href: url });
    const asked = await new Promise<string>((resolve, reject) => {
      const proxy = createServer((socket) => {
        socket.once('data', (chunk) => {
          resolve(chunk.toString('latin1').split(' ')[1] ?? '');
          socket.destroy();
          proxy.close();
        });
      }).listen(0, '127.0.0.1', () => {
        const { port } = proxy.address() as { port: number };
        execFile(
          'git',
          ['-c', `http.proxy=http://127.0.0.1:${port}`, 'ls-remote', url],
          {
            env: {
              PATH: process.env['PATH'] ?? '',
              GIT_CONFIG_GLOBAL: '/dev/null',
              GIT_CONFIG_NOSYSTEM: '1',
              GIT_TERMINAL_PROMPT: '0',
            },
          },
          () => reject(new Error('git has ended without asking')),
        );
      });
    });
    expect(asked).toBe(target);
  });
});
