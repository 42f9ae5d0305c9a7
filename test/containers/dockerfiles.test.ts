import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CLI_VERSION_PINS_FILE, renderCliVersionPins } from '../../shared/contract/agents/adapter-install.ts';
import { AGENT_CLI_KINDS, AGENT_CLI_MANIFESTS } from '../../shared/contract/agents/adapter-manifests.ts';
import { CONTAINER_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { createTemporaryFolder } from '../support/git-repository.ts';
import { fakeCli } from './fake-cli.ts';

interface Instruction {
  readonly keyword: string;
  readonly text: string;
}

/** The instructions of a Dockerfile: comments dropped, continued lines joined. */
function instructions(box: string): Instruction[] {
  const room = box === 'deliver' ? 'functions' : 'containers';
  const text = readFileSync(`${room}/${box}/Dockerfile`, 'utf8')
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replaceAll('\\\n', ' ');
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => ({
      keyword: line.split(' ', 1)[0] ?? '',
      text: line.slice(line.indexOf(' ') + 1).replace(/\s+/g, ' '),
    }));
}
const all = (box: string, keyword: string): string[] =>
  instructions(box).flatMap((each) => (each.keyword === keyword ? [each.text] : []));

const MIRROR_ARGUMENTS = ['DEBIAN_MIRROR=', 'NPM_REGISTRY=', 'PIP_INDEX_URL='];

test('the image of the agent leaves hooks on, which managed settings would turn off for our tool hook too', () => {
  expect(all('agent', 'RUN').join('\n')).not.toMatch(
    /disableAllHooks|allowManagedHooksOnly|managed-settings/,
  );
});

describe.each(['agent', 'gates'])('the image of the %s box', (box) => {
  test('is built on one exact version of Node 24, the same in all', () => {
    expect(all(box, 'FROM')).toEqual(['node:24.21.0-trixie-slim']);
  });

  test('has no program by which a user becomes another', () => {
    const runs = all(box, 'RUN');
    const stripped = runs.findIndex((run) =>
      run.includes('find / -xdev -type f -perm /6000 -exec chmod a-s'),
    );
    expect(stripped).toBeGreaterThan(runs.findIndex((run) => run.includes('apt-get install')));
  });

  test('tries out its tools in the build', () => {
    const checks = all(box, 'RUN').join('\n');
    for (const check of ['node --version', 'git --version', 'bash --version', 'node --check /app/main.mjs'])
      expect(checks).toContain(check);
  });

  test('starts the one program that the build puts beside it, and leaves no package lists', () => {
    const before = [
      'use-mirrors.sh private-ca.pe[m] /opt/build/',
      ...(box === 'agent' || box === 'gates' ? ['cli-versions.json install-clis.ts /opt/agents/'] : []),
    ];
    const beside =
      box === 'gates'
        ? ['matcher.mjs /app/matcher.mjs', 'screenshots.mjs /app/screenshots.mjs', '*.wasm /app/']
        : [];
    expect(all(box, 'COPY')).toEqual([...before, 'main.mjs /app/main.mjs', ...beside]);
    expect(all(box, 'ENTRYPOINT')).toEqual(['["node", "/app/main.mjs"]']);
    expect(all(box, 'CMD')).toEqual([]);
    expect(all(box, 'RUN').find((run) => run.includes('apt-get install'))).toMatch(
      /apt-get upgrade .*rm -rf \/var\/lib\/apt\/lists/,
    );
    expect(all(box, 'VOLUME')).toEqual(['["/work", "/tmp"]']);
  });

  test('holds no secret and takes none while it is built', () => {
    expect(
      instructions(box)
        .map(({ text }) => text)
        .join('\n'),
    ).not.toMatch(/token|secret|password|api_key/i);
  });
});

test.each([
  [
    'agent',
    '10001:10001',
    'useradd --uid 10001 --gid 10001',
    'test "$(id -u work):$(id -g work)" = 10001:10001',
  ],
  ['gates', '10001-10064', 'seq 10001 10064', 'test "$(id -u work10064):$(id -g work10001)" = 10064:10001'],
])(
  'the %s image has the users for commands, and tells the supervisor to use them',
  (box, users, ...texts) => {
    expect(all(box, 'ENV')).toContain(`${CONTAINER_ENV_NAMES.runAs}=${users}`);
    for (const text of texts) expect(all(box, 'RUN').join('\n')).toContain(text);
  },
);

