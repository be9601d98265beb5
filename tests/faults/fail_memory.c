/*
 * A library to preload: the allocations of a program are counted from main on, and one of them
 * fails. Knows nothing of the program.
 *
 *     QKV_FAIL_AT       the number of the allocation that fails, from 1; 0: none
 *     QKV_FAIL_LASTING  if set, all that follow fail as well
 *     QKV_FAIL_WHOSE    "reported": those whose failure the program is told, which is the default;
 *                       "own": of these, what the program asks for itself; "others": those of
 *                       libraries that end the program without memory
 *     QKV_FAIL_LOG      a file for what happened: which module's allocation failed, and at the end
 *                       how many were made, and how many blocks of the program's own are left
 *
 * The caller of malloc decides whose an allocation is. What the program calls in the C library, and
 * in libraries that report a failure, counts as its own; the table below has the rest.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The C library's own names for the functions that are replaced here. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

/* ---- Modules ------------------------------------------------------------------------------- */

/* Whose blocks must be freed by the time the program ends; others keep some on purpose. */
static const char *const careful[] = {"libmd4c"};
/* Who reports a failure to the caller. Anyone else ends the program. */
static const char *const reporting[] = {"libc.so", "libmd4c"};

typedef struct module {
    uintptr_t begin, end;
    bool owner; /* the program itself, or one of `careful` */
    bool reports;
} module;

enum { MODULES_AT_MOST = 256 };
static module modules[MODULES_AT_MOST];
static size_t module_count;

static bool is_among(const char *path, const char *const *names, size_t count)
{
    const char *slash = strrchr(path, '/'), *base = slash == NULL ? path : slash + 1;
    for (size_t i = 0; i < count; i++)
        if (strncmp(base, names[i], strlen(names[i])) == 0) return true;
    return false;
}

static int add_module(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    (void)context;
    const bool program = info->dlpi_name[0] == '\0' && module_count == 0;
    for (int i = 0; i < info->dlpi_phnum && module_count < MODULES_AT_MOST; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || (part->p_flags & PF_X) == 0) continue;
        const uintptr_t begin = info->dlpi_addr + part->p_vaddr;
        modules[module_count++] = (module){
            .begin = begin,
            .end = begin + part->p_memsz,
            .owner = program || is_among(info->dlpi_name, careful, 1),
            .reports = program || is_among(info->dlpi_name, reporting, 2),
        };
    }
    return 0;
}

static const module *module_of(const void *caller)
{
    const uintptr_t at = (uintptr_t)caller;
    for (size_t i = 0; i < module_count; i++)
        if (at >= modules[i].begin && at < modules[i].end) return &modules[i];
    return NULL;
}

/* ---- Blocks of the program's own --------------------------------------------------------------
 */

enum { BLOCK_BITS = 20, BLOCKS = 1 << BLOCK_BITS };
static _Atomic(uintptr_t) blocks[BLOCKS]; /* open addressing; 0 is free, 1 was */

static size_t place_of(uintptr_t block)
{
    return (size_t)((block >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - BLOCK_BITS));
}

static void remember(void *block)
{
    size_t at = place_of((uintptr_t)block);
    for (size_t i = 0; i < BLOCKS; i++, at = (at + 1) % BLOCKS) {
        uintptr_t there = atomic_load(&blocks[at]);
        if (there <= 1 && atomic_compare_exchange_strong(&blocks[at], &there, (uintptr_t)block))
            return;
    }
}

static void forget(void *block)
{
    size_t at = place_of((uintptr_t)block);
    for (size_t i = 0; block != NULL && i < BLOCKS; i++, at = (at + 1) % BLOCKS) {
        const uintptr_t there = atomic_load(&blocks[at]);
        if (there == 0) return;
        if (there != (uintptr_t)block) continue;
        atomic_store(&blocks[at], 1);
        return;
    }
}

/* ---- Failing -------------------------------------------------------------------------------- */

static bool counting, lasting;
static enum { REPORTED, OWN, OTHERS } whose;
static long fail_at;
static atomic_long made;
static int record = -1;

static void tell(const char *text)
{
    if (record >= 0) (void)!write(record, text, strlen(text));
}

static void tell_failure(const void *caller)
{
    char text[512];
    Dl_info about;
    const bool known = dladdr(caller, &about) != 0 && about.dli_fname != NULL;
    snprintf(text, sizeof text, "failed %s %s\n", known ? about.dli_fname : "?",
             known && about.dli_sname != NULL ? about.dli_sname : "?");
    tell(text);
}

