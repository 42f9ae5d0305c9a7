import type { Command } from 'commander';
import { action, examples, JSON_OPTION } from '../command.ts';
import { EXIT } from '../exit.ts';
import { type ListedGate, listGates } from '../gates/list.ts';
import type { Colors, Io } from '../io.ts';
import { renderTable } from '../output/table.ts';

/** `assay gates list` */
export function registerGates(program: Command, io: Io): void {
  const gates = program.command('gates').description('What checks a patch here');
  const list = gates
    .command('list')
    .description('Every gate with switch, condition, and the tool that it would use in a folder')
    .option('--repo <dir>', 'folder to look at, as it stands', '.')
    .option(...JSON_OPTION);
  action<[{ readonly repo: string }]>(list, io, async (session, { repo }) => {
    const listed = await listGates(repo, session.io.cwd);
    if (session.json) session.printJson({ gates: listed });
    else session.print(renderGates(listed, session.out, session.io.stdout.columns));
    return EXIT.ok;
  });
  examples(list, [
    ['gates list', 'what would run here'],
    ['gates list --repo ../shop --json', 'for a script'],
  ]);
}

function renderGates(gates: readonly ListedGate[], pc: Colors, width: number | undefined): string {
  return renderTable(
    [
      { title: 'GATE' },
      { title: 'RUNS' },
      { title: 'REQUIRED' },
      { title: 'CONDITION', shrinkTo: 12 },
      { title: 'SWITCH', optional: true },
      { title: 'DEFAULT', optional: true },
      { title: 'TOOL', shrinkTo: 8 },
      { title: 'HERE' },
      { title: 'COMMAND', shrinkTo: 12, optional: true },
    ],
    gates.map((gate) => [
      { text: gate.name, style: gate.enabled ? pc.bold : pc.dim },
      gate.enabled ? 'yes' : 'no',
      gate.required === null ? '-' : gate.required ? 'yes' : 'no',
      gate.condition ?? '-',
      gate.flag ?? '',
      gate.on_by_default ? 'on' : 'off',
      gate.tool ?? '',
      { text: HERE[String(gate.tool_found)] ?? '', style: gate.tool_found === false ? pc.yellow : undefined },
      gate.command ?? '',
    ]),
    width,
    pc.dim,
  );
}

const HERE: Readonly<Record<string, string>> = { true: 'yes', false: 'no', null: '-' };
