import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CLI_VERSION_PINS_FILE, renderCliVersionPins } from '../../shared/contract/agents/adapter-install.ts';
import {
  AGENT_CLI_KINDS,
  AGENT_CLI_MANIFESTS,
  type AgentCliKind,
} from '../../shared/contract/agents/adapter-manifests.ts';
import { SKIPPED_EXIT_CODE } from '../../test/checks/check-steps.ts';
import { clearFailureRows, readFailureRows, renderFailurePage } from './failure-table.ts';
import { CLI_BIN_FOLDER, CLI_INSTALL_FOLDER } from './installed-clis.ts';

const ROOT = join(import.meta.dirname, '../..');
const HELP = `Runs the real agent CLIs, in their pinned versions, against scripted models.

  npm run test:cli                       install what is missing, then run all
  npm run test:cli -- --only claude      one of ${AGENT_CLI_KINDS.join(', ')}
  npm run test:cli -- --tests failures   only the files whose name contains this
  npm run test:cli -- --table            writes docs/measurements/agent-failures.md from the last failures of each CLI
  npm run test:cli -- --record           what is printed becomes the fixtures of the unit tests
`;

/** Whether the CLI is here, in its version; it is installed when it is not. */
function isInstalled(kind: AgentCliKind): boolean {
  const { program, version } = AGENT_CLI_MANIFESTS[kind].install;
  const link = join(CLI_BIN_FOLDER, program);
  try {
    if (
      existsSync(link) &&
      execFileSync(realpathSync(link), ['--version'], { encoding: 'utf8' }).includes(version)
    )
      return true;
  } catch {
    // It is broken: once more.
  }
  const pins = join(CLI_INSTALL_FOLDER, CLI_VERSION_PINS_FILE);
  mkdirSync(CLI_INSTALL_FOLDER, { recursive: true });
  writeFileSync(pins, renderCliVersionPins());
  const args = [join(ROOT, 'containers/agent/install-clis.ts'), pins];
  const { status } = spawnSync(process.execPath, [...args, CLI_INSTALL_FOLDER, CLI_BIN_FOLDER, kind], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return status === 0;
}

function main(): number {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      tests: { type: 'string' },
      record: { type: 'boolean' },
      table: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const wanted = AGENT_CLI_KINDS.filter((kind) => values.only === undefined || values.only === kind);
  if (wanted.length === 0) {
    process.stderr.write(`there is no agent CLI ${values.only}; known are ${AGENT_CLI_KINDS.join(', ')}\n`);
    return 2;
  }
  const present = wanted.filter(isInstalled);
  const missing = wanted.filter((kind) => !present.includes(kind));
  if (missing.length > 0)
    process.stdout.write(
      `SKIPPED the tests of ${missing.join(', ')}: not installed, and the registry did not give them\n`,
    );
  if (present.length === 0) return SKIPPED_EXIT_CODE;
  if ('failures'.startsWith(values.tests ?? '')) clearFailureRows(present);
  const ran = spawnSync(
    join(ROOT, 'node_modules/.bin/vitest'),
    [
      ...['run', '--config', join(import.meta.dirname, 'vitest.config.ts'), '--reporter=verbose'],
      ...(values.tests === undefined ? [] : [`lab/agent-clis/${values.tests}`]),
    ],
    {
      cwd: ROOT,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        ...process.env,
        ASSAY_TEST_CLIS: present.join(','),
        ...(values.record && { ASSAY_RECORD: '1' }),
      },
    },
  );
  if (values.table)
    writeFileSync(
      join(ROOT, 'docs/measurements/agent-failures.md'),
      renderFailurePage(readFailureRows(), new Date().toISOString().slice(0, 10)),
    );
  return ran.status ?? 1;
}

process.exitCode = main();
