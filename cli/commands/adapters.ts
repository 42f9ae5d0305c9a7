import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { CLI_KINDS, type CliKind } from '../../shared/contract/agents/adapter.ts';
import { ADAPTER_FACTS, type AdapterFacts } from '../../shared/contract/agents/adapter-facts.ts';
import CLI_VERSIONS from '../../shared/contract/agents/cli-versions.json' with { type: 'json' };
import { EXIT } from '../exit.ts';
import type { Colors, Io } from '../io.ts';
import { examples, JSON_OPTION, localAction } from '../local-command.ts';
import { renderTable } from '../output/table.ts';
import { SUMMARY } from '../summary.ts';

const run = promisify(execFile);
/** Milliseconds for a program to say its version. */
const PATIENCE = 20_000;

const ABILITIES = ['effort', 'turns', 'budget', 'structured', 'resume', 'hooks'] as const;

/** An agent CLI: what this version of Assay knows of it, and what is on this machine. */
export interface ListedAdapter {
  readonly kind: CliKind;
  readonly package: string;
  /** The version that everything is tested with. */
  readonly version: string;
  /** What the program on the PATH says; null: there is none. */
  readonly here: string | null;
  readonly vendor: AdapterFacts['vendor'];
  readonly supports: Readonly<Record<(typeof ABILITIES)[number], boolean>>;
  /** Models by tier where the deployment's own are of another vendor; null: it takes any. */
  readonly tiers: AdapterFacts['tiers'];
}

async function versionHere(program: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  try {
    const { stdout } = await run(program, ['--version'], { env, timeout: PATIENCE });
    return /\d+\.\d+\.\d+\S*/.exec(stdout)?.[0] ?? stdout.trim().slice(0, 40);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : 'does not start';
  }
}

export const listAdapters = (env: NodeJS.ProcessEnv): Promise<ListedAdapter[]> =>
  Promise.all(
    CLI_KINDS.map(async (kind) => {
      const facts: AdapterFacts = ADAPTER_FACTS[kind];
      const { package: from, version, program } = CLI_VERSIONS[kind];
      const supports = Object.fromEntries(ABILITIES.map((name) => [name, facts[name]]));
      return {
        kind,
        package: from,
        version,
        here: await versionHere(program, env),
        vendor: facts.vendor,
        supports: supports as ListedAdapter['supports'],
        tiers: facts.tiers,
      };
    }),
  );

/** `assay adapters list` */
export function registerAdapters(program: Command, io: Io): void {
  const adapters = program.command('adapters').description(SUMMARY.adapters);
  const list = adapters
    .command('list')
    .description('Every agent CLI with its tested version, the one on this machine, and what it supports')
    .option(...JSON_OPTION);
  localAction(list, io, async (session) => {
    const listed = await listAdapters(io.env);
    if (session.json) session.printJson({ adapters: listed });
    else session.print(render(listed, session.out, session.io.stdout.columns));
    return EXIT.ok;
  });
  examples(list, [
    ['adapters list', 'what is here'],
    ["adapters list --json | jq '.adapters[] | select(.here == null).kind'", 'what is not'],
  ]);
}

function render(adapters: readonly ListedAdapter[], pc: Colors, width: number | undefined): string {
  const mark = (each: boolean): string => (each ? 'yes' : '-');
  return renderTable(
    [
      { title: 'ADAPTER' },
      { title: 'HERE' },
      { title: 'TESTED' },
      { title: 'MODELS OF' },
      ...ABILITIES.map((name) => ({ title: name.toUpperCase(), optional: name === 'hooks' })),
    ],
    adapters.map(({ kind, here, version, vendor, supports }) => [
      { text: kind, style: here === null ? pc.dim : pc.bold },
      { text: here ?? 'not installed', style: here === version ? undefined : pc.yellow },
      version,
      vendor,
      ...ABILITIES.map((name) => mark(supports[name])),
    ]),
    width,
    pc.dim,
  );
}
