# SPDX-License-Identifier: MIT
# bash completion of rtrace-bpf. What there is to choose from is asked of the program itself: commands and options of
# its --help, words of what it says of a wrong one ("unknown format '?' (text, rtrace, ...)").

# The program's commands.
_rtrace_bpf_commands() {
	"$1" --help 2>/dev/null | sed -n '/^Other commands/,/^$/s/^  rtrace-bpf \([a-z]*\) .*/\1/p'
}

# Long options, with a = if they need a value.
_rtrace_bpf_options() {
	"$@" --help 2>/dev/null | sed -n 's/^  \(-., \|    \)\(--[a-z-]*=\?\).*/\2/p'
}

# Lines "OPTION VALUE", also for short ones.
_rtrace_bpf_values() {
	"$@" --help 2>/dev/null | sed -n -e 's/^  \(-., \|    \)\(--[a-z-]*\)=\([^ ]*\).*/\1 \2 \3/p' |
		awk '{ for (i = 1; i < NF; i++) { sub(",", "", $i); print $i, $NF } }'
}

# The words that the program takes as value of an option: COMMAND... OPTION. It refuses the ? before it does anything.
_rtrace_bpf_words() {
	LC_ALL=C ARGP_HELP_FMT=rmargin=1000 "$@" '?' 2>&1 >/dev/null </dev/null |
		sed -n "s/^rtrace-bpf.*'?' (\(.*\))$/\1/p" | sed -e 's/ ([^)]*)//g' -e 's/,//g'
}

# Processes that use ROCm.
_rtrace_bpf_pids() {
	"$1" ps 2>/dev/null | sed -n 's/^ *\([0-9][0-9]*\) .*/\1/p'
}

# Names of files and folders; of the files those with that suffix.
_rtrace_bpf_files() {
	local file

	compopt -o filenames 2>/dev/null || : # outside of a completion
	while IFS= read -r file; do
		if [[ -d $file || $file == *"$2" ]]; then
			COMPREPLY+=("$file")
		fi
	done < <(compgen -f -- "$1")
}

# The value of an option: OPTION KIND CURRENT COMMAND...
_rtrace_bpf_value() {
	local option=$1 kind=$2 cur=$3 before='' words=''

	shift 3
	case $kind in
	FILE | DIR | PATH) _rtrace_bpf_files "$cur" '' ;;
	USER) mapfile -t COMPREPLY < <(compgen -u -- "$cur") ;;
	PID) words=$(_rtrace_bpf_pids "$1") ;;
	on\|off) words='on off' ;;
	LIST | FORMAT | MODE | UNIT | *[a-z]*) words=$(_rtrace_bpf_words "$@" "$option") ;;
	esac
	if [[ $kind == LIST && $cur == *,* ]]; then # the last of those with commas between
		before=${cur%,*},
	fi
	[[ -z $words ]] || mapfile -t COMPREPLY < <(compgen -P "$before" -W "$words" -- "${cur#"$before"}")
}

# The command that is traced, which has completions of its own.
_rtrace_bpf_traced() {
	if declare -F _command_offset >/dev/null; then
		_command_offset "$1"
	elif [[ $COMP_CWORD == "$1" ]]; then
		mapfile -t COMPREPLY < <(compgen -c -- "$2")
	else
		_rtrace_bpf_files "$2" ''
	fi
}

_rtrace_bpf() {
	local cur=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} command='' kind run i

	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} == -- ]]; then
			_rtrace_bpf_traced $((i + 1)) "$cur"
			return
		fi
	done
	if [[ $COMP_CWORD -gt 1 && ${COMP_WORDS[1]} == [a-z]* ]]; then
		command=${COMP_WORDS[1]}
	fi
	# Bash makes words of their own of "--format", "=" and the value.
	if [[ $cur == = ]]; then
		cur=''
	elif [[ $option == = ]]; then
		option=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	run=("${COMP_WORDS[0]}" ${command:+"$command"})
	kind=$(_rtrace_bpf_values "${run[@]}" | awk -v option="$option" '$1 == option { print $2 }')
	if [[ $option == -* && -n $kind ]]; then
		_rtrace_bpf_value "$option" "$kind" "$cur" "${run[@]}"
	elif [[ $cur == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_rtrace_bpf_options "${run[@]}")" -- "$cur")
		[[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null || :
	elif [[ $COMP_CWORD == 1 ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_rtrace_bpf_commands "${run[0]}")" -- "$cur")
	elif [[ $command == export || $command == report || $command == merge ]]; then
		_rtrace_bpf_files "$cur" .rtrace
	elif [[ $command == doctor ]]; then
		_rtrace_bpf_files "$cur" ''
	fi
} && complete -F _rtrace_bpf rtrace-bpf

# zsh and fish ask it as a program: bash FILE WORD... says what the last word can be, one a line.
if [[ ${BASH_SOURCE[0]} == "$0" && $# -gt 0 ]]; then
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
	_rtrace_bpf
	printf '%s\n' "${COMPREPLY[@]}"
fi
