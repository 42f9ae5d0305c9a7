import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JudgeModels } from '../../shared/judging/models.ts';
import { ENV } from '../../shared/names.ts';

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
    const asked = wordsOf(await textOf(request));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({
        id: 'msg_demo',
        type: 'message',
        role: 'assistant',
        model: MODEL,
        content: [{ type: 'text', text: JSON.stringify(opinionOn(asked)) }],
        stop_reason: 'end_turn',
        stop_sequence: null,
        // Some four characters to a token.
        usage: { input_tokens: Math.ceil(asked.length / 4), output_tokens: 60 },
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const judges: JudgeModels = {
    judge: {
      provider: 'anthropic',
      model: MODEL,
      key: { via: 'environment', variable: KEY },
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    },
  };
  return {
    env: { [ENV.judgeModels]: JSON.stringify(judges), [ENV.judgeKeys]: KEY, [KEY]: 'scripted' },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
