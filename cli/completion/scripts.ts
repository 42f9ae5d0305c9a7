import { allNodes, type Node } from './tree.ts';

/** Within single quotes of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const words = (node: Node): string => [...node.children.map(({ path }) => path.at(-1) ?? '')].join(' ');
const flags = (node: Node): string => node.options.map(({ flag }) => flag).join(' ');
const choices = (node: Node) => node.options.filter(({ values }) => values !== null && values.length > 0);
const open = (node: Node) => node.options.filter(({ values }) => values?.length === 0);

/**
 * For bash, and for zsh, which takes slices of an array for something else and has a `path` of its own: files where an argument or a value
 * may be anything.
 */
function bash(root: Node): string {
  const nodes = allNodes(root);
  const cases = nodes.map((node) => {
    const of = quoted(node.path.join(' '));
    return `    ${of}) children=${quoted(words(node))}; flags=${quoted(flags(node))};;`;
  });
  const values = nodes.flatMap((node) =>
    choices(node).map(
      ({ flag, values: allowed }) =>
        `    ${quoted(`${node.path.join(' ')} ${flag}`)}) COMPREPLY=($(compgen -W ${quoted((allowed ?? []).join(' '))} -- "$current")); return;;`,
    ),
  );
  const files = nodes.flatMap((node) =>
    open(node).map(
      ({ flag }) =>
        `    ${quoted(`${node.path.join(' ')} ${flag}`)}) COMPREPLY=($(compgen -f -- "$current")); return;;`,
    ),
  );
  const paths = nodes.filter(({ path }) => path.length > 0).map(({ path }) => quoted(path.join(' ')));
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

/** zsh runs the one for bash. */
const zsh = (root: Node): string => `#compdef assay
# zsh completion of assay; assay completion zsh
autoload -U +X bashcompinit && bashcompinit
${bash(root)}`;

/** For fish, with what each is for. Several commands have one of the same name below them: a word alone does not say where one is. */
function fish(root: Node): string {
  const lines = allNodes(root).flatMap((node) => {
    const seen = node.path.map((word) => `__fish_seen_subcommand_from ${word}`);
    const inside = seen.length === 0 ? '' : ` -n ${quoted(seen.join('; and '))}`;
    // One of them is chosen once.
    const none = [...seen, `not __fish_seen_subcommand_from ${words(node)}`].join('; and ');
    const children = node.children.map(
      ({ path, about }) =>
        `complete -c assay -f -n ${quoted(none)} -a ${quoted(path.at(-1) ?? '')} -d ${quoted(about)}`,
    );
    const options = node.options.map(({ flag, about, values }) => {
      const takes = values === null ? '' : values.length === 0 ? ' -r' : ` -x -a ${quoted(values.join(' '))}`;
      return `complete -c assay${inside} -l ${quoted(flag.replace(/^--/, ''))}${takes} -d ${quoted(about)}`;
    });
    return [...children, ...options];
  });
  return `# fish completion of assay; assay completion fish\n${lines.join('\n')}\n`;
}

export const SHELLS = { bash, zsh, fish } as const;
export type Shell = keyof typeof SHELLS;
