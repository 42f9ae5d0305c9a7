import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { mintModelToken } from '../../../shared/contract/access/tokens.ts';
import type { ModelProviders } from '../../../shared/contract/models/model-providers.ts';
import { MAX_CONSECUTIVE_PROVIDER_FAILURES } from '../../../shared/control/model-gateway/provider-failure.ts';
import { sha256 } from '../../../shared/lib/sha256.ts';
import { report } from '../../support/builders.ts';
import { type ModelServer, startModelServer } from '../../support/models/model-server.ts';
import { ATTEMPT_CHECK_MS, NOW, running, startGateway, TOKEN } from './gateway.ts';

const KEY = 'sk-of-the-deployment';
const MODEL = 'claude-haiku-4-5';
let models: ModelServer;
beforeAll(async () => {
  process.env['MODEL_KEY'] = KEY;
  models = await startModelServer();
});
afterAll(() => models.stop());

type Gateway = Awaited<ReturnType<typeof startGateway>>;
let started: Gateway[] = [];
afterEach(async () => {
  await Promise.all(started.map((each) => each.stop()));
  started = [];
});

/** A gateway all of whose providers are the scripted server, playing `scenario`. */
async function gateway(scenario = 'ok', options: Parameters<typeof startGateway>[1] = {}): Promise<Gateway> {
  const url = models.urlForScenario(scenario);
  const own = (base: string) => ({ via: 'environment', variable: 'MODEL_KEY', url: base }) as const;
  const providers: ModelProviders = { anthropic: own(url), openai: own(`${url}/v1`), gemini: own(url) };
  const made = await startGateway(providers, options);
  started.push(made);
  return made;
}

interface Shape {
  readonly path: string;
  readonly body: (more?: object) => Record<string, unknown>;
  readonly stream: { readonly path?: string; readonly body?: object };
  readonly key: readonly [string, string];
}
const user = { role: 'user', content: 'Hello' };
const SHAPES: Readonly<Record<string, Shape>> = {
  anthropic: {
    path: '/v1/messages',
    body: (more) => ({ model: MODEL, max_tokens: 100, messages: [user], ...more }),
    stream: { body: { stream: true } },
    key: ['x-api-key', KEY],
  },
  responses: {
    path: '/v1/responses',
    body: (more) => ({ model: MODEL, input: [user], ...more }),
    stream: { body: { stream: true } },
    key: ['authorization', `Bearer ${KEY}`],
  },
  chat: {
    path: '/v1/chat/completions',
    body: (more) => ({ model: MODEL, messages: [user], ...more }),
    stream: { body: { stream: true } },
    key: ['authorization', `Bearer ${KEY}`],
  },
  gemini: {
    path: `/v1beta/models/${MODEL}:generateContent`,
    body: (more) => ({ contents: [{ role: 'user', parts: [{ text: 'Hello' }] }], ...more }),
    stream: { path: `/v1beta/models/${MODEL}:streamGenerateContent?alt=sse` },
    key: ['x-goog-api-key', KEY],
  },
};
const each = Object.entries(SHAPES);
const last = () => {
  const call = models.calls.at(-1);
  if (!call) throw new Error('the provider was not called');
  return call;
};

