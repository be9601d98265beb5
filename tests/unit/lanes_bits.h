/* What the kernels in lanes give, hashed: see test_lanes_bits.c, which writes this. */
#ifndef TESTS_UNIT_LANES_BITS_H
#define TESTS_UNIT_LANES_BITS_H

#include <stdint.h>

static const uint64_t lanes_bits[] = {
    UINT64_C(0x78ac589ac9be0c50), /* 0 */
    UINT64_C(0x1f5c69d4bbdf85c8), /* 1 */
    UINT64_C(0x15c5fef15db9e122), /* 2 */
    UINT64_C(0xba0a5005ed67f3c5), /* 3 */
    UINT64_C(0x9ca1be7b29ae3641), /* 4 */
    UINT64_C(0xe19c10a48c7c6d8d), /* 5 */
    UINT64_C(0x9840ccbc4393b8fc), /* 6 */
    UINT64_C(0xdbb3646d711257fa), /* 7 */
    UINT64_C(0x792d71dacc7ca868), /* 8 */
    UINT64_C(0x5aafb431877dbb1c), /* 9 */
    UINT64_C(0x4a110451afc2d40a), /* 10 */
    UINT64_C(0xb5832947615f5608), /* 11 */
    UINT64_C(0xaa478288a0a1ca60), /* 12 */
    UINT64_C(0x5c54d2defb2a2ec3), /* 13 */
    UINT64_C(0x394e79b0d8707289), /* 14 */
    UINT64_C(0xa4ef480ed3d5cd4b), /* 15 */
    UINT64_C(0x4a0dbc008891386e), /* 16 */
    UINT64_C(0x7a4bca34dfca7ed6), /* 17 */
    UINT64_C(0x727928a4087a924d), /* 18 */
    UINT64_C(0x78a9fb17a7aa29c1), /* 19 */
    UINT64_C(0x84b521eaa0aab127), /* 20 */
    UINT64_C(0x7d5b987729c7264f), /* 21 */
    UINT64_C(0x87197134960bd6d0), /* 22 */
    UINT64_C(0x659e020e564601e5), /* 23 */
    UINT64_C(0xf8610107288c4233), /* 24 */
    UINT64_C(0x9ccdd24f1edfa6db), /* 25 */
    UINT64_C(0x4e5a1428b7772b12), /* 26 */
    UINT64_C(0x79af021aab943200), /* 27 */
    UINT64_C(0xed918dc834a0f833), /* 28 */
    UINT64_C(0xd6479fa3cdeafe8f), /* 29 */
    UINT64_C(0xe9298ed2cd7ea073), /* 30 */
    UINT64_C(0xf0746a55014e839b), /* 31 */
    UINT64_C(0xa269c87133528a04), /* 32 */
    UINT64_C(0x77c6b3c8da15641c), /* 33 */
    UINT64_C(0x807342095b3f78d7), /* 34 */
    UINT64_C(0xf9a62839a5048607), /* 35 */
    UINT64_C(0x01234dde87d707f6), /* 36 */
    UINT64_C(0x9ab8cb013b14ef06), /* 37 */
    UINT64_C(0x44da2ebb226ad093), /* 38 */
    UINT64_C(0xee8c9c972e5762d6), /* 39 */
    UINT64_C(0x47d70824a76f5ab6), /* 40 */
    UINT64_C(0xeaef4e1b668647d7), /* 41 */
    UINT64_C(0xb7474098ac320568), /* 42 */
    UINT64_C(0xef834e0c389e00a1), /* 43 */
    UINT64_C(0x54db9801b4cec800), /* 44 */
    UINT64_C(0x650fe71eb294ba1a), /* 45 */
    UINT64_C(0x4a51e40d8574fe8e), /* 46 */
    UINT64_C(0xb79951286bd402fc), /* 47 */
    UINT64_C(0x5f5a4fd58fe51299), /* 48 */
    UINT64_C(0xf4b5ba9be96c3902), /* 49 */
    UINT64_C(0xa0892d732268516b), /* 50 */
    UINT64_C(0x6abd94e5c7478a95), /* 51 */
    UINT64_C(0x74d3d320eea4e21a), /* 52 */
    UINT64_C(0x43315ec7d4bba058), /* 53 */
    UINT64_C(0x4c99a61f143dc9ed), /* 54 */
    UINT64_C(0x538b183225893b7e), /* 55 */
    UINT64_C(0xe26a31ef35d5554b), /* 56 */
    UINT64_C(0xad1f0d22bc2f6d9a), /* 57 */
    UINT64_C(0xa2ad882e51293a04), /* 58 */
    UINT64_C(0x18f446fea410fa0e), /* 59 */
    UINT64_C(0xaee529c8fe005f07), /* 60 */
    UINT64_C(0x06434b7b8f0de818), /* 61 */
    UINT64_C(0xcc977b94392c5c4f), /* 62 */
    UINT64_C(0x9e3b1e08ff962810), /* 63 */
    UINT64_C(0xc7aa10e28230e4d9), /* 64 */
    UINT64_C(0x06cfe2f9a7471b82), /* 65 */
    UINT64_C(0xda54d38bf1206e77), /* 66 */
    UINT64_C(0x5aff100672e67355), /* 67 */
    UINT64_C(0xfb2a06c96c9bae97), /* 68 */
    UINT64_C(0xccce521d5ddef4f5), /* 69 */
    UINT64_C(0xa02ff55b7da62ed7), /* 70 */
    UINT64_C(0xb550e1e6109127ce), /* 71 */
    UINT64_C(0xaee501497af2ac88), /* 72 */
    UINT64_C(0xb2c9e8e50e7d0a33), /* 73 */
    UINT64_C(0xdc846c01629dcfa9), /* 74 */
    UINT64_C(0xb4cbd0ffa59642e9), /* 75 */
    UINT64_C(0x2876d13cb09b9b0a), /* 76 */
    UINT64_C(0x5e7e11b897eef05d), /* 77 */
    UINT64_C(0xea50dc6c62b865a7), /* 78 */
    UINT64_C(0x519874393e21aa7f), /* 79 */
    UINT64_C(0x60f6fc016edd2921), /* 80 */
    UINT64_C(0x77d3d15683f79340), /* 81 */
    UINT64_C(0x9581c587f1528693), /* 82 */
    UINT64_C(0x833a7956b896ea8c), /* 83 */
    UINT64_C(0x9d7bb3979c4949e3), /* 84 */
    UINT64_C(0x982aa4f6802d0ece), /* 85 */
    UINT64_C(0x4b246168c1880cbd), /* 86 */
    UINT64_C(0x4623783def4b7ea4), /* 87 */
    UINT64_C(0xc4071e09b8808762), /* 88 */
    UINT64_C(0xeaaea62905ffe8b4), /* 89 */
    UINT64_C(0x0be87767b635fc6d), /* 90 */
    UINT64_C(0xf1c1f3759d070b19), /* 91 */
    UINT64_C(0xe5917eba5a0cfc6c), /* 92 */
    UINT64_C(0x77973fa34a4cc1b9), /* 93 */
    UINT64_C(0x6d0e26a8aee6bb44), /* 94 */
    UINT64_C(0x8b06835b95225bb1), /* 95 */
};

#endif
