/** What a shell has to be told once, so that it asks the program what could stand where a person presses Tab. */

const BASH = `# bash completion for holdfast: source <(holdfast completion bash)
_holdfast() {
  local line output directive=4 current=\${COMP_WORDS[COMP_CWORD]}
  [[ $current == = ]] && current=
  COMPREPLY=()
  output=$("\${COMP_WORDS[0]}" __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null) || return 0
  while IFS= read -r line; do
    if [[ $line == :* ]]; then
      directive=\${line#:}
    elif [[ $line == "$current"* || $line == *=* ]]; then
      line=\${line%%$'\\t'*}
      COMPREPLY+=("\${line#*=}")
    fi
  done <<<"$output"
  if [[ $directive == 0 ]]; then compopt -o default 2>/dev/null; fi
  return 0
}
complete -F _holdfast holdfast
`;

const ZSH = `#compdef holdfast
# zsh completion for holdfast: source <(holdfast completion zsh)
_holdfast() {
  local -a lines described
  local line directive=4
  lines=("\${(@f)$("\${words[1]}" __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  for line in $lines; do
    if [[ $line == :* ]]; then
      directive=\${line#:}
    elif [[ $line == *$'\\t'* ]]; then
      described+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    else
      described+=("\${line//:/\\\\:}")
    fi
  done
  if (( $#described )); then
    _describe holdfast described
  elif [[ $directive == 0 ]]; then
    _files
  fi
}
compdef _holdfast holdfast
`;

const FISH = `# fish completion for holdfast: holdfast completion fish | source
function __holdfast_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] __complete -- $words[2..-1] "$current" 2>/dev/null)
        string match -q ':*' -- $line; or echo $line
    end
end
complete -c holdfast -f -a '(__holdfast_complete)'
complete -c holdfast -l kubeconfig -r -F
`;

export const SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH } as const;

export type Shell = keyof typeof SCRIPTS;

export const isShell = (name: string | undefined): name is Shell => name !== undefined && name in SCRIPTS;
