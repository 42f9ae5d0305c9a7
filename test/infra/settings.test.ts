import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { App } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { REPOSITORY_ROOT } from '../../infra/build.ts';
import { DeploymentSettings, readSettings } from '../../infra/settings.ts';
import { DEFAULT_TIER_MODELS } from '../../shared/contract/agents/tiers.ts';
import { DEFAULT_TIER_POLICY_SETTINGS } from '../../shared/control/cascade/learning/cascade-policy.ts';

const read = (context: Record<string, unknown>) => readSettings(new App({ context }).node);

describe('settings', () => {
  it('are all optional', () => {
    expect(read({})).toMatchObject({
      network: 'public-no-ingress',
      nudgeThreshold: 0.3,
      nudgeMinCompletions: 3,
      nudgeWindow: 100,
      nudgeWindowDays: 7,
      recordEvents: [],
      leaseSeconds: 120,
      cascade: DEFAULT_TIER_POLICY_SETTINGS,
      tierModels: DEFAULT_TIER_MODELS,
      onDelete: 'retain',
    });
  });

  it('name what can be pushed to together with the secret, or neither', () => {
    const arn = 'arn:aws:secretsmanager:us-east-1:123456789012:secret:git-AbCdEf';
    expect(() => read({ 'assay:deliverySecretArn': arn })).toThrow('assay:pushScopes: goes with');
    expect(() => read({ 'assay:pushScopes': '["https://github.com/acme"]' })).toThrow('goes with');
    expect(() =>
      read({ 'assay:deliverySecretArn': arn, 'assay:pushScopes': '["http://a.example"]' }),
    ).toThrow('assay:pushScopes.0');
    expect(
      read({ 'assay:deliverySecretArn': arn, 'assay:pushScopes': '["https://GitHub.com/acme"]' }).pushScopes,
    ).toEqual(['https://github.com/acme']);
  });

  it('name what can be read from together with its secret, with which a GitHub App may push', () => {
    const arn = 'arn:aws:secretsmanager:us-east-1:123456789012:secret:read-AbCdEf';
    const here = '["https://github.com/acme"]';
    expect(() => read({ 'assay:gitSecretArn': arn })).toThrow('assay:readScopes: goes with');
    expect(() => read({ 'assay:readScopes': here })).toThrow('assay:readScopes: goes with');
    expect(
      read({ 'assay:gitSecretArn': arn, 'assay:readScopes': here, 'assay:pushScopes': here }),
    ).toMatchObject({ readScopes: ['https://github.com/acme'], pushScopes: ['https://github.com/acme'] });
  });

  it('refuse a challenger behind another model gateway, or in an agent CLI that does not exist', () => {
    const challenger = { provider: 'bedrock', model: 'anthropic.claude-sonnet-4' };
    const judges = (more: object) => JSON.stringify({ challenger: { ...challenger, ...more } });
    const gateway = { 'assay:modelGateway': 'https://models.example' };
    expect(() => read({ 'assay:judges': judges({}), ...gateway })).toThrow('assay:judges.challenger: ');
    expect(read({ 'assay:judges': judges({ adapter: { kind: 'codex' } }) }).judges.challenger).toBeDefined();
    expect(() => read({ 'assay:judges': judges({ adapter: { kind: 'nano' } }) })).toThrow(
      'assay:judges.challenger.adapter.kind: ',
    );
  });

  it("take authorities of one's own from a PEM file, and nothing else", () => {
    const folder = mkdtempSync(join(tmpdir(), 'assay-ca-test-'));
    const file = (text: string) => {
      writeFileSync(join(folder, 'ca.pem'), text);
      return read({ 'assay:caFile': join(folder, 'ca.pem') }).caFile;
    };
    const [first = '', second = ''] = rootCertificates;
    expect(file(`# ours\n${first}\nand\n${second}`)).toBe(`${first}\n${second}\n`);
    expect(() => file('text')).toThrow('assay:caFile: ');
    expect(() => file(first.replace(/M/g, 'N'))).toThrow('assay:caFile: ');
    expect(() => file(rootCertificates.slice(0, 20).join('\n'))).toThrow('is over 16384 bytes');
    rmSync(folder, { recursive: true });
    expect(() => read({ 'assay:caFile': folder })).toThrow('assay:caFile: ENOENT');
  });

  it('come as text from the command line', () => {
    expect(
      read({
        'assay:nudgeThreshold': '0.5',
        'assay:leaseSeconds': '300',
        'assay:gatesContainer': '{"cpu":2048,"memory":8192,"disk":50}',
        'assay:tierModels': '{"haiku":"a","sonnet":"b","opus":"c"}',
        'assay:defaultAdapter': '{"kind":"command","argv":["agent","{prompt}"]}',
      }),
    ).toMatchObject({
      nudgeThreshold: 0.5,
      leaseSeconds: 300,
      gatesContainer: { cpu: 2048, memory: 8192, disk: 50 },
      tierModels: { haiku: 'a', sonnet: 'b', opus: 'c' },
      defaultAdapter: { kind: 'command', argv: ['agent', '{prompt}'] },
    });
  });

  it.each([
    ['network', 'private'],
    ['nudgeThreshold', '30'],
    ['nudgeThreshold', 'much'],
    ['nudgeMinCompletions', '0'],
    ['nudgeWindow', '1001'],
    ['nudgeWindowDays', '0'],
    ['recordEvents', '["nothing"]'],
    ['otlpEndpoint', 'http://collector.example/v1/traces'],
    ['notify', '[{"name":"Team","kind":"slack"}]'],
    ['notify', '[{"name":"team","kind":"webhook"}]'],
    ['leaseSeconds', '5'],
    ['logRetentionDays', '4'],
    ['alarmEmail', 'nobody'],
    ['tierModels', '{"haiku":"a"}'],
    ['cascade', '{"policy":"best"}'],
    ['cascade', '{"espilon":0.1}'],
    ['tierModels', '{haiku'],
    ['defaultAdapter', '{"kind":"magic"}'],
    ['deliverySecretArn', 'arn:aws:secretsmanager:us-east-1:123456789012:secret:partial'],
    ['onDelete', 'forget'],
    ['agentContainer', '{"cpu":1000,"memory":4096}'],
    ['gatesContainer', '{"cpu":1024,"memory":1024}'],
    ['networkMode', 'private-nat'],
  ])('refuse %s=%s and name it', (name, value) => {
    expect(() => read({ [`assay:${name}`]: value })).toThrow(`assay:${name}`);
  });

  it('leave the context of others alone', () => {
    expect(() => read({ '@aws-cdk/core:something': true, stage: 'x' })).not.toThrow();
  });

  it('are all in the deployment guide', () => {
    const guide = readFileSync(join(REPOSITORY_ROOT, 'docs/how-to/deploy.md'), 'utf8');
    for (const name of Object.keys(DeploymentSettings.shape)) expect(guide).toContain(`\`assay:${name}\``);
  });
});
