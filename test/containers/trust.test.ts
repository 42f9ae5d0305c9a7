import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { BOX_ENV } from '../../shared/contract/names.ts';
import { gitEnvironment } from '../../workspace/git/environment.ts';
import { commandEnvironment } from '../../workspace/process/environment.ts';
import { trustPrivateCas } from '../../workspace/supervisor/trust.ts';

const OURS = '-----BEGIN CERTIFICATE-----\nours\n-----END CERTIFICATE-----\n';
const folder = () => mkdtempSync(join(tmpdir(), 'assay-trust-'));

describe('authorities of a deployment', () => {
  it('are trusted beside the public ones, by git, OpenSSL and Node, and by commands of the repository', async () => {
    const environment: Record<string, string | undefined> = { [BOX_ENV.caBundle]: OURS };
    await trustPrivateCas(folder(), environment);
    const file = environment['GIT_SSL_CAINFO'] ?? '';
    const bundle = readFileSync(file, 'utf8');
    expect(bundle).toContain(OURS);
    expect(bundle).toContain(rootCertificates[0]);
    expect(statSync(file).mode & 0o777).toBe(0o444);
    expect(environment).toEqual({ GIT_SSL_CAINFO: file, SSL_CERT_FILE: file, NODE_EXTRA_CA_CERTS: file });
    expect(commandEnvironment({ home: '/h', tmp: '/t' }, environment)).toMatchObject(environment);
  });

  it('may be a file larger than a variable can be', async () => {
    const given = join(folder(), 'all.pem');
    writeFileSync(given, OURS.repeat(10_000));
    const environment: Record<string, string | undefined> = { [BOX_ENV.caFile]: given };
    await trustPrivateCas(folder(), environment);
    expect(readFileSync(environment['SSL_CERT_FILE'] ?? '', 'utf8')).toContain(OURS.repeat(10_000));
  });

  it('are none where the deployment has none', async () => {
    const environment = {};
    await trustPrivateCas(folder(), environment);
    expect(environment).toEqual({});
    expect(Object.keys(gitEnvironment())).not.toContain(BOX_ENV.caBundle);
  });
});
