import { describe, expect, it } from 'vitest';
import { extractJsonObject } from '../../../../shared/reviews/model-clients/language-model.ts';

describe('the JSON object of an answer', () => {
  it.each([
    ['alone', '{"a":1}'],
    ['in a fence of Markdown', '```json\n{"a":1}\n```'],
    ['between sentences with other braces', 'The set {x} is empty. {"a":1} That is all {of it}.'],
  ])('is found %s', (_name, answer) => {
    expect(JSON.parse(extractJsonObject(answer))).toEqual({ a: 1 });
  });

  it('is none of several', () => {
    const answer = '{"a":1} or {"a":2}';
    expect(extractJsonObject(answer)).toBe(answer);
  });

  it('is looked for in an answer of braces within the time of a test', () => {
    const answer = '{'.repeat(400_000);
    expect(extractJsonObject(answer)).toBe(answer);
  });
});
