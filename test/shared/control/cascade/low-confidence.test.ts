import { describe, expect, it } from 'vitest';
import { lowConfidencePhrase } from '../../../../shared/control/cascade/decide-after-attempt.ts';

describe('low confidence', () => {
  it.each([
    "I'm not sure this is right",
    'I’m not sure this is right',
    'I am unsure',
    'i cannot determine the cause',
    "I can't determine the cause",
    "I don't know how to do this",
    "I don't know",
    'this is beyond my scope',
    'I lack the context',
    'I lack enough context',
    'partial implementation',
    'it is partially complete',
    'partially completed',
    'unable to fully complete the task',
    'unable to complete the migration',
    "couldn't complete",
    'It could not be completed',
    'an incomplete implementation',
    'incomplete implementations remain',
    'not fully confident in this',
    'need more context',
    'needs more information',
    'left as a placeholder',
    'left as placeholders',
    'TODO: escalate',
    'TODO: escalation to a senior',
    'TODO: please escalat',
    'I am\n   not sure',
  ])('hears it in "%s"', (text) => expect(lowConfidencePhrase(text)).not.toBeNull());

  it.each([
    'All tests pass.',
    'The partial function was renamed',
    'not confident-based routing',
    'A known issue was fixed',
    'We are sure',
    'no TODO left',
    '',
  ])('does not hear it in "%s"', (text) => expect(lowConfidencePhrase(text)).toBeNull());

  it('looks at the last 2,000 characters only', () => {
    expect(lowConfidencePhrase(`I'm not sure${' .'.repeat(1_000)}`)).toBeNull();
    expect(lowConfidencePhrase(`${' .'.repeat(5_000)} I'm not sure`)).not.toBeNull();
  });

  it('stays linear on hostile text', () => {
    const hostile = `${'TODO: '.repeat(400)}escalat`;
    expect(lowConfidencePhrase(hostile)).not.toBeNull();
  });
});
