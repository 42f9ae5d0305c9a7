import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CERTIFICATE_NAMES, type RunFiles } from './run-environment.ts';

const SYSTEM_BUNDLE = '/etc/ssl/certs/ca-certificates.crt';

/** An authority for this run and one certificate for all names. TLS is needed: the template's buckets and topics refuse anything else. */
export function createCertificates(files: RunFiles): void {
  const openssl = (...args: string[]): void => {
    execFileSync('openssl', args, { cwd: files.folder, stdio: ['ignore', 'ignore', 'pipe'] });
  };
  const caKey = join(files.folder, 'ca.key');
  const request = join(files.folder, 'server.csr');
  const extensions = join(files.folder, 'server.ext');
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...key,
    '-keyout',
    caKey,
    '-out',
    files.ca,
    '-days',
    '2',
    '-subj',
    '/CN=Assay test authority',
  );
  openssl('req', ...key, '-keyout', files.key, '-out', request, '-subj', '/CN=emulator');
  writeFileSync(
    extensions,
    `basicConstraints=critical,CA:FALSE\nextendedKeyUsage=serverAuth\nsubjectAltName=${CERTIFICATE_NAMES.join(',')}\n`,
  );
  const signed = ['-CA', files.ca, '-CAkey', caKey, '-CAcreateserial', '-extfile', extensions];
  openssl('x509', '-req', '-in', request, '-out', files.certificate, '-days', '2', ...signed);
  const system = existsSync(SYSTEM_BUNDLE) ? readFileSync(SYSTEM_BUNDLE, 'utf8') : '';
  writeFileSync(files.caBundle, `${system}\n${readFileSync(files.ca, 'utf8')}`);
}
