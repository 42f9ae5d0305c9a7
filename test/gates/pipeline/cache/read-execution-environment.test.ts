import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readExecutionEnvironment } from '../../../../gates/pipeline/cache/read-execution-environment.ts';

const certificates = (text: string): string => {
  const file = join(mkdtempSync(join(tmpdir(), 'assay-ca-')), 'ca.pem');
  writeFileSync(file, text);
  return file;
};
const trusting = async (file: string) => {
  vi.stubEnv('SSL_CERT_FILE', file);
  return (await readExecutionEnvironment())?.environment['SSL_CERT_FILE'];
};
afterEach(() => vi.unstubAllEnvs());

describe('what is remembered under which certificates', () => {
  it('goes by what they are, and not by where each box has put them', async () => {
    const [here, there, other] = [certificates('a'), certificates('a'), certificates('b')];
    expect(await trusting(here)).toBe(await trusting(there));
    expect(await trusting(here)).not.toBe(await trusting(other));
  });

  it('is nothing where they cannot be read', async () => {
    vi.stubEnv('SSL_CERT_FILE', '/nonexistent');
    expect(await readExecutionEnvironment()).toBeNull();
  });
});
