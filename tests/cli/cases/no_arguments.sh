qkv
