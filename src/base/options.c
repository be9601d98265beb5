/* Reading options structs of any version. Knows nothing of what is in them. */
#include "base/options.h"

#include <string.h>

#include <qkv/version.h>

#include "base/error.h"

enum { LARGEST = 4096 }; /* bytes: a larger size was never set */

qkv_status qkv__options_take(void *taken, size_t size, const void *given, const char *name,
                             const char *maker, qkv_error *error)
{
    size_t length;
    const unsigned char *bytes = given;
    memcpy(&length, given, sizeof length);
    if (length < sizeof length || length > LARGEST)
        return qkv__fail(error, QKV_ERROR_ARGUMENT, "%s.struct_size is %zu; start from %s()", name,
                         length, maker);
    for (size_t i = size; i < length; i++)
        if (bytes[i] != 0)
            return qkv__fail(error, QKV_ERROR_UNSUPPORTED,
                             "%s: from a newer qkv, with a field set that %s does not know", name,
                             QKV_VERSION_TEXT);
    memcpy(taken, given, length < size ? length : size);
    memcpy(taken, &size, sizeof size);
    return QKV_OK;
}
