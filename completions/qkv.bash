# Completion of the qkv command in bash. Needs nothing but bash itself.

# Files that hold tensors, and folders on the way to them.
_qkv_tensors() {
    local name
    compopt -o filenames 2>/dev/null
    while IFS= read -r name; do
        if [[ -d $name || $name == *.npy || $name == *.safetensors ]]; then
            COMPREPLY+=("$name")
        fi
    done < <(compgen -f -- "$1")
}

_qkv_words() { # CURRENT WORD ...
    local current=$1
    shift
    mapfile -t COMPREPLY < <(compgen -W "$*" -- "$current")
}

_qkv_kernels() {
    qkv --version 2>/dev/null | sed -n -e 's/,//g' -e 's/^kernels: //p'
}

_qkv_attend() { # CURRENT PREVIOUS
    case $2 in
    --query | --key | --value | --key-scales | --value-scales | --mask | --output | -o | --weights | --lse | --entropy)
        _qkv_tensors "$1" ;;
    --causal | --align) _qkv_words "$1" top-left bottom-right ;;
    --scale) _qkv_words "$1" sqrt 1 ;;
    --type) _qkv_words "$1" f64 f32 f16 bf16 ;;
    --kernel) _qkv_words "$1" "$(_qkv_kernels)" ;;
    --heads | --kv-heads | --window | --softcap | --threads) ;;
    *)
        if [[ $1 == -* ]]; then
            _qkv_words "$1" --query --key --value --key-scales --value-scales --mask --heads --kv-heads --scale --causal \
                --align --window --softcap -o --output --weights --lse --entropy --type --print \
                --json --threads --kernel --help
        else
            _qkv_tensors "$1"
        fi
        ;;
    esac
}

_qkv_files() { # CURRENT
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$1")
}

_qkv_check() { # CURRENT PREVIOUS
    if [[ $2 == --points ]]; then
        return
    elif [[ $1 == -* ]]; then
        _qkv_words "$1" --json -q --quiet --report --accept-supported --gradescope --points --help
    else
        _qkv_files "$1"
    fi
}

_qkv_explain() { # CURRENT
    if [[ $1 == -* ]]; then
        _qkv_words "$1" --json --help
    else
        _qkv_files "$1"
    fi
}

_qkv_law() { # CURRENT PREVIOUS
    case $2 in
    --head) _qkv_words "$1" single heads immune ;;
    --noisy) _qkv_words "$1" wanted other ;;
    --keys | --of | --beta | --noise | --tolerance) ;;
    *)
        _qkv_words "$1" --head --keys --of --beta --noise --noisy --tolerance --json --help
        ;;
    esac
}

_qkv_design() { # CURRENT PREVIOUS
    case $2 in
    --noisy) _qkv_words "$1" wanted other ;;
    --keys | --of | --tolerance | --failure | --noise) ;;
    *)
        _qkv_words "$1" average copy --keys --of --tolerance --failure --noise --noisy --json \
            --help
        ;;
    esac
}

_qkv_sample() { # CURRENT PREVIOUS
    case $2 in
    --at | -n | --samples | --seed | --threads) ;;
    -o | --output) _qkv_tensors "$1" ;;
    *)
        if [[ $1 == -* ]]; then
            _qkv_words "$1" --at -n --samples --seed --threads --histogram --json -o --output --help
        else
            _qkv_files "$1"
        fi
        ;;
    esac
}

_qkv_plot() { # CURRENT PREVIOUS
    case $2 in
    --query | --key | --value | --weights) _qkv_tensors "$1" ;;
    --causal) _qkv_words "$1" top-left bottom-right ;;
    --scale) _qkv_words "$1" sqrt 1 ;;
    -o | --output) _qkv_files "$1" ;;
    --keys | --beta | --noise | --tolerance | -n | --samples | --seed | --tokens | --axes | \
        --order | --width | --zoom | --title) ;;
    *)
        if [[ ${COMP_WORDS[2]} == claim && $1 != -* ]] && ((COMP_CWORD > 2)); then
            _qkv_files "$1"
            return
        fi
        _qkv_words "$1" key weights law fall error heat diagram permutation claim --keys --beta --noise \
            --tolerance -n --samples --seed --query --key --value --weights --scale --causal \
            --tokens --axes --order -o --output --dark --terminal --width --zoom --title --help
        ;;
    esac
}

_qkv() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        _qkv_words "$current" attend check design explain law plot sample help --help --version
        return
    fi
    previous=${COMP_WORDS[COMP_CWORD - 1]}
    # Bash makes three words of --name=value.
    if [[ $current == = ]]; then
        current=
    elif [[ $previous == = ]]; then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case ${COMP_WORDS[1]} in
    attend) _qkv_attend "$current" "$previous" ;;
    check) _qkv_check "$current" "$previous" ;;
    design) _qkv_design "$current" "$previous" ;;
    explain) _qkv_explain "$current" ;;
    law) _qkv_law "$current" "$previous" ;;
    plot) _qkv_plot "$current" "$previous" ;;
    sample) _qkv_sample "$current" "$previous" ;;
    help) ((COMP_CWORD == 2)) && _qkv_words "$current" attend check design explain law plot \
        sample ;;
    esac
}

complete -F _qkv qkv
