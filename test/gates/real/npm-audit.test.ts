import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { depAuditGate } from '../../../gates/gates/dep-audit.ts';
import { runGate } from '../../support/patch-fixture.ts';
import { listMissingPrograms } from '../../support/test-tools.ts';

describe('npm audit', () => {
  let registry: Server;
  /** What the registry answers when it is asked for known holes. */
  let answer: (asked: Readonly<Record<string, readonly string[]>>) => unknown;
  const skip = listMissingPrograms([{ needs: 'npm' }]).length > 0;
  beforeAll(async () => {
    registry = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const bulk = request.url?.endsWith('/advisories/bulk');
      const name = request.url?.slice(1) ?? '';
      const found = bulk
        ? answer(JSON.parse(gunzipSync(Buffer.concat(chunks)).toString()))
        : { name, 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': { name, version: '1.0.0' } } };
      response.writeHead(found === null ? 503 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(found));
    });
    await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => registry.close());

  const audit = (dependencies: Readonly<Record<string, string>>) => {
    const locked = (versions: Readonly<Record<string, string>>): string =>
      JSON.stringify({
        name: 'a',
        lockfileVersion: 3,
        packages: {
          '': { name: 'a', dependencies: versions },
          ...Object.fromEntries(
            Object.entries(versions).map(([name, version]) => [`node_modules/${name}`, { version }]),
          ),
        },
      });
    const manifest = (versions: Readonly<Record<string, string>>): string =>
      JSON.stringify({ name: 'a', dependencies: versions });
    const { port } = registry.address() as AddressInfo;
    return runGate(
      depAuditGate,
      {
        '.npmrc': `registry=http://127.0.0.1:${port}/\nfetch-retries=0\n`,
        'package.json': manifest({ old: '1.0.0' }),
        'package-lock.json': locked({ old: '1.0.0' }),
      },
      {
        'package.json': manifest({ old: '1.0.0', ...dependencies }),
        'package-lock.json': locked({ old: '1.0.0', ...dependencies }),
      },
    );
  };
  const hole = (id: number) => ({
    id,
    url: `https://example.org/advisories/HOLE-${id}`,
    title: `hole ${id}`,
    severity: 'high',
    vulnerable_versions: '<2.0.0',
    cwe: [],
    cvss: { score: 0, vectorString: null },
  });

  test.skipIf(skip)('tells a new hole from an old one', async () => {
    answer = (asked) =>
      Object.fromEntries(Object.keys(asked).map((name) => [name, [hole(name === 'old' ? 1 : 2)]]));
    const result = await audit({ fresh: '1.0.0' });
    expect(
      result.findings.map(({ rule, message }) => `${rule} ${message}`),
      result.detail,
    ).toEqual([
      'HOLE-2 fresh <2.0.0: hole 2 (high)',
      'HOLE-1 old <2.0.0: hole 1 (high) (was there before the patch)',
    ]);
    expect(result).toMatchObject({ outcome: 'failed', facts: { tool: 'npm', exit_code: 1 } });
  });

  test.skipIf(skip)('passes what has no known hole', async () => {
    answer = () => ({});
    expect(await audit({ fresh: '1.0.0' })).toMatchObject({ outcome: 'passed', facts: { exit_code: 0 } });
  });

  test.skipIf(skip)('has not passed when nobody answers', async () => {
    answer = () => null;
    expect(await audit({ fresh: '1.0.0' })).toMatchObject({ outcome: 'infra_failed' });
  });
});
