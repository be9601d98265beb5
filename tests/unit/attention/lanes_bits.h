/* What the kernels in lanes give, hashed: see test_lanes_bits.c, which writes this. */
#ifndef TESTS_UNIT_LANES_BITS_H
#define TESTS_UNIT_LANES_BITS_H

#include <stdint.h>

static const uint64_t lanes_bits[] = {
    UINT64_C(0x46444271442ec7e1), /* 0 */
    UINT64_C(0x5630ff6c687e637d), /* 1 */
    UINT64_C(0x15c5fef15db9e122), /* 2 */
    UINT64_C(0xba0a5005ed67f3c5), /* 3 */
    UINT64_C(0x3f9507c3605c1935), /* 4 */
    UINT64_C(0xfa0a514c18309fb2), /* 5 */
    UINT64_C(0x9840ccbc4393b8fc), /* 6 */
    UINT64_C(0xdbb3646d711257fa), /* 7 */
    UINT64_C(0x792d71dacc7ca868), /* 8 */
    UINT64_C(0x722183c79df5d03a), /* 9 */
    UINT64_C(0xa98dd297993e7680), /* 10 */
    UINT64_C(0xf4add9cd6d02e99e), /* 11 */
    UINT64_C(0x714045c7304de005), /* 12 */
    UINT64_C(0x3c2960235ea1a406), /* 13 */
    UINT64_C(0x14d2ce53608f6492), /* 14 */
    UINT64_C(0x8bb7c3e121b5c579), /* 15 */
    UINT64_C(0x2482c5d88c3a0b7b), /* 16 */
    UINT64_C(0x25b87d63cce7628a), /* 17 */
    UINT64_C(0x727928a4087a924d), /* 18 */
    UINT64_C(0xbf83dd1eb3f81680), /* 19 */
    UINT64_C(0xf9b941fead559aab), /* 20 */
    UINT64_C(0xff932b6900da63c5), /* 21 */
    UINT64_C(0xa86560ea3ad66cf3), /* 22 */
    UINT64_C(0xab5089ff570d122f), /* 23 */
    UINT64_C(0xf8610107288c4233), /* 24 */
    UINT64_C(0xfa289ab0a3f2fa47), /* 25 */
    UINT64_C(0x98a6ce96950aef5b), /* 26 */
    UINT64_C(0xd45a7452c8f7cbb6), /* 27 */
    UINT64_C(0xdc206af79d389549), /* 28 */
    UINT64_C(0x4718937013a2414d), /* 29 */
    UINT64_C(0xff8bdc515f365c1c), /* 30 */
    UINT64_C(0x9a9077c33554a856), /* 31 */
    UINT64_C(0xdfea489af3d5ed79), /* 32 */
    UINT64_C(0x77c6b3c8da15641c), /* 33 */
    UINT64_C(0x6bc410008111a34e), /* 34 */
    UINT64_C(0xf9a79d4d4500515d), /* 35 */
    UINT64_C(0x01234dde87d707f6), /* 36 */
    UINT64_C(0x9ab8cb013b14ef06), /* 37 */
    UINT64_C(0x072a4296f9444656), /* 38 */
    UINT64_C(0x19b792c5e3e16335), /* 39 */
    UINT64_C(0x47d7085ec76f5965), /* 40 */
    UINT64_C(0x016a95c2d93d3462), /* 41 */
    UINT64_C(0xb7474098ac320568), /* 42 */
    UINT64_C(0xd774146ea486add0), /* 43 */
    UINT64_C(0x54db9801b4cec800), /* 44 */
    UINT64_C(0xe06ed3e1175703dd), /* 45 */
    UINT64_C(0xca57c996e6a5dd76), /* 46 */
    UINT64_C(0x885f0ccc4cc15e54), /* 47 */
    UINT64_C(0xb46902ab98301089), /* 48 */
    UINT64_C(0x710f35e25f143d96), /* 49 */
    UINT64_C(0x73c39f3c14a9d5e8), /* 50 */
    UINT64_C(0xbc642b8a4e928769), /* 51 */
    UINT64_C(0xd2d090671aa5c35f), /* 52 */
    UINT64_C(0x7517d29d197dc261), /* 53 */
    UINT64_C(0x9b97e04c7bce1d13), /* 54 */
    UINT64_C(0x6c1c76e20529ad27), /* 55 */
    UINT64_C(0x962f34a46313789f), /* 56 */
    UINT64_C(0xad0ed0bc5cc99808), /* 57 */
    UINT64_C(0x687659a46e84519b), /* 58 */
    UINT64_C(0x0fefd3406d2fe8b1), /* 59 */
    UINT64_C(0xaee529c8fe005f07), /* 60 */
    UINT64_C(0x8a71d84b3647d2f9), /* 61 */
    UINT64_C(0xcc977b94392c5c4f), /* 62 */
    UINT64_C(0x07b17e4e139ffd31), /* 63 */
    UINT64_C(0x0050dcea63086374), /* 64 */
    UINT64_C(0xf714adca045f2c50), /* 65 */
    UINT64_C(0xda54d38bf1206e77), /* 66 */
    UINT64_C(0xabd937a540504f00), /* 67 */
    UINT64_C(0xd30c9c4a267a2f55), /* 68 */
    UINT64_C(0x84f2acf730b88c62), /* 69 */
    UINT64_C(0xa02ff55b7da62ed7), /* 70 */
    UINT64_C(0x3141343f41710b88), /* 71 */
    UINT64_C(0xaee501497af2ac88), /* 72 */
    UINT64_C(0x56f2e58d621207e1), /* 73 */
    UINT64_C(0x5e0b3ebf23915e94), /* 74 */
    UINT64_C(0x5da05045c5813de3), /* 75 */
    UINT64_C(0x35ca4c72f72c6d68), /* 76 */
    UINT64_C(0x6941b4b463a4d358), /* 77 */
    UINT64_C(0xc18dab3ef8965557), /* 78 */
    UINT64_C(0x36e0656d23d80ada), /* 79 */
    UINT64_C(0x60f6fc016edd2921), /* 80 */
    UINT64_C(0x46e6d7a0d042b279), /* 81 */
    UINT64_C(0x26a88b440f533c6d), /* 82 */
    UINT64_C(0x2968e304a662e3ae), /* 83 */
    UINT64_C(0x9d7bb3979c4949e3), /* 84 */
    UINT64_C(0xf3267354bdd3eb09), /* 85 */
    UINT64_C(0x6a1bf1bb615c94d0), /* 86 */
    UINT64_C(0xfdf71ec4a889aa1a), /* 87 */
    UINT64_C(0xc4071e09b8808762), /* 88 */
    UINT64_C(0x2399f3b52dce2616), /* 89 */
    UINT64_C(0x0be87767b635fc6d), /* 90 */
    UINT64_C(0xa980c58464cdf3f5), /* 91 */
    UINT64_C(0xe5917eba5a0cfc6c), /* 92 */
    UINT64_C(0xa8d4f302fa1f1880), /* 93 */
    UINT64_C(0xd37556920ade350b), /* 94 */
    UINT64_C(0x40e005fdf5cae0ae), /* 95 */
};

#endif