describe.each(each)('%s', (protocol, { path, body, stream, key }) => {
  it.each(['whole', 'streamed'])(
    'goes through byte by byte, %s, with our key and not the token',
    async (how) => {
      const at = await gateway();
      const before = models.sumTokens();
      const sent = JSON.stringify(
        body({
          [protocol === 'gemini' ? 'labels' : 'metadata']: { note: 'é 世界' },
          ...(how === 'streamed' ? stream.body : {}),
        }),
      );
      const asked = how === 'streamed' ? (stream.path ?? path) : path;
      const answer = await at.post(asked, sent, {
        'anthropic-beta': 'a,b',
        cookie: 'c=d',
        'x-forwarded-for': '1.2.3.4',
      });
      const got = await answer.text();
      expect(answer.status).toBe(200);
      expect(answer.headers.get('request-id')).toBe('req_scripted');
      const call = last();
      // The scripted answers differ in their number alone.
      const direct = await fetch(`${models.url}${asked}`, { method: 'POST', body: call.raw });
      const plain = (text: string): string =>
        text.replaceAll(/((?:msg|resp|chatcmpl|call|fc)[_-])\d+|("responseId":")\d+/g, '$1$2N');
      expect(plain(got)).toBe(plain(await direct.text()));
      if (protocol !== 'chat' || how === 'whole') expect(call.raw.toString('utf8')).toBe(sent);
      else expect(call.body).toEqual({ ...JSON.parse(sent), stream_options: { include_usage: true } });
      expect(call.headers[key[0]]).toBe(key[1]);
      expect(JSON.stringify(call.headers)).not.toContain(TOKEN);
      expect(call.headers).toMatchObject({ 'anthropic-beta': 'a,b', 'accept-encoding': 'identity' });
      expect(call.headers['cookie'] ?? call.headers['x-forwarded-for']).toBeUndefined();
      const [counted] = at.meter.settled;
      expect(counted?.usage).toEqual({
        input_tokens: 1_000,
        output_tokens: 40,
        cache_read_tokens: 0,
        cache_write_tokens: protocol === 'anthropic' ? 300 : 0,
      });
      expect(at.kept).toMatchObject([
        {
          attempt: 1,
          caller: 'agent',
          protocol,
          model: MODEL,
          status: 200,
          usage: counted?.usage,
          provider_error: null,
        },
      ]);
      expect(models.sumTokens().output - before.output).toBe(80);
      expect(at.meter.meter()).toMatchObject({ openReservations: [], estimated: 0 });
    },
  );

  it.each([
    ['402', 402],
    ['403', 403],
    ['404', 404],
    ['429,after=600', 429],
    ['quota', 429],
    ['500', 500],
    ['529', 529],
    ['context', 400],
  ])("hands the provider's %s back as it is, and charges nothing", async (scenario, status) => {
    const at = await gateway(scenario);
    const answer = await at.post(path, body());
    expect(answer.status).toBe(status);
    expect(answer.headers.get('retry-after')).toBe(
      scenario.includes('after') ? '600' : status === 429 ? '1' : null,
    );
    expect(await answer.text()).not.toContain('assay');
    expect([at.meter.taken, at.meter.meter().openReservations]).toEqual([0, []]);
    expect(at.kept).toMatchObject([{ status, cost_micro_usd: 0 }]);
  });

  it('makes a 401 of the provider a matter of the deployment, and follows no redirect', async () => {
    const refused = await (await gateway('401')).post(path, body());
    expect([refused.status, await refused.text()]).toEqual([
      403,
      expect.stringContaining('key of this deployment'),
    ]);
    const moved = await (await gateway('redirect')).post(path, body());
    expect([moved.status, moved.headers.get('location')]).toEqual([502, null]);
  });

  it('writes down what the provider could not do and for how long, and hands nothing on after five such calls in a row', async () => {
    const at = await gateway('429,after=600');
    const ask = () => at.post(path, body());
    expect((await ask()).status).toBe(429);
    expect(at.meter.meter().providerFailure).toEqual({
      code: 'rate_limited',
      status: 429,
      retryAtMs: NOW.getTime() + 600_000,
      calls: 1,
    });
    for (let call = 1; call < MAX_CONSECUTIVE_PROVIDER_FAILURES; call++)
      expect((await ask()).status).toBe(429);
    const calls = models.calls.length;
    const refused = await ask();
    expect([refused.status, refused.headers.get('x-should-retry')]).toEqual([400, 'false']);
    expect(await refused.text()).toContain('could not do the last 5 calls');
    expect(models.calls).toHaveLength(calls);
  });

  it('forgets the trouble with the first call that goes well', async () => {
    // The scripted provider counts by the words of a scenario.
    const at = await gateway(`529x2,after=${1 + Object.keys(SHAPES).indexOf(protocol)}`);
    for (const status of [529, 529, 200]) expect((await at.post(path, body())).status).toBe(status);
    expect(at.meter.meter().providerFailure).toBeNull();
  });

  it.each([
    ['402', 'provider_spend_limit', 402],
    ['500', 'provider_transient', 500],
    ['503', 'provider_overloaded', 503],
    ['reset', 'provider_transient', null],
    ['cut', 'provider_transient', null],
  ])('takes %s for trouble of the class %s', async (scenario, failureClass, status) => {
    const at = await gateway(scenario);
    await at
      .post(stream.path ?? path, body(stream.body))
      .then((answer) => answer.text())
      .catch(() => null);
    expect(at.meter.meter().providerFailure).toMatchObject({ code: failureClass, status, calls: 1 });
  });

  it.each(['401', '403', '404', 'context', 'ok'])(
    'takes %s for no trouble of the provider',
    async (scenario) => {
      const at = await gateway(scenario);
      await (await at.post(path, body())).text();
      expect(at.meter.meter().providerFailure).toBeNull();
    },
  );

  it.each(['minus', 'nousage', 'garbage'])(
    'estimates what %s has cost, below the worst case',
    async (scenario) => {
      const at = await gateway(scenario);
      const answer = await at.post(path, body());
      await answer.text();
      expect(answer.status).toBe(200);
      const { settled, estimated, openReservations } = at.meter.meter();
      expect(openReservations).toEqual([]);
      expect(settled).toBeGreaterThan(0);
      expect(estimated).toBe(settled);
      expect(settled).toBeLessThan(at.meter.reserved);
    },
  );

  it('counts nothing for a stream that is reset before the first byte', async () => {
    const at = await gateway('reset');
    expect((await at.post(stream.path ?? path, body(stream.body))).status).toBe(502);
    expect(at.meter.meter()).toMatchObject({ settled: 0, estimated: 0, openReservations: [] });
  });

  it('estimates what a whole answer has cost that is reset before the first byte', async () => {
    const at = await gateway('reset');
    expect((await at.post(path, body())).status).toBe(502);
    const { settled, estimated, openReservations } = at.meter.meter();
    expect(openReservations).toEqual([]);
    expect(settled).toBeGreaterThan(0);
    expect(estimated).toBe(settled);
  });

  it('closes the connection to the provider when the attempt ends', async () => {
    const at = await gateway('hang');
    const calls = models.calls.length;
    const answer = at.post(path, body());
    await models.waitForCall(calls + 1);
    at.setTask(null);
    expect((await answer).status).toBe(403);
    expect(at.meter.meter()).toMatchObject({ openReservations: [], providerFailure: null });
  });

  it.each(['cut', 'half'])(
    'hands a stream that is %s on as far as it goes, and settles it',
    async (scenario) => {
      const at = await gateway(scenario);
      const answer = await at.post(stream.path ?? path, body(stream.body));
      expect(answer.status).toBe(200);
      const read = answer.text().then(
        () => 'ended',
        () => 'cut',
      );
      expect(await read).toBe(scenario === 'cut' ? 'cut' : 'ended');
      expect(at.meter.meter().openReservations).toEqual([]);
      expect(at.meter.meter().settled).toBeGreaterThan(0);
    },
  );

  it('notes that another model has answered, and knows no price for it', async () => {
    const at = await gateway('wrongmodel');
    await (await at.post(path, body())).text();
    expect(at.meter.settled).toMatchObject([
      { model: 'some-other-model', micro: null, substitution: `${MODEL} > some-other-model` },
    ]);
    expect(at.problems).toContain('a model has no price');
  });

  it('says that an attempt is over, that its budget is spent, and what else is wrong, so that no client tries again', async () => {
    const at = await gateway();
    const calls = models.calls.length;
    const asked = async (request: Promise<Response>) => {
      const answer = await request;
      return [answer.status, answer.headers.get('x-should-retry'), await answer.text()] as const;
    };
    const [ended] = [
      await asked(at.post(path, body(), { authorization: `Bearer ${mintModelToken('T1', 1)}` })),
    ];
    expect(ended.slice(0, 2)).toEqual([403, 'false']);
    at.setTask(running({ report: report() }));
    expect((await asked(at.post(path, body())))[0]).toBe(403);
    at.setTask(null);
    expect((await asked(at.post(path, body())))[0]).toBe(403);
    at.setTask(running({}, { budget: { max_attempts: 1, max_cost_usd: 1e-9 } }));
    const spent = await asked(at.post(path, body()));
    expect(spent[0]).toBe(['responses', 'chat'].includes(protocol) ? 429 : 402);
    if (spent[0] === 429) expect(JSON.parse(spent[2]).error.code).toBe('insufficient_quota');
    at.setTask(running({ model: 'claude-opus-5-5', tier: null }));
    expect((await asked(at.post(path, body())))[0]).toBe(404);
    at.setTask(running());
    expect((await asked(at.post(path, '{"model":')))[0]).toBe(400);
    expect((await asked(at.post(path, `"${'x'.repeat(10 * 1_048_576)}"`)))[0]).toBe(413);
    expect(models.calls).toHaveLength(calls);
    expect(at.meter.taken).toBe(0);
  });
});

describe('the gateway', () => {
  it.each([
    ['anthropic', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, 'web_search_20250305'],
    ['anthropic', { mcp_servers: [{ url: 'https://x.test' }] }, 'mcp_servers'],
    ['anthropic', { speed: 'fast' }, 'speed'],
    ['responses', { tools: [{ type: 'web_search' }] }, 'web_search'],
    [
      'responses',
      { input: [{ type: 'additional_tools', tools: [{ type: 'code_interpreter' }] }] },
      'code_interpreter',
    ],
    ['responses', { background: true }, 'background'],
    ['responses', { service_tier: 'priority' }, 'service_tier'],
    ['chat', { web_search_options: {} }, 'web_search_options'],
    ['gemini', { tools: [{ googleSearch: {} }] }, 'googleSearch'],
  ])('refuses what costs extra in %s: %j', async (protocol, more, named) => {
    const at = await gateway();
    const shape = SHAPES[protocol];
    const calls = models.calls.length;
    const answer = await at.post(shape?.path ?? '', shape?.body(more));
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(named)]);
    expect(models.calls).toHaveLength(calls);
  });

  it.each([
    [
      'anthropic',
      { messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url: 'x' } }] }] },
    ],
    ['responses', { previous_response_id: 'resp_1' }],
    ['responses', { conversation: 'conv_1' }],
    ['responses', { Previous_Response_Id: 'resp_1' }],
    ['chat', { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'f' } }] }] }],
    ['gemini', { cachedContent: 'cachedContents/1' }],
    ['gemini', { tools: [{ google_search: {} }] }],
    ['gemini', { tools: { googleSearch: {} } }],
  ])('spends nothing on content elsewhere, however many ask at a time, in %s: %j', async (protocol, more) => {
    const at = await gateway('ok', { task: running({}, { budget: { max_attempts: 1, max_cost_usd: 1 } }) });
    const shape = SHAPES[protocol];
    const calls = models.calls.length;
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => at.post(shape?.path ?? '', shape?.body(more))),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 400));
    expect([models.calls.length - calls, at.meter.taken]).toEqual([0, 0]);
    // In the words of the protocol, so that no client tries again.
    expect(await answers[0]?.json()).toHaveProperty('error.message', expect.stringMatching(/^assay: /));
  });

  it('sends what it has read: no unknown field, the last of two equal names, and it says what it left out', async () => {
    const at = await gateway();
    const text = `{"max_tokens":7,"model":"${MODEL}","novelty":{"url":"x"},"max_tokens":9,"messages":[]}`;
    const answer = await at.post('/v1/messages', text);
    await answer.text();
    expect(last().raw.toString('utf8')).toBe(`{"max_tokens":9,"model":"${MODEL}","messages":[]}`);
    expect(answer.headers.get('x-assay-dropped-fields')).toBe('novelty');
    expect(at.calls).toMatchObject([{ dropped_fields: ['novelty'] }]);
  });

  it('lets tools of the client pass, whatever they are called', async () => {
    const at = await gateway();
    const tools = [
      { name: 'Bash', input_schema: {} },
      { type: 'custom', name: 'x' },
      { type: 'bash_20250124', name: 'bash' },
    ];
    expect((await at.post('/v1/messages', SHAPES['anthropic']?.body({ tools }))).status).toBe(200);
  });

  it.each([
    ['GET', '/v1/messages', 405],
    ['POST', '/v1/files', 404],
    ['POST', '/v1/messages/../files', 404],
    ['POST', '/v1beta/models/a%2Fb:generateContent', 404],
    ['POST', '/v1beta/cachedContents', 404],
    ['POST', '//evil.test/v1/messages', 404],
  ])('answers %s %s with %i, and asks nobody', async (method, path, status) => {
    const at = await gateway();
    const calls = models.calls.length + models.otherCalls.length;
    const answer = await fetch(`${at.url}${path}`, { method, headers: { authorization: `Bearer ${TOKEN}` } });
    expect(answer.status).toBe(status);
    expect(models.calls.length + models.otherCalls.length).toBe(calls);
  });

  it("takes the token where each vendor's client puts it", async () => {
    const at = await gateway();
    const shape = SHAPES['anthropic'];
    for (const name of ['x-api-key', 'x-goog-api-key'])
      expect(
        (await at.post('/v1/messages', shape?.body(), { authorization: '', [name]: TOKEN })).status,
      ).toBe(200);
    const gemini = `/v1beta/models/${MODEL}:generateContent?key=${TOKEN}`;
    expect((await at.post(gemini, SHAPES['gemini']?.body(), { authorization: '' })).status).toBe(200);
    expect(last().url).not.toContain(TOKEN);
  });

  it('answers and counts all the same where the call itself cannot be kept', async () => {
    const at = await gateway('ok', { keepFails: true });
    const answer = await at.post('/v1/messages', SHAPES['anthropic']?.body());
    expect([answer.status, at.meter.settled.length]).toEqual([200, 1]);
    expect(at.problems).toContain('a call could not be kept');
  });

  it('counts tokens for nothing', async () => {
    const at = await gateway();
    const answer = await at.post('/v1/messages/count_tokens', { model: MODEL, messages: [user] });
    expect([answer.status, await answer.json()]).toEqual([200, { input_tokens: 1_000 }]);
    expect(at.meter.meter().calls).toBe(0);
  });

  it('holds the end of an answer back until it is counted', async () => {
    const at = await gateway('slow');
    const answer = await at.post('/v1/messages', SHAPES['anthropic']?.body({ stream: true }));
    const settledAt: number[] = [];
    let text = '';
    for await (const chunk of answer.body ?? []) {
      text += Buffer.from(chunk).toString('utf8');
      settledAt.push(at.meter.settled.length);
      if (text.includes('"message_stop"')) break;
    }
    expect(settledAt.at(0)).toBe(0);
    expect(settledAt.at(-1)).toBe(1);
  });

  it('gives a provider that never answers up at its deadline, and charges nothing that was not sent', async () => {
    const hung = await gateway('hang', { deadlineMs: 200 });
    expect((await hung.post('/v1/messages', SHAPES['anthropic']?.body())).status).toBe(504);
    expect(hung.meter.meter().estimated).toBeGreaterThan(0);
    const gone = await startModelServer();
    await gone.stop();
    const nobody = await startGateway({
      anthropic: { via: 'environment', variable: 'MODEL_KEY', url: gone.url },
    });
    started.push(nobody);
    expect((await nobody.post('/v1/messages', SHAPES['anthropic']?.body())).status).toBe(502);
    expect(nobody.meter.taken).toBe(0);
  });

  it('says what is missing when there is no provider or no key', async () => {
    for (const providers of [{}, { anthropic: { via: 'environment', variable: 'NO_SUCH_KEY' } as const }]) {
      const at = await startGateway(providers);
      started.push(at);
      const answer = await at.post('/v1/messages', SHAPES['anthropic']?.body());
      expect([answer.status, await answer.text()]).toEqual([
        403,
        expect.stringContaining('docs/how-to/models.md'),
      ]);
    }
  });

  it('does not call a model without a price where a limit has to hold', async () => {
    const at = await gateway('ok', {
      task: running({ model: 'own-model', tier: null }, { budget: { max_attempts: 1, max_cost_usd: 1 } }),
    });
    const body = SHAPES['anthropic']?.body({ model: 'own-model' });
    expect((await at.post('/v1/messages', body)).status).toBe(400);
    at.setTask(running({ model: 'own-model', tier: null }));
    expect((await at.post('/v1/messages', body)).status).toBe(200);
  });

  /** Starts a gateway to Bedrock's Region eu-west-1 that plays a scenario. */
  async function startBedrock(scenario: string, endpoint: 'mantle' | 'runtime') {
    process.env['AWS_ACCESS_KEY_ID'] = 'AKIDEXAMPLE';
    process.env['AWS_SECRET_ACCESS_KEY'] = 'secret';
    const url = models.urlForScenario(scenario);
    const at = await startGateway({ anthropic: { via: 'bedrock', endpoint, region: 'eu-west-1', url } });
    started.push(at);
    return at;
  }

  it('says which models a Region of Bedrock has in the place of one that it does not have', async () => {
    const at = await startBedrock('404', 'runtime');
    const answer = await at.post('/v1/messages', SHAPES['anthropic']?.body());
    expect(answer.status).toBe(404);
    expect(await answer.text()).toMatch(
      /is not offered by Bedrock in region eu-west-1; these are \(as of [\d-]+\): global\.anthropic\.claude-/,
    );
  });

  it('sends Bedrock no beta feature that it does not know', async () => {
    const at = await startBedrock('ok', 'runtime');
    const headers = { 'anthropic-beta': 'claude-code-20250219, interleaved-thinking-2025-05-14' };
    expect((await at.post('/v1/messages', SHAPES['anthropic']?.body(), headers)).status).toBe(200);
    expect(last().headers['anthropic-beta']).toBe('interleaved-thinking-2025-05-14');
  });

  it('signs for Bedrock, names the model as Bedrock does, and sends no token', async () => {
    const at = await startBedrock('ok', 'mantle');
    expect((await at.post('/v1/messages', SHAPES['anthropic']?.body())).status).toBe(200);
    const call = last();
    expect(call.body).toMatchObject({ model: `anthropic.${MODEL}`, max_tokens: 100 });
    expect(call.headers['x-amz-content-sha256']).toBe(sha256(call.raw));
    expect(call.headers['authorization']).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1\/bedrock-mantle\/aws4_request, SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date, /,
    );
    expect(at.meter.settled).toMatchObject([{ model: MODEL, substitution: null, micro: expect.any(Number) }]);
  });
});

