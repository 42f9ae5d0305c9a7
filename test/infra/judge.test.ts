import { describe, expect, it } from 'vitest';
import { JUDGES, secret } from './judges.ts';
import { policiesOf, synthesise } from './synthesise.ts';

describe('models that are asked for opinions', () => {
  const template = synthesise({ 'assay:judges': JUDGES });
  const policyOf = (prefix: string): string =>
    JSON.stringify(policiesOf(template).filter(({ id }) => id.startsWith(prefix)));

  it('have their keys read by who asks them, and by nobody else', () => {
    const holders = (name: string): string[] =>
      policiesOf(template)
        .filter((policy) => JSON.stringify(policy).includes(secret(name)))
        .map(({ id }) => id.replace(/[A-Z0-9]{8}$/, ''));
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
