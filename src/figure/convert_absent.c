/* What stands for convert.c in builds without librsvg. */
#include "base/error.h"
#include "figure/part.h"

qkv_status qkv__figure_convert(const char *svg, size_t length, qkv_picture_format format,
                               double zoom, qkv_picture *picture, qkv_error *error)
{
    (void)svg, (void)length, (void)zoom, (void)picture;
    return qkv__fail(error, QKV_ERROR_UNSUPPORTED,
                     "%s needs librsvg, which this qkv was built without; SVG needs nothing",
                     format == QKV_PICTURE_PNG ? "PNG" : "PDF");
}
