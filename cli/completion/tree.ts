import type { Command } from 'commander';

/** A command as a shell completes it. */
export interface Node {
  /** Words after `assay`; none for the program itself. */
  readonly path: readonly string[];
  readonly about: string;
  readonly children: readonly Node[];
  readonly options: readonly {
    readonly flag: string;
    readonly about: string;
    /** What may follow it; null: it takes no value. Empty: anything. */
    readonly values: readonly string[] | null;
  }[];
}

/** The commands of a program, with their options. */
export function treeOf(command: Command, path: readonly string[] = []): Node {
  const help = command.createHelp();
  return {
    path,
    about: command.description(),
    children: help
      .visibleCommands(command)
      .filter((child) => child.name() !== 'help')
      .map((child) => treeOf(child, [...path, child.name()])),
    options: help.visibleOptions(command).flatMap((option) =>
      option.long === undefined || option.long === null
        ? []
        : [
            {
              flag: option.long,
              about: option.description,
              values: option.required || option.optional ? (option.argChoices ?? []) : null,
            },
          ],
    ),
  };
}

export const allNodes = (node: Node): Node[] => [node, ...node.children.flatMap(allNodes)];
