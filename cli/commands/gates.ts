import type { Command } from 'commander';
import { EXIT } from '../exit.ts';
import { type ListedGate, listGates } from '../gates/list.ts';
import type { Colors, Io } from '../io.ts';
import { examples, JSON_OPTION, localAction } from '../local-command.ts';
import { type Cell, renderTable } from '../output/table.ts';
import { SUMMARY } from '../summary.ts';

/** `assay gates list` */
export function registerGates(program: Command, io: Io): void {
  const gates = program.command('gates').description(SUMMARY.gates);
  const list = gates
    .command('list')
    .description('Every gate with switch, condition, and the tool that it would use in a folder')
    .option('--repo <dir>', 'folder to look at, as it stands', '.')
    .option(...JSON_OPTION);
  localAction<[{ readonly repo: string }]>(list, io, async (session, { repo }) => {
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
    gates.flatMap((gate) => rowsOf(gate, pc)),
    width,
    pc.dim,
  );
}

/** A row for each tool; what holds for the gate stands in the first one. */
function rowsOf({ tools, ...gate }: ListedGate, pc: Colors): Cell[][] {
  const [first = NO_TOOL, ...others] = tools.map(({ tool, found, folder, command, get }) => [
    folder === '' ? (tool ?? '') : `${tool ?? 'a command'} in ${folder}`,
    { text: HERE[String(found)] ?? '', style: found === false ? pc.yellow : undefined },
    get === null ? (command ?? '') : `to get it: ${get}`,
  ]);
  const about = [
    { text: gate.name, style: gate.enabled ? pc.bold : pc.dim },
    gate.enabled ? 'yes' : 'no',
    gate.required === null ? '-' : gate.required ? 'yes' : 'no',
    gate.condition ?? '-',
    gate.flag ?? '',
    gate.on_by_default ? 'on' : 'off',
  ];
  return [[...about, ...first], ...others.map((other) => [...about.map(() => ''), ...other])];
}

const HERE: Readonly<Record<string, string>> = { true: 'yes', false: 'no', null: '-' };
const NO_TOOL: readonly Cell[] = ['', '-', ''];
