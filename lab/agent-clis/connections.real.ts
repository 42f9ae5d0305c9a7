import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTemporaryFolder } from '../../test/support/git-repository.ts';
import { type ModelServer, startModelServer } from '../../test/support/models/model-server.ts';
import { findProgram } from '../../test/support/test-tools.ts';
import { INSTALLED_CLIS } from './installed-clis.ts';
import { runCli } from './run-cli.ts';

const canTrace = findProgram('strace') !== null;
if (!canTrace)
  console.warn(
    `SKIPPED ${INSTALLED_CLIS.filter((kind) => kind !== 'opencode').length + 1} tests of connections for want of strace`,
  );

/** Writes down each address that a program or a child of it sends anything to. */
const traced = (file: string): string =>
  `strace -f -qq -s 0 -e trace=connect,sendto,sendmsg,sendmmsg -o '${file}'`;

/** Addresses in a trace that are not of this machine. */
const outside = (file: string): readonly string[] =>
  [...readFileSync(file, 'utf8').matchAll(/(?:inet_addr\("|inet_pton\(AF_INET6, ")([^"]+)"/g)]
    .map(([, address = '']) => address)
    .filter((address) => !/^(?:127\.|::1$|::ffff:127\.|0\.0\.0\.0$|::$)/.test(address));

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.stop());

describe.runIf(canTrace)('what a CLI talks to', () => {
  it('is seen, names that are looked up included', () => {
    const file = join(createTemporaryFolder(), 'trace');
    const ask =
      "require('node:net').connect(9, '192.0.2.1').on('error', () => {}); setTimeout(() => process.exit(), 200)";
    execFileSync('bash', ['-c', `${traced(file)} ${process.execPath} -e "${ask}"`]);
    expect(outside(file)).toContain('192.0.2.1');
  });

  // OpenCode fetches a package from the registry into its empty home at each first run: docs/STATE.md.
  it.each(INSTALLED_CLIS.filter((kind) => kind !== 'opencode'))(
    'is the gateway alone, with %s: no telemetry, no updates, no look-ups',
    async (kind) => {
      const file = join(createTemporaryFolder(), 'trace');
      const { failure } = await runCli(server, {
        kind,
        scenario: 'ok',
        commandPrefix: traced(file),
        timeoutS: 200,
      });
      expect(failure).toBeNull();
      expect(existsSync(file)).toBe(true);
      expect([...new Set(outside(file))]).toEqual([]);
    },
  );
});
