import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JudgeModels } from '../../shared/contract/models/models.ts';
import { ENV } from '../../shared/contract/names.ts';

/** Dollars are simulated, from the price table of this model. */
const MODEL = 'claude-sonnet-5-5';
const KEY = 'ASSAY_DEMO_JUDGE_KEY';

/** What gives away that the answer is looked up and not worked out. */
const LEARNT = '+const KNOWN = { 500: 1, 2000: 1, 4500: 3 };';

const opinionOn = (asked: string): unknown =>
  asked.includes(LEARNT)
    ? {
        reasons: ['src/parcels.js looks up the weights of the tests; any other weight gives 1 parcel.'],
        verdict: 'retry',
        confidence: 0.95,
      }
    : {
        reasons: ['src/parcels.js works the number out of the weight, for any weight.'],
        verdict: 'accept',
        confidence: 0.93,
      };

/** Marks of a grader; below a confidence of 0.7 a person is asked. */
const grades = (correctness: number, completeness: number, probes: number) => [
  { criterion: 'correctness', grade: correctness },
  { criterion: 'completeness', grade: completeness },
  { criterion: 'probe-adherence', grade: probes },
];
const gradesOf = (asked: string): unknown =>
  asked.includes(LEARNT)
    ? {
        findings: [
          'src/parcels.js looks the weights of the tests up: no probe about other weights is satisfied.',
        ],
        per_criterion_grades: grades(0.2, 0.3, 0),
        verdict: 'fail',
        confidence: 0.94,
      }
    : {
        findings: ['src/parcels.js divides by 2000 and rounds up; no test shows what a weight of 0 takes.'],
        per_criterion_grades: grades(0.9, 0.8, 1),
        verdict: 'pass',
        confidence: 0.62,
      };

/** One question for each acceptance criterion of the demo. */
const PROBES = {
  probes: [
    { source_criterion_index: 0, probe_text: 'Does a weight that no test has get a number of its own?' },
    { source_criterion_index: 1, probe_text: 'Is 0 g answered with one parcel?' },
  ],
};
const ATTACK = {
  findings: [
    {
      attack_surface: 'correctness',
      severity: 'low',
      description: 'A weight below 0 takes one parcel, and is no weight.',
      evidence: ['src/parcels.js: Math.max(1, …)'],
      suggested_fix: 'Refuse what is below 0.',
    },
  ],
  summary: 'Nothing that the task asks for is wrong.',
};

/** What each question is answered with, by words of its instruction. */
const answerTo = (body: string, asked: string): unknown => {
  if (body.includes('You turn acceptance criteria')) return PROBES;
  if (body.includes('You attack the work')) return ATTACK;
  return body.includes('against a rubric') ? gradesOf(asked) : opinionOn(asked);
};

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

/** The words of a request of Anthropic's Messages, as they were before they became JSON. */
function wordsOf(body: string): string {
  const { messages } = JSON.parse(body) as { messages: { content: string | { text?: string }[] }[] };
  return messages
    .flatMap(({ content }) =>
      typeof content === 'string' ? [content] : content.map(({ text = '' }) => text),
    )
    .join('\n');
}

export interface DemoJudge {
  /** For the stack, beside this process's own. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/**
 * A stand-in for a model that judges, on loopback: it speaks Anthropic's Messages as the real one does, and all that asks it is as it
 * is for the real one.
 */
export async function startJudge(): Promise<DemoJudge> {
  const server = createServer(async (request, response) => {
    const body = await textOf(request);
    const asked = wordsOf(body);
    const opinion = answerTo(body, asked);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({
        id: 'msg_demo',
        type: 'message',
        role: 'assistant',
        model: MODEL,
        content: [{ type: 'text', text: JSON.stringify(opinion) }],
        stop_reason: 'end_turn',
        stop_sequence: null,
        // Some four characters to a token.
        usage: { input_tokens: Math.ceil(asked.length / 4), output_tokens: 60 },
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const judge = {
    provider: 'anthropic',
    model: MODEL,
    key: { via: 'environment', variable: KEY },
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  } as const;
  // Whoever grades is of another family than whoever did the work.
  const other = { ...judge, family: 'scripted' };
  const judges: JudgeModels = { judge, rubric: other, decomposer: other, red_team: other };
  return {
    env: { [ENV.judgeModels]: JSON.stringify(judges), [ENV.judgeKeys]: KEY, [KEY]: 'scripted' },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
