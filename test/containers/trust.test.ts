import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { CONTAINER_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { buildGitEnvironment } from '../../workspace/git/git-environment.ts';
import { buildCommandEnvironment } from '../../workspace/process/command-environment.ts';
import { installCaBundle } from '../../workspace/supervisor/ca-bundle.ts';

const OURS = '-----BEGIN CERTIFICATE-----\nours\n-----END CERTIFICATE-----\n';
const folder = () => mkdtempSync(join(tmpdir(), 'assay-trust-'));

describe('authorities of a deployment', () => {
  it('are trusted beside the public ones, by git, OpenSSL and Node, and by commands of the repository', async () => {
    const environment: Record<string, string | undefined> = { [CONTAINER_ENV_NAMES.caBundle]: OURS };
    await installCaBundle(folder(), environment);
    const file = environment['GIT_SSL_CAINFO'] ?? '';
    const bundle = readFileSync(file, 'utf8');
    expect(bundle).toContain(OURS);
    expect(bundle).toContain(rootCertificates[0]);
    expect(statSync(file).mode & 0o777).toBe(0o444);
    expect(environment).toEqual({ GIT_SSL_CAINFO: file, SSL_CERT_FILE: file, NODE_EXTRA_CA_CERTS: file });
    expect(buildCommandEnvironment({ home: '/h', tmp: '/t' }, environment)).toMatchObject(environment);
  });

  it('may be a file larger than a variable can be', async () => {
    const given = join(folder(), 'all.pem');
    writeFileSync(given, OURS.repeat(10_000));
    const environment: Record<string, string | undefined> = { [CONTAINER_ENV_NAMES.caFile]: given };
    await installCaBundle(folder(), environment);
    expect(readFileSync(environment['SSL_CERT_FILE'] ?? '', 'utf8')).toContain(OURS.repeat(10_000));
  });

  it('are none where the deployment has none', async () => {
    const environment = {};
    await installCaBundle(folder(), environment);
    expect(environment).toEqual({});
    expect(Object.keys(buildGitEnvironment())).not.toContain(CONTAINER_ENV_NAMES.caBundle);
  });
});