/* Whether this allocation is to fail. */
static bool fails(const void *caller, const module *from)
{
    const bool reports = from != NULL && from->reports, own = from != NULL && from->owner;
    if (!counting || !(whose == OTHERS ? !reports : whose == OWN ? own : reports)) return false;
    const long number = atomic_fetch_add(&made, 1) + 1;
    if (number != fail_at && !(lasting && fail_at > 0 && number > fail_at)) return false;
    if (number == fail_at) tell_failure(caller);
    errno = ENOMEM;
    return true;
}

static void *keep(void *block, const module *from)
{
    if (counting && block != NULL && from != NULL && from->owner) remember(block);
    return block;
}

/* ---- The functions ----------------------------------------------------------------------------
 */

/* A program may give GMP and FLINT functions of its own, which end it without memory. What these
 * allocate is not the program's. */
enum { FUNCTION_LENGTH = 96 }; /* the bytes of machine code of one, or more */

static void add_function(uintptr_t begin)
{
    if (module_count == MODULES_AT_MOST) return;
    memmove(modules + 1, modules, module_count++ * sizeof modules[0]); /* looked at first */
    modules[0] = (module){.begin = begin, .end = begin + FUNCTION_LENGTH};
}

typedef void gmp_setter(void *(*)(size_t), void *(*)(void *, size_t, size_t),
                        void (*)(void *, size_t));
typedef void flint_setter(void *(*)(size_t), void *(*)(size_t, size_t), void *(*)(void *, size_t),
                          void (*)(void *));

gmp_setter __gmp_set_memory_functions;
flint_setter __flint_set_memory_functions;

void __gmp_set_memory_functions(void *(*allocate)(size_t),
                                void *(*reallocate)(void *, size_t, size_t),
                                void (*release)(void *, size_t))
{
    gmp_setter *real;
    *(void **)&real = dlsym(RTLD_NEXT, "__gmp_set_memory_functions"); /* as POSIX writes it */
    add_function((uintptr_t)allocate);
    add_function((uintptr_t)reallocate);
    if (real != NULL) real(allocate, reallocate, release);
}

void __flint_set_memory_functions(void *(*allocate)(size_t), void *(*allocate_zero)(size_t, size_t),
                                  void *(*reallocate)(void *, size_t), void (*release)(void *))
{
    flint_setter *real;
    *(void **)&real = dlsym(RTLD_NEXT, "__flint_set_memory_functions");
    add_function((uintptr_t)allocate);
    add_function((uintptr_t)allocate_zero);
    add_function((uintptr_t)reallocate);
    if (real != NULL) real(allocate, allocate_zero, reallocate, release);
}

#define CALLER __builtin_return_address(0)

void *malloc(size_t size)
{
    const module *from = module_of(CALLER);
    return fails(CALLER, from) ? NULL : keep(__libc_malloc(size), from);
}

void *calloc(size_t count, size_t size)
{
    const module *from = module_of(CALLER);
    return fails(CALLER, from) ? NULL : keep(__libc_calloc(count, size), from);
}

void *realloc(void *block, size_t size)
{
    const module *from = module_of(CALLER);
    if (fails(CALLER, from)) return NULL;
    void *moved = __libc_realloc(block, size);
    if (moved != NULL || size == 0) forget(block);
    return keep(moved, from);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    const module *from = module_of(CALLER);
    return fails(CALLER, from) ? NULL : keep(__libc_memalign(alignment, size), from);
}

void *memalign(size_t alignment, size_t size)
{
    const module *from = module_of(CALLER);
    return fails(CALLER, from) ? NULL : keep(__libc_memalign(alignment, size), from);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    const module *from = module_of(CALLER);
    if (fails(CALLER, from)) return ENOMEM;
    void *made_here = keep(__libc_memalign(alignment, size), from);
    if (made_here == NULL) return ENOMEM;
    *block = made_here;
    return 0;
}

void free(void *block)
{
    forget(block);
    __libc_free(block);
}

/* ---- From main on, to the end -----------------------------------------------------------------
 */

/* Preloaded libraries are initialised after all others. */
__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("QKV_FAIL_AT"), *log = getenv("QKV_FAIL_LOG");
    dl_iterate_phdr(add_module, NULL);
    fail_at = at == NULL ? 0 : atol(at);
    lasting = getenv("QKV_FAIL_LASTING") != NULL;
    const char *who = getenv("QKV_FAIL_WHOSE");
    if (who != NULL)
        whose = strcmp(who, "others") == 0 ? OTHERS : strcmp(who, "own") == 0 ? OWN : REPORTED;
    if (log != NULL) record = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    counting = true;
}

/* After the program's own destructors. */
__attribute__((destructor)) static void end(void)
{
    char text[128];
    size_t left = 0;
    counting = false;
    for (size_t i = 0; i < BLOCKS; i++) left += atomic_load(&blocks[i]) > 1;
    snprintf(text, sizeof text, "made %ld left %zu\n", atomic_load(&made), left);
    tell(text);
}
