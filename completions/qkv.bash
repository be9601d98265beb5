# Completion of the qkv command in bash. Needs nothing but bash, sed and the command itself, whose help
# texts say what there is to complete.

# Files that hold tensors, whose endings are those of the inputs in the help, and folders on the way.
_qkv_tensors() { # CURRENT
    local name endings
    endings=$(_qkv_help attend | sed -nE 's/^  [a-z]+\.([a-z]+)  .*/\1/p')
    compopt -o filenames 2>/dev/null
    while IFS= read -r name; do
        if [[ -d $name || ( $name == *.* && $'\n'$endings$'\n' == *$'\n'${name##*.}$'\n'* ) ]]; then
            COMPREPLY+=("$name")
        fi
    done < <(compgen -f -- "$1")
}

_qkv_files() { # CURRENT
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$1")
}

_qkv_words() { # CURRENT WORD ...
    local current=$1
    shift
    mapfile -t COMPREPLY < <(compgen -W "$*" -- "$current")
}

_qkv_help() { # [SUBCOMMAND]
    "${COMP_WORDS[0]}" help "$@" 2>/dev/null
}

# The options of a subcommand, each with what its help calls the value: "--causal top-left|bottom-right".
# A letter is an option of its own.
_qkv_options() { # SUBCOMMAND
    _qkv_help "$1" | sed -nE -e "s/^  (-., )?(--[a-z-]+)( ('[^']*'|[^ ]+))?(  .*)?\$/\1\2 \4/" \
        -e 's/^(-.), (--[^ ]+)( .*)/\1\3\n\2\3/p' -e 's/^--/&/p'
}

# The choices among the words of a value such as sqrt|X; those in capitals stand for something else.
_qkv_choices() { # VALUE
    local word
    for word in ${1//|/ }; do
        [[ $word == *[[:upper:]]* ]] || echo "$word"
    done
}

_qkv_value() { # CURRENT SUBCOMMAND VALUE
    case $3 in
    *\|*) _qkv_words "$1" "$(_qkv_choices "$3")" ;;
    INPUT) _qkv_tensors "$1" ;;
    FOLDER) _qkv_files "$1" ;;
    FILE) if [[ $2 == attend || $2 == sample ]]; then _qkv_tensors "$1"; else _qkv_files "$1"; fi ;;
    NAME) _qkv_words "$1" "$("${COMP_WORDS[0]}" --version 2>/dev/null | sed -n -e 's/,//g' -e 's/^kernels: //p')" ;;
    esac
}

# The words that are operands of a subcommand.
_qkv_operands() { # SUBCOMMAND
    case $1 in
    design) echo average copy ;;
    plot) _qkv_help plot | sed -nE -e '/^[^ ].*PICTURE:/,/^[^ ].*[^:]$/s/^  ([a-z]+) .*/\1/p' ;;
    esac
}

_qkv_subcommand() { # CURRENT PREVIOUS SUBCOMMAND
    local option value options=()
    while read -r option value; do
        options+=("$option")
        if [[ $option == "$2" && -n $value ]]; then
            _qkv_value "$1" "$3" "$value"
            return
        fi
    done < <(_qkv_options "$3")
    if [[ $1 != -* ]]; then
        case $3 in
        attend) _qkv_tensors "$1"; return ;;
        check | explain | grade | sample) _qkv_files "$1"; return ;;
        plot)
            if [[ ${COMP_WORDS[2]} == claim ]] && ((COMP_CWORD > 2)); then
                _qkv_files "$1"
                return
            fi
            ;;
        esac
    fi
    _qkv_words "$1" "${options[@]}" "$(_qkv_operands "$3")"
}

_qkv() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=
    local subcommands
    COMPREPLY=()
    subcommands=$(_qkv_help | sed -nE 's/^  ([a-z]+) .*/\1/p')
    if ((COMP_CWORD == 1)); then
        _qkv_words "$current" "$subcommands" --help --version
        return
    fi
    previous=${COMP_WORDS[COMP_CWORD - 1]}
    # Bash makes three words of --name=value.
    if [[ $current == = ]]; then
        current=
    elif [[ $previous == = ]]; then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if [[ ${COMP_WORDS[1]} != help ]]; then
        _qkv_subcommand "$current" "$previous" "${COMP_WORDS[1]}"
    elif ((COMP_CWORD == 2)); then
        _qkv_words "$current" "${subcommands//help/}"
    fi
}

complete -F _qkv qkv qkv-mpi