it('prices a model by the one that the operator says it is, before the call and after it', async () => {
  const proxied = 'proxy/haiku';
  const at = await gateway('ok', {
    prices: { [proxied]: { same_as: MODEL } },
    task: running({ model: proxied }, { budget: { max_attempts: 1, max_cost_usd: 1 } }),
  });
  const { path, body } = SHAPES['anthropic'] as Shape;
  const answer = await at.post(path, body({ model: proxied, max_tokens: undefined }));
  expect(answer.status).toBe(200);
  await answer.text();
  expect(at.meter.settled).toMatchObject([{ model: MODEL, substitution: null, micro: expect.any(Number) }]);
  expect(at.meter.reserved, 'the longest answer of the model').toBeGreaterThan(64_000 * 5);
});

it('does not watch the attempt of a call that was never made', async () => {
  const watched = vi.spyOn(globalThis, 'setInterval');
  const checks = () => watched.mock.calls.filter(([, ms]) => ms === ATTEMPT_CHECK_MS).length;
  const { path, body } = SHAPES['anthropic'] as Shape;
  const broken = await gateway('ok', { reserveFails: true });
  await expect(broken.post(path, body())).rejects.toThrow();
  expect(checks()).toBe(0);
  await (await (await gateway()).post(path, body())).text();
  expect(checks()).toBe(1);
  watched.mockRestore();
});
