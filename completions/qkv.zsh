#compdef qkv qkv-mpi
# Completion of the qkv command in zsh, from the command's own help texts.

_qkv_help() {
    $words[1] help "$@" 2>/dev/null
}

_qkv_subcommands() {
    local -a found
    found=(${(f)"$(_qkv_help | sed -nE 's/^  ([a-z]+) +(.*)/\1:\2/p')"})
    _describe 'subcommand' found
}

# --name:what its help calls the value
_qkv_options() { # SUBCOMMAND
    local -a found
    found=(${(f)"$(_qkv_help $1 | sed -nE "s/^  (-., )?(--[a-z-]+)( ('[^']*'|[^ ]+))?(  .*)?\$/\2:\4/p")"})
    _describe 'option' found
}

_qkv_value() { # SUBCOMMAND OPTION
    local value
    value=$(_qkv_help $1 | sed -nE "s/^  (-., )?$2 ('[^']*'|[^ ]+).*/\2/p")
    case $value in
    '') return 1 ;;
    *\|*) compadd -- ${(s:|:)value:#*[[:upper:]]*} ;;
    NAME) compadd -- ${(s:, :)"$($words[1] --version 2>/dev/null | sed -n 's/^kernels: //p')"} ;;
    *) _files ;;
    esac
}

_qkv() {
    if ((CURRENT == 2)); then
        _qkv_subcommands
        compadd -- --help --version
        return
    fi
    if [[ $words[CURRENT-1] == --* ]] && _qkv_value $words[2] $words[CURRENT-1]; then return; fi
    if [[ $words[2] == help ]]; then
        _qkv_subcommands
    elif [[ $words[CURRENT] == -* ]]; then
        _qkv_options $words[2]
    else
        _files
    fi
}

_qkv "$@"
