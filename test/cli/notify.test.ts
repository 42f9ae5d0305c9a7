import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../cli/exit.ts';
import { readNotifyEnvironment } from '../../cli/notify-settings.ts';
import { takeNotifyPassthrough } from '../../local/env-passthrough.ts';
import { EMBEDDED_NOTIFY_SECRET_VARIABLE, FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';

const cwd = mkdtempSync(join(tmpdir(), 'notify-'));
const FILE = '- { name: team, kind: slack }\n- { name: hook, kind: webhook }\n';
const KEY = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
const SECRET = JSON.stringify({
  targets: {
    team: { url: 'https://hooks.slack.example/services/hush' },
    hook: { url: 'https://hook.example/hush', signing_key: KEY },
  },
});

function read(text: string, secret: string): Record<string, string> {
  writeFileSync(join(cwd, 'notify.yaml'), text);
  const env = secret ? { [EMBEDDED_NOTIFY_SECRET_VARIABLE]: secret } : {};
  return readNotifyEnvironment('notify.yaml', { cwd, env });
}

describe('targets of notifications of a stack on this machine', () => {
  it('are read from a file, and only the function that sends them gets their secret', () => {
    const environment: NodeJS.ProcessEnv = {
      ...read(FILE, SECRET),
      [EMBEDDED_NOTIFY_SECRET_VARIABLE]: SECRET,
    };
    const lent = takeNotifyPassthrough(environment);
    expect(environment).toEqual({});
    expect(JSON.parse(lent[FUNCTION_ENV_NAMES.notify]?.[FUNCTION_ENV_NAMES.notify] ?? '')).toMatchObject([
      { name: 'team', events: expect.arrayContaining(['Task Held']) },
      { name: 'hook' },
    ]);
    expect(lent[FUNCTION_ENV_NAMES.notifySecret]?.[EMBEDDED_NOTIFY_SECRET_VARIABLE]).toBe(SECRET);
    expect(JSON.stringify(lent[FUNCTION_ENV_NAMES.notify])).not.toContain('hush');
  });

  it.each([
    ['no target', '[]', SECRET, 'Too small'],
    ['a kind that there is not', FILE.replace('slack', 'irc'), SECRET, '0.kind'],
    ['an event that there is not', FILE.replace('slack }', 'slack, events: [Tea] }'), SECRET, '0.events.0'],
    ['one name twice', FILE.replace('hook', 'team'), SECRET, 'is listed twice'],
    ['no secret', FILE, '', `${EMBEDDED_NOTIFY_SECRET_VARIABLE} is not set`],
    ['a secret that is no JSON', FILE, 'hush', 'is not JSON'],
    ['a short key', FILE, SECRET.replace(KEY, 'whsec_aHVzaA=='), '/targets/hook'],
    ['no key', FILE, SECRET.replace(`,"signing_key":"${KEY}"`, ''), '/targets/hook needs a signing_key'],
    ['no token of a bot', FILE.replace('slack }', 'slack, channel: a }'), SECRET, 'needs a bot_token'],
    ['a secret for others', FILE.replace('team', 'others'), SECRET, 'none for others'],
  ])('are refused with %s, by name and without what is secret', (_what, text, secret, name) => {
    let told = '';
    try {
      read(text, secret);
    } catch (error) {
      told = error instanceof CliError ? JSON.stringify(error.details) : String(error);
    }
    expect(told).toContain(name);
    expect(told).not.toContain('hush');
  });

  it('take no effect without a file, and none start without a secret', () => {
    expect(takeNotifyPassthrough({ [EMBEDDED_NOTIFY_SECRET_VARIABLE]: SECRET })).toEqual({});
    expect(() => takeNotifyPassthrough({ [FUNCTION_ENV_NAMES.notify]: '[]' })).toThrow(
      EMBEDDED_NOTIFY_SECRET_VARIABLE,
    );
  });
});
