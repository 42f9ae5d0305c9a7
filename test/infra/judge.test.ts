import { describe, expect, it } from 'vitest';
import { synthesiseChecked } from './synthesise.ts';

const secret = (name: string) => `arn:aws:secretsmanager:us-east-1:123456789012:secret:${name}-AbCdEf`;
const keyed = (name: string) => ({ via: 'secret', arn: secret(name) });

describe('models that are asked for opinions', () => {
  const template = synthesiseChecked({
    'assay:judges': JSON.stringify({
      judge: { provider: 'anthropic', model: 'claude-opus-5-5', key: keyed('janitor') },
      vision: {
        provider: 'google',
        model: 'gemini-2.5-pro',
        supports_vision: true,
        key: keyed('pictures'),
      },
      intent: { provider: 'openai', model: 'gpt-5.5', key: keyed('gates') },
      cross_model: [{ provider: 'bedrock', model: 'us.anthropic.claude-haiku-4-5' }],
    }),
  });
  const policyOf = (prefix: string): string =>
    JSON.stringify(
      Object.entries(template.findResources('AWS::IAM::Policy')).filter(([id]) => id.startsWith(prefix)),
    );

  it('have their keys read by who asks them, and by nobody else', () => {
    const holders = (name: string): string[] =>
      Object.entries(template.findResources('AWS::IAM::Policy'))
        .filter(([, policy]) => JSON.stringify(policy).includes(secret(name)))
        .map(([id]) => id.replace(/[A-Z0-9]{8}$/, ''));
    expect(holders('janitor')).toEqual([expect.stringMatching(/^VerificationJudge/)]);
    expect(holders('pictures')).toEqual([expect.stringMatching(/^VerificationJudge/)]);
    expect(holders('gates')).toEqual([expect.stringMatching(/^ModelsGateway/)]);
  });

  it('have room for pictures where one is shown them', () => {
    template.hasResourceProperties('AWS::Lambda::Function', {
      Description: 'Asks models about the work of an attempt',
      MemorySize: 1_024,
    });
  });

  it('are called at Bedrock by the gateway where gates ask, for that model only', () => {
    expect(policyOf('ModelsGateway')).toContain('foundation-model/anthropic.claude-haiku-4-5');
    expect(policyOf('VerificationJudge')).not.toContain('bedrock:');
  });
});
