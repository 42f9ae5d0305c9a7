import { type GateListEntry, listGates } from '../gates/list-gates.ts';
import { defineLocalCommand } from '../local-command.ts';
import type { LocalCommandSession } from '../local-session.ts';
import type { TextTableCell } from '../output/table.ts';
import { defineOption } from '../parameters.ts';

const FOUND_TEXT: Readonly<Record<string, string>> = { true: 'yes', false: 'no', null: '-' };
const NO_TOOL: readonly TextTableCell[] = ['', '-', ''];

/** One row for each tool; the cells of the gate itself are in the first row only. */
function gateRows({ tools, ...gate }: GateListEntry, { out }: LocalCommandSession): TextTableCell[][] {
  const [first = NO_TOOL, ...others] = tools.map(({ tool, found, folder, command, get }) => [
    folder === '' ? (tool ?? '') : `${tool ?? 'a command'} in ${folder}`,
    { text: FOUND_TEXT[String(found)] ?? '', style: found === false ? out.yellow : undefined },
    get === null ? (command ?? '') : `to install it: ${get}`,
  ]);
  const gateCells = [
    { text: gate.name, style: gate.enabled ? out.bold : out.dim },
    gate.enabled ? 'yes' : 'no',
    gate.required === null ? '-' : gate.required ? 'yes' : 'no',
    gate.condition ?? '-',
    gate.flag ?? '',
    gate.on_by_default ? 'on' : 'off',
  ];
  return [[...gateCells, ...first], ...others.map((other) => [...gateCells.map(() => ''), ...other])];
}

const renderGates = (gates: readonly GateListEntry[], session: LocalCommandSession): string =>
  session.table(
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
    gates.flatMap((gate) => gateRows(gate, session)),
  );

/** `gates list`: the gates of a folder. */
export const gatesCommand = defineLocalCommand({
  name: 'gates list',
  description: 'List every gate: its switch, its condition, and the tool that it would use in a folder',
  options: { repo: defineOption('--repo <dir>', 'folder, read from the working tree', { default: '.' }) },
  json: {
    text: '`--json` prints every gate, those that run first and in their order. `source` is `built_in` or `custom`, and a custom gate has no `flag`. `required` and `condition` are null where a module sets them when it runs: listing runs no module. `tools` has one entry for each language and project that the gate would check, none when nothing is configured: `tool` is `assay` for code of Assay itself, `folder` is empty at the top, `found` is null when there is nothing to look for, and `get` says how to install a missing tool.',
    example: `{
  "gates": [
    {
      "name": "lint",
      "flag": "lint",
      "source": "built_in",
      "on_by_default": true,
      "enabled": true,
      "required": true,
      "condition": "always",
      "tools": [
        {"tool": "ruff", "found": false, "get": "pip install ruff", "command": "ruff check .", "folder": "api"}
      ]
    }
  ]
}`,
  },
  examples: [
    ['gates list', 'the gates that would run here'],
    ['gates list --repo ../shop --json', 'for a script'],
  ],
  run: async (session, { repo }) => {
    const gates = await listGates(repo, session.io.cwd);
    session.show({ gates }, () => renderGates(gates, session));
    return undefined;
  },
});
