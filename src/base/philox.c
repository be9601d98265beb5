/* Philox4x32-10 for one counter: what every vector form must agree with. Knows nothing of what
 * the words are used for. */
#include "base/philox.h"

static qkv__philox_words mix(qkv__philox_words x, uint32_t key_0, uint32_t key_1)
{
    uint64_t product_0 = (uint64_t)QKV__PHILOX_MULTIPLIER_0 * x.word[0];
    uint64_t product_1 = (uint64_t)QKV__PHILOX_MULTIPLIER_1 * x.word[2];
    return (qkv__philox_words){
        {(uint32_t)(product_1 >> 32) ^ x.word[1] ^ key_0, (uint32_t)product_1,
         (uint32_t)(product_0 >> 32) ^ x.word[3] ^ key_1, (uint32_t)product_0}};
}

qkv__philox_words qkv__philox(qkv__philox_words counter, uint64_t key)
{
    uint32_t key_0 = (uint32_t)key, key_1 = (uint32_t)(key >> 32);
    for (int round = 0; round < QKV__PHILOX_ROUNDS; round++) {
        counter = mix(counter, key_0, key_1);
        key_0 += QKV__PHILOX_WEYL_0;
        key_1 += QKV__PHILOX_WEYL_1;
    }
    return counter;
}
