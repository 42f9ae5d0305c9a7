import { startGateway } from '../../test/functions/models/gateway.ts';
import { startModelServer } from '../../test/support/models/model-server.ts';
import { AWS_PRICES } from './aws-prices.ts';
import type { ResultSection } from './result-page.ts';
import { percentile } from './statistics.ts';

const CALLS = 100;
const TEXT_BYTES = 8 * 1_048_576;
const RUNS = 5;
/** Seconds that a streamed answer takes: what Lambda bills of a call is mostly waiting. */
const ANSWER_SECONDS = 10;
const GIGABYTES = 0.25;

const body = (text: string): string =>
  JSON.stringify({
    model: 'claude-haiku-4-5',
    max_tokens: 1_000,
    stream: true,
    messages: [{ role: 'user', content: text }],
  });

/** Milliseconds to the first bytes of an answer, and to its end; and how many bytes it had. */
async function timed(post: () => Promise<Response>): Promise<{ first: number; all: number; bytes: number }> {
  const began = performance.now();
  const answer = await post();
  if (answer.status !== 200) throw new Error(`the answer is ${answer.status}: ${await answer.text()}`);
  let first = 0;
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    first ||= performance.now() - began;
    bytes += chunk.length;
  }
  return { first, all: performance.now() - began, bytes };
}

/** Direct calls and calls by the gateway in turn, in one process: what its own code adds, without table and network. */
export async function benchModelGateway(say: (line: string) => void) {
  process.env['BENCH_MODEL_KEY'] = 'key';
  const servers = await Promise.all([
    startModelServer({ script: [{ say: 'Done.' }] }),
    startModelServer({ script: [{ say: 'x'.repeat(TEXT_BYTES) }] }),
  ]);
  const measure = async (url: string, runs: number) => {
    const gateway = await startGateway(
      { anthropic: { via: 'environment', variable: 'BENCH_MODEL_KEY', url } },
      { maxAttemptUsd: 1e6 },
    );
    const direct: Awaited<ReturnType<typeof timed>>[] = [];
    const through: typeof direct = [];
    for (let run = 0; run <= runs; run++) {
      const one = await timed(() => fetch(`${url}/v1/messages`, { method: 'POST', body: body('Hello') }));
      const other = await timed(() => gateway.post('/v1/messages', body('Hello')));
      // The first pays for connections and for code that is not compiled yet.
      if (run === 0) continue;
      direct.push(one);
      through.push(other);
    }
    await gateway.stop();
    return { direct, through };
  };
  say(`${CALLS} calls of a model, direct and by the gateway`);
  const short = await measure(servers[0].url, CALLS);
  const long = await measure(servers[1].url, RUNS);
  await Promise.all(servers.map((each) => each.stop()));
  const firsts = (of: typeof short.direct, share: number): number =>
    percentile(
      of.map(({ first }) => first),
      share,
    );
  const rate = (of: typeof short.direct): number =>
    percentile(
      of.map(({ bytes, all }) => bytes / 1_048_576 / (all / 1_000)),
      0.5,
    );
  const call =
    AWS_PRICES.lambdaRequest.usd +
    GIGABYTES * ANSWER_SECONDS * AWS_PRICES.lambdaGigabyteSecond.usd +
    2 * AWS_PRICES.dynamoWriteUnit.usd +
    2 * AWS_PRICES.dynamoReadUnit.usd;
  return {
    calls: CALLS,
    first_token_ms: {
      direct: { p50: firsts(short.direct, 0.5), p99: firsts(short.direct, 0.99) },
      gateway: { p50: firsts(short.through, 0.5), p99: firsts(short.through, 0.99) },
    },
    mb_per_s: { direct: rate(long.direct), gateway: rate(long.through) },
    usd_per_1000_calls: call * 1_000,
  };
}

export const renderModelGatewaySections = (
  figures: Awaited<ReturnType<typeof benchModelGateway>>,
): ResultSection[] => [
  [
    `The model gateway against a direct connection, ${figures.calls} calls in turn in one process (its own code; no table, no network)`,
    [
      ['', 'direct', 'by the gateway'],
      ...(['p50', 'p99'] as const).map((share) => [
        `first token, ${share}, ms`,
        figures.first_token_ms.direct[share].toFixed(2),
        figures.first_token_ms.gateway[share].toFixed(2),
      ]),
      ['an answer of 8 MB, MB/s', figures.mb_per_s.direct.toFixed(0), figures.mb_per_s.gateway.toFixed(0)],
    ],
  ],
  [
    'Its cost, computed from list prices',
    [
      ['', 'US dollars'],
      [
        `1,000 calls whose answers take ${ANSWER_SECONDS} s (256 MB, ARM; ${AWS_PRICES.asOf})`,
        figures.usd_per_1000_calls.toFixed(4),
      ],
    ],
  ],
];
