/*
 * The trial of AMX's tiles. CPUID and the kernel may announce them where a virtual machine then
 * refuses the instructions, so they are used once on known numbers. The tiles are configured as
 * palette 1 is defined (8 tiles of 16 rows of 64 bytes) and CPUID's leaf 0x1D, which tells the
 * same, is not read: some virtual machines hide it.
 *
 * An illegal instruction is survived by a handler of SIGILL, there for the microseconds of the
 * trial, and not by a child process that dies of it. A fork would run the handlers that the host
 * and its libraries have set for it, copy the page tables of a process that may hold a hundred
 * gigabytes, send a SIGCHLD, and lose the child to a host that waits for any of its own; a kernel
 * may log and dump the child. The handler's own weakness is smaller: SIGILL comes to the thread
 * that caused it, another thread's is passed on to the handler from before, and only a host that
 * changes its handler of SIGILL in those microseconds would lose the change.
 */
#include "base/cpu.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>

enum { ROWS = 16, ROW_BYTES = 64, PAIRS = 16, COLUMNS = 16, QUADS = 16 };

/* Operand of ldtilecfg: Intel's manual, volume 1, chapter 18. */
typedef struct tile_configuration {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
} tile_configuration;

/* ---- Products of known numbers ------------------------------------------------------------ */

/* Small integers, exact in int8 and bf16, with products that differ from row to row and column to
 * column; their sums are exact in f32 in any order. */
static int left_number(int row, int inner)
{
    return (3 * row + 5 * inner) % 11 - 5;
}

static int right_number(int inner, int column)
{
    return (7 * inner + 2 * column) % 13 - 6;
}

static int right_sum(int row, int column, int inner_count)
{
    int sum = 0;
    for (int inner = 0; inner < inner_count; inner++)
        sum += left_number(row, inner) * right_number(inner, column);
    return sum;
}

static uint16_t bf16_from_small(int number)
{
    float value = (float)number;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)(bits >> 16);
}

/* Makes the compiler finish its writes to memory that a tile is loaded from. gcc's loads of tiles
 * and of their configuration do not tell it that they read all of it, and it drops the writes. */
static inline void settle(const void *memory)
{
    __asm__ volatile("" : : "r"(memory) : "memory");
}

__attribute__((target("amx-tile"))) static void configure_tiles(void)
{
    _Alignas(64) tile_configuration tiles = {.palette = 1};
    for (int i = 0; i < 3; i++) {
        tiles.rows[i] = ROWS;
        tiles.row_bytes[i] = ROW_BYTES;
    }
    settle(&tiles);
    _tile_loadconfig(&tiles);
}

/* result = left right, of 16 rows of 64 bytes each. */
__attribute__((target("amx-tile,amx-bf16,amx-int8"))) static void
multiply_tiles(bool int8, const void *left, const void *right, void *result)
{
    settle(left);
    settle(right);
    configure_tiles();
    _tile_zero(0);
    _tile_loadd(1, left, ROW_BYTES);
    _tile_loadd(2, right, ROW_BYTES);
    if (int8)
        _tile_dpbssd(0, 1, 2);
    else
        _tile_dpbf16ps(0, 1, 2);
    _tile_stored(0, result, ROW_BYTES);
    _tile_release();
}

/* 16 x 32 by 32 x 16; the right factor lies in pairs of rows, a column's two numbers together. */
static bool multiply_bf16(void)
{
    _Alignas(64) uint16_t left[ROWS][2 * PAIRS], right[PAIRS][COLUMNS][2];
    _Alignas(64) float result[ROWS][COLUMNS];
    bool good = true;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < 2 * PAIRS; j++) left[i][j] = bf16_from_small(left_number(i, j));
    for (int i = 0; i < 2 * PAIRS; i++)
        for (int j = 0; j < COLUMNS; j++)
            right[i / 2][j][i % 2] = bf16_from_small(right_number(i, j));

    multiply_tiles(false, left, right, result);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            good = good && result[i][j] == (float)right_sum(i, j, 2 * PAIRS);
    return good;
}

/* 16 x 64 by 64 x 16; the right factor lies in fours of rows. */
static bool multiply_int8(void)
{
    _Alignas(64) int8_t left[ROWS][4 * QUADS], right[QUADS][COLUMNS][4];
    _Alignas(64) int32_t result[ROWS][COLUMNS];
    bool good = true;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < 4 * QUADS; j++) left[i][j] = (int8_t)left_number(i, j);
    for (int i = 0; i < 4 * QUADS; i++)
        for (int j = 0; j < COLUMNS; j++) right[i / 4][j][i % 4] = (int8_t)right_number(i, j);

    multiply_tiles(true, left, right, result);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) good = good && result[i][j] == right_sum(i, j, 4 * QUADS);
    return good;
}

/* ---- The handler -------------------------------------------------------------------------- */

static pthread_mutex_t trying = PTHREAD_MUTEX_INITIALIZER;
static pthread_t trier;
static sigjmp_buf after_illegal;
static struct sigaction before;

/* Hands another thread's signal to the handler from before; the default one is put back, and the
 * instruction, run again, meets it. */
static void pass_on(int number, siginfo_t *information, void *context)
{
    if ((before.sa_flags & SA_SIGINFO) != 0)
        before.sa_sigaction(number, information, context);
    else if (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN)
        sigaction(number, &before, NULL);
    else
        before.sa_handler(number);
}

static void on_illegal(int number, siginfo_t *information, void *context)
{
    if (pthread_equal(pthread_self(), trier)) siglongjmp(after_illegal, 1);
    pass_on(number, information, context);
}

/* A blocked SIGILL would end the process, so it is let through to this thread. */
static bool try_guarded(bool int8)
{
    sigset_t illegal, mask;
    volatile bool good = false;
    sigemptyset(&illegal);
    sigaddset(&illegal, SIGILL);
    pthread_sigmask(SIG_UNBLOCK, &illegal, &mask);
    if (sigsetjmp(after_illegal, 1) == 0) good = multiply_bf16() && (!int8 || multiply_int8());
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    return good;
}

bool qkv__cpu_try_tiles(bool int8)
{
    struct sigaction action = {.sa_sigaction = on_illegal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    bool good = false;
    sigemptyset(&action.sa_mask);
    pthread_mutex_lock(&trying);
    trier = pthread_self();
    if (sigaction(SIGILL, &action, &before) == 0) {
        good = try_guarded(int8);
        sigaction(SIGILL, &before, NULL);
    }
    pthread_mutex_unlock(&trying);
    return good;
}

#else

bool qkv__cpu_try_tiles(bool int8)
{
    (void)int8;
    return false;
}

#endif
