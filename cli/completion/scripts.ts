import { type CommandNode, listCommandNodes } from './command-tree.ts';

/** Quotes text for a shell. */
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const childNames = (node: CommandNode): string =>
  [...node.children.map(({ path }) => path.at(-1) ?? '')].join(' ');
const flags = (node: CommandNode): string => node.options.map(({ flag }) => flag).join(' ');
const optionsWithChoices = (node: CommandNode) =>
  node.options.filter(({ values }) => values !== null && values.length > 0);
const optionsWithAnyValue = (node: CommandNode) => node.options.filter(({ values }) => values?.length === 0);

/**
 * The script for bash. It completes files where an argument or a value may be anything. zsh runs it, too, so it slices no arrays and has
 * no variable `path`: both mean something else there.
 */
function bash(root: CommandNode): string {
  const nodes = listCommandNodes(root);
  const cases = nodes.map((node) => {
    const of = quote(node.path.join(' '));
    return `    ${of}) children=${quote(childNames(node))}; flags=${quote(flags(node))};;`;
  });
  const values = nodes.flatMap((node) =>
    optionsWithChoices(node).map(
      ({ flag, values: allowed }) =>
        `    ${quote(`${node.path.join(' ')} ${flag}`)}) COMPREPLY=($(compgen -W ${quote((allowed ?? []).join(' '))} -- "$current")); return;;`,
    ),
  );
  const files = nodes.flatMap((node) =>
    optionsWithAnyValue(node).map(
      ({ flag }) =>
        `    ${quote(`${node.path.join(' ')} ${flag}`)}) COMPREPLY=($(compgen -f -- "$current")); return;;`,
    ),
  );
  const paths = nodes.filter(({ path }) => path.length > 0).map(({ path }) => quote(path.join(' ')));
  return `# bash completion of assay; assay completion bash
_assay() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" at='' index next children='' flags=''
  for ((index = 1; index < COMP_CWORD; index++)); do
    next="\${at:+$at }\${COMP_WORDS[index]}"
    case "$next" in ${paths.join('|')}) at="$next";; esac
  done
  case "$at $previous" in
${[...values, ...files].join('\n')}
  esac
  case "$at" in
${cases.join('\n')}
  esac
  if [[ $current == -* ]]; then COMPREPLY=($(compgen -W "$flags" -- "$current"))
  elif [[ -n $children ]]; then COMPREPLY=($(compgen -W "$children" -- "$current"))
  else COMPREPLY=($(compgen -f -- "$current")); fi
}
complete -o filenames -F _assay assay
`;
}

/** The script for zsh: runs the one for bash. */
const zsh = (root: CommandNode): string => `#compdef assay
# zsh completion of assay; assay completion zsh
autoload -U +X bashcompinit && bashcompinit
${bash(root)}`;

/** The script for fish. Groups have subcommands of the same name, so that each condition names all words of the path. */
function fish(root: CommandNode): string {
  const lines = listCommandNodes(root).flatMap((node) => {
    const seen = node.path.map((word) => `__fish_seen_subcommand_from ${word}`);
    const inside = seen.length === 0 ? '' : ` -n ${quote(seen.join('; and '))}`;
    // A subcommand is offered only until one is chosen.
    const none = [...seen, `not __fish_seen_subcommand_from ${childNames(node)}`].join('; and ');
    const children = node.children.map(
      ({ path, description }) =>
        `complete -c assay -f -n ${quote(none)} -a ${quote(path.at(-1) ?? '')} -d ${quote(description)}`,
    );
    const options = node.options.map(({ flag, description, values }) => {
      const takes = values === null ? '' : values.length === 0 ? ' -r' : ` -x -a ${quote(values.join(' '))}`;
      return `complete -c assay${inside} -l ${quote(flag.replace(/^--/, ''))}${takes} -d ${quote(description)}`;
    });
    return [...children, ...options];
  });
  return `# fish completion of assay; assay completion fish\n${lines.join('\n')}\n`;
}

export const COMPLETION_SCRIPTS = { bash, zsh, fish } as const;
export type CompletionShell = keyof typeof COMPLETION_SCRIPTS;
