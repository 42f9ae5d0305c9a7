import type { Command } from 'commander';

/** A command with the words that a shell completes after it. */
export interface CommandNode {
  /** Words after `assay`; empty for the program itself. */
  readonly path: readonly string[];
  readonly description: string;
  readonly children: readonly CommandNode[];
  readonly options: readonly {
    readonly flag: string;
    readonly description: string;
    /** Possible values; empty: any; null: it takes no value. */
    readonly values: readonly string[] | null;
  }[];
}

/** Returns the commands of a program with their options. */
export function buildCommandTree(command: Command, path: readonly string[] = []): CommandNode {
  const help = command.createHelp();
  return {
    path,
    description: command.description(),
    children: help
      .visibleCommands(command)
      .filter((child) => child.name() !== 'help')
      .map((child) => buildCommandTree(child, [...path, child.name()])),
    options: help.visibleOptions(command).flatMap((option) =>
      option.long === undefined || option.long === null
        ? []
        : [
            {
              flag: option.long,
              description: option.description,
              values: option.required || option.optional ? (option.argChoices ?? []) : null,
            },
          ],
    ),
  };
}

export const listCommandNodes = (node: CommandNode): CommandNode[] => [
  node,
  ...node.children.flatMap(listCommandNodes),
];