test('the agent image brings exactly the CLIs that it is told to, in the versions that everything else knows', () => {
  expect(all('agent', 'ARG')).toEqual([...MIRROR_ARGUMENTS, 'AGENT_CLIS=claude']);
  expect(all('agent', 'RUN').join('\n')).toContain(
    'node /opt/agents/install-clis.ts /opt/agents/cli-versions.json /opt/agents /usr/local/bin $'.concat(
      '{AGENT_CLIS}',
    ),
  );
  for (const kind of AGENT_CLI_KINDS)
    expect(AGENT_CLI_MANIFESTS[kind].install.version).toMatch(/^\d+\.\d+\.\d+$/);
  expect(Object.keys(JSON.parse(renderCliVersionPins()))).toEqual([...AGENT_CLI_KINDS]);
});

describe('the installer of agent CLIs', () => {
  const installs = (says: string, kinds: readonly string[]) => {
    const folder = createTemporaryFolder();
    const pins = join(folder, CLI_VERSION_PINS_FILE);
    writeFileSync(pins, renderCliVersionPins());
    // As npm would: puts a program there that says its version.
    const npm = `prefix=$PWD; mkdir -p "$prefix/node_modules/.bin"; for program in claude codex; do printf '#!/bin/sh\\necho ${says}\\n' > "$prefix/node_modules/.bin/$program"; chmod +x "$prefix/node_modules/.bin/$program"; done`;
    const path = fakeCli(folder, 'npm', npm);
    const ran = spawnSync(
      process.execPath,
      ['containers/agent/install-clis.ts', pins, `${folder}/agents`, `${folder}/out`, ...kinds],
      { encoding: 'utf8', env: { ...process.env, PATH: path } },
    );
    return { ...ran, programs: existsSync(`${folder}/out`) ? readdirSync(`${folder}/out`) : [] };
  };

  test('installs those that it is told, and no others', () => {
    const claude = AGENT_CLI_MANIFESTS.claude.install;
    expect(installs(claude.version, ['claude'])).toMatchObject({
      status: 0,
      stdout: `${claude.package}@${claude.version}\n`,
      programs: ['claude'],
    });
    expect(installs('', [])).toMatchObject({ status: 0, stdout: '', programs: [] });
  });

  test.each([
    ['another version than was asked for', '0.0.1', 'claude', 'says that it is 0.0.1'],
    [
      'a CLI that nobody knows',
      '1.0.0',
      'constructor',
      'there is no agent CLI constructor; known are claude',
    ],
  ])('breaks the build for %s', (_, says, kind, message) => {
    const { status, stderr } = installs(says, [kind]);
    expect(status).not.toBe(0);
    expect(stderr).toContain(message);
  });
});

describe('the image of the function that delivers', () => {
  const runs = all('deliver', 'RUN').join('\n');

  test('is that of Lambda for Node 24, with git and no tool that builds, tests or installs', () => {
    expect(all('deliver', 'FROM')).toEqual(['public.ecr.aws/lambda/nodejs:24']);
    expect(/dnf install -y ([\w -]+?) &&/.exec(runs)?.[1]).toBe('git-core');
    expect(runs).toMatch(/dnf upgrade -y .*dnf clean all .*rm -rf .*\/npm/);
  });

  test('starts its handler from the one file that the build puts beside it, and tries it out', () => {
    // The pattern takes what is not always there.
    expect(all('deliver', 'COPY')).toEqual([
      'index.js package.json private-ca.pe[m] $'.concat('{LAMBDA_TASK_ROOT}/'),
    ]);
    expect(all('deliver', 'CMD')).toEqual(['["index.handler"]']);
    for (const check of ['node --version', 'git --version', 'node --check']) expect(runs).toContain(check);
  });

  test('holds no secret and takes none while it is built', () => {
    expect(JSON.stringify(instructions('deliver'))).not.toMatch(/token|secret|password|api_key/i);
    expect(all('deliver', 'ARG')).toEqual([]);
  });
});
