/* What Debian's runtime library for WebAssembly leaves open: it was compiled with guards of the
 * stack, which wasi-libc does not have. */
#include <stdint.h>

extern uintptr_t __stack_chk_guard;
void __stack_chk_fail(void);

uintptr_t __stack_chk_guard = 0x5eed;

void __stack_chk_fail(void)
{
    __builtin_trap();
}
