/* The version of qkv, at compile time and at run time. */
#ifndef QKV_VERSION_H
#define QKV_VERSION_H

#include <qkv/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QKV_VERSION_MAJOR 0
#define QKV_VERSION_MINOR 1
#define QKV_VERSION_PATCH 0
#define QKV_VERSION_TEXT "0.1.0"

/* The version of the library that is linked, for example "0.1.0". */
QKV_API const char *qkv_version(void);

#ifdef __cplusplus
}
#endif
#endif
