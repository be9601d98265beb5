/* Status texts, error messages and the version. Knows nothing of what failed. */
#include "base/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <qkv/version.h>

#include "base/text.h"

const char *qkv_version(void)
{
    return QKV_VERSION_TEXT;
}

const char *qkv_status_text(qkv_status status)
{
    switch (status) {
    case QKV_OK: return "success";
    case QKV_ERROR_ARGUMENT: return "invalid argument";
    case QKV_ERROR_SHAPE: return "shapes do not fit";
    case QKV_ERROR_TYPE: return "types do not fit";
    case QKV_ERROR_MEMORY: return "out of memory";
    case QKV_ERROR_FILE: return "file error";
    case QKV_ERROR_FORMAT: return "malformed file";
    case QKV_ERROR_UNSUPPORTED: return "unsupported";
    case QKV_ERROR_DEVICE: return "device error";
    case QKV_ERROR_INTERRUPTED: return "interrupted";
    }
    return "unknown status";
}

/* Messages quote file names and literals, which may hold anything. Control characters, U+0080 to
 * U+009F among them, and bytes that are no UTF-8 would be commands to some terminals. */
static void keep_to_one_line(char *message)
{
    while (*message != '\0') {
        size_t length = qkv__utf8_length(message, strlen(message));
        const unsigned char first = (unsigned char)message[0], second = (unsigned char)message[1];
        const bool control = first < 0x20 || first == 0x7f || (first == 0xc2 && second < 0xa0);
        const bool good = length > 0 && !control;
        if (length == 0) length = 1;
        if (!good) memset(message, '?', length);
        message += length;
    }
}

qkv_status qkv__fail(qkv_error *error, qkv_status status, const char *format, ...)
{
    if (error != NULL) {
        va_list arguments;
        va_start(arguments, format);
        error->status = status;
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
        keep_to_one_line(error->message);
    }
    return status;
}

qkv_status qkv__fail_memory(qkv_error *error, size_t bytes)
{
    return qkv__fail(error, QKV_ERROR_MEMORY, "out of memory: %zu bytes were asked for", bytes);
}
