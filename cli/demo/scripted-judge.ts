import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { JudgeModels } from '../../shared/contract/models/judge-models.ts';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { isSameSecret, listenOnLoopback } from '../../shared/lib/loopback-listener.ts';

/** Costs are simulated with the prices of this model. */
const MODEL = 'claude-sonnet-5-5';
const KEY = 'ASSAY_DEMO_JUDGE_KEY';

/** The line that shows a hard-coded answer. */
const HARD_CODED = '+const KNOWN = { 500: 1, 2000: 1, 4500: 3 };';

const judgementOf = (prompt: string): unknown =>
  prompt.includes(HARD_CODED)
    ? {
        reasons: ['src/parcels.js looks up the weights of the tests; any other weight gives 1 parcel.'],
        verdict: 'retry',
        confidence: 0.95,
      }
    : {
        reasons: ['src/parcels.js computes the number from the weight, for any weight.'],
        verdict: 'accept',
        confidence: 0.93,
      };

/** Grades of the grader; below a confidence of 0.7 the work needs review. */
const grades = (correctness: number, completeness: number, probes: number) => [
  { criterion: 'correctness', grade: correctness },
  { criterion: 'completeness', grade: completeness },
  { criterion: 'probe-adherence', grade: probes },
];
const gradingOf = (prompt: string): unknown =>
  prompt.includes(HARD_CODED)
    ? {
        findings: [
          'src/parcels.js looks up the weights of the tests: it fails every probe about other weights.',
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

/** One probe for each acceptance criterion of the demo. */
const PROBES = {
  probes: [
    { source_criterion_index: 0, probe_text: 'Does a weight that is in no test get a correct number?' },
    { source_criterion_index: 1, probe_text: 'Does 0 g give one parcel?' },
  ],
};
const RED_TEAM_REPORT = {
  findings: [
    {
      attack_surface: 'correctness',
      severity: 'low',
      description: 'A negative weight gives one parcel; it is not valid.',
      evidence: ['src/parcels.js: Math.max(1, …)'],
      suggested_fix: 'Refuse negative weights.',
    },
  ],
  summary: 'Every requirement of the task is met.',
};

/** The requirements review of the demo, after its decomposition. */
const TASK_REQUIREMENTS = { requirements: ['The number of parcels is computed from the weight.'] };
const requirementsReviewOf = (prompt: string): unknown => ({
  requirements: [
    {
      number: 1,
      requirement: TASK_REQUIREMENTS.requirements[0],
      reason: 'src/parcels.js computes the number from the weight.',
      file: 'src/parcels.js',
      line: 1,
      state: prompt.includes(HARD_CODED) ? 'not_met' : 'met',
    },
  ],
  concerns: [],
  confidence: 0.93,
});

const requirement = (text: string, test: string) => ({ requirement: text, test, on_base: 'fails' });
/** The exam of the demo, written from task and base alone. */
const EXAM = {
  open: ['Which of two amounts counts where one code comes with both.'],
  questions: [],
  points: [
    requirement('Vouchers are taken off the goods', 'exam: two vouchers'),
    requirement('The price is never less than 0', 'exam: more vouchers than goods'),
    requirement('A voucher counts once', 'exam: a code twice'),
  ],
  files: [
    {
      path: 'test/exam.test.js',
      content: `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pay } from '../src/vouchers.js';

const voucher = (code, cents) => ({ code, cents });
test('exam: two vouchers', () => assert.equal(pay(1000, [voucher('A', 250), voucher('B', 150)]), 600));
test('exam: more vouchers than goods', () => assert.equal(pay(100, [voucher('A', 101)]), 0));
test('exam: a code twice', () => assert.equal(pay(1000, [voucher('A', 300), voucher('A', 300)]), 700));
`,
    },
  ],
  command: 'node --test test/exam.test.js',
  keeps_behaviour: false,
  confidence: 0.95,
};
const ADJUDICATION = {
  reason: 'The last sentence of the task says it, and the change counts a code as often as it is given.',
  basis: 'task',
  quote: 'A voucher counts once, however often its code is given.',
  decision: 'demanded',
  severity: 'blocking',
  confidence: 0.97,
};

/** Returns the answer to a prompt; words of the instruction identify the reviewer. */
const answerTo = (body: string, prompt: string): unknown => {
  if (body.includes('You write acceptance tests for a task')) return EXAM;
  if (body.includes('You decide whether the task demands')) return ADJUDICATION;
  if (body.includes('You turn acceptance criteria')) return PROBES;
  if (body.includes('You split a task for a coding agent')) return TASK_REQUIREMENTS;
  if (body.includes('that has passed every check that ran')) return requirementsReviewOf(prompt);
  if (body.includes('You attack the work')) return RED_TEAM_REPORT;
  return body.includes('against a rubric') ? gradingOf(prompt) : judgementOf(prompt);
};

async function readBody(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

/** Returns the text of the messages in a request of Anthropic's Messages API. */
function promptOf(body: string): string {
  const { messages } = JSON.parse(body) as { messages: { content: string | { text?: string }[] }[] };
  return messages
    .flatMap(({ content }) =>
      typeof content === 'string' ? [content] : content.map(({ text = '' }) => text),
    )
    .join('\n');
}

export interface ScriptedJudge {
  /** Environment of the stack, added to this process's own. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Starts a scripted judge model on loopback with Anthropic's Messages API, so that the stack calls it like a real one. */
export async function startScriptedJudge(): Promise<ScriptedJudge> {
  const key = randomUUID();
  const rule = {
    servesPages: false,
    isAuthenticated: ({ headers }: IncomingMessage) => isSameSecret(String(headers['x-api-key']), key),
  };
  const listener = await listenOnLoopback(rule, async (request, response) => {
    const body = await readBody(request);
    const prompt = promptOf(body);
    const answer = answerTo(body, prompt);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({
        id: 'msg_demo',
        type: 'message',
        role: 'assistant',
        model: MODEL,
        content: [{ type: 'text', text: JSON.stringify(answer) }],
        stop_reason: 'end_turn',
        stop_sequence: null,
        // About four characters to a token.
        usage: {
          input_tokens: Math.ceil(prompt.length / 4),
          output_tokens: Math.ceil(JSON.stringify(answer).length / 4),
        },
      }),
    );
  });
  const judge = {
    provider: 'anthropic',
    model: MODEL,
    key: { via: 'environment', variable: KEY },
    url: listener.url,
  } as const;
  // A grader must be of another model family than the writer.
  const other = { ...judge, family: 'scripted' };
  // Only a task that asks for acceptance tests has an examiner.
  const examiner = { ...other, mode: 'off' as const };
  const judges: JudgeModels = {
    ...{ judge, rubric: other, decomposer: other, red_team: other },
    ...{ examiner, adjudicator: other },
  };
  return {
    env: {
      [FUNCTION_ENV_NAMES.judgeModels]: JSON.stringify(judges),
      [FUNCTION_ENV_NAMES.judgeKeys]: KEY,
      [KEY]: key,
    },
    stop: listener.stop,
  };
}
