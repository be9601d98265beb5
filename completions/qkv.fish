# Completion of the qkv command in fish, from the command's own help texts.

function __qkv_subcommands
    qkv help 2>/dev/null | string replace -rf '^  ([a-z]+) +(.*)' '$1\t$2'
end

function __qkv_subcommand
    set -l words (commandline -opc)
    test (count $words) -gt 1; and echo $words[2]
end

function __qkv_options
    qkv help (__qkv_subcommand) 2>/dev/null |
        string replace -rf '^  (?:-., )?(--[a-z-]+)(?: ([^ ]+))?.*' '$1\t$2'
end

# The choices of the value of the option before the cursor: sqrt|X has one that is a word.
function __qkv_choices
    set -l words (commandline -opc)
    qkv help (__qkv_subcommand) 2>/dev/null |
        string replace -rf -- "^  (?:-., )?$words[-1] ([^ ]+).*" '$1' | string split '|' | string match -r '^[a-z].*'
end

complete -c qkv -n 'test (count (commandline -opc)) -eq 1' -f -a '(__qkv_subcommands)'
complete -c qkv -n 'test (count (commandline -opc)) -eq 1' -f -a '--help --version'
complete -c qkv -n 'test (count (commandline -opc)) -gt 1; and string match -q -- "-*" (commandline -ct)' -f -a '(__qkv_options)'
complete -c qkv -n 'test (count (commandline -opc)) -gt 1; and string match -q -- "--*" (commandline -opc)[-1]' -a '(__qkv_choices)'
