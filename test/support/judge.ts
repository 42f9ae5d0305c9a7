import type { Judge, Question } from '../../gates/rules/llm/judge.ts';

/** A judge that gives the same answer to every question, or fails, and remembers what it was asked. */
export function scriptedJudge(answer: unknown): Judge & { readonly asked: Question[] } {
  const asked: Question[] = [];
  return {
    model: 'stand-in',
    asked,
    ask: async (question) => {
      asked.push(question);
      if (answer instanceof Error) throw answer;
      return typeof answer === 'string' ? answer : JSON.stringify(answer);
    },
  };
}
