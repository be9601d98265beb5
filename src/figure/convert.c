/* SVG to PNG and PDF, by librsvg on cairo. Knows SVG as bytes. */
#include <cairo-pdf.h>
#include <librsvg/rsvg.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "figure/part.h"

static cairo_status_t take_bytes(void *target, const unsigned char *bytes, unsigned count)
{
    qkv__text *text = target;
    qkv__text_append(text, (const char *)bytes, count);
    return text->failed ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

/* In points for PDF, of which 3 are 4 pixels (CSS); times the zoom for PNG, where a pixel that
 * would be cut by the edge is left out. */
static cairo_surface_t *open_surface(qkv_picture_format format, double width, double height,
                                     qkv__text *bytes)
{
    if (format == QKV_PICTURE_PNG)
        return cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int)fmax(floor(width + 1e-9), 1),
                                          (int)fmax(floor(height + 1e-9), 1));
    cairo_surface_t *surface =
        cairo_pdf_surface_create_for_stream(take_bytes, bytes, width, height);
    /* The same figure is the same bytes: a PDF does not tell when it was made. */
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "");
    return surface;
}

/* Whether all of it was drawn and written. */
static bool draw(RsvgHandle *handle, qkv_picture_format format, double factor, qkv__text *bytes)
{
    double width = 0, height = 0;
    if (!rsvg_handle_get_intrinsic_size_in_pixels(handle, &width, &height)) return false;
    width *= factor, height *= factor;
    cairo_surface_t *surface = open_surface(format, width, height, bytes);
    cairo_t *context = cairo_create(surface);
    RsvgRectangle all = {0, 0, width, height};
    bool good = rsvg_handle_render_document(handle, context, &all, NULL) &&
                cairo_status(context) == CAIRO_STATUS_SUCCESS;
    cairo_destroy(context);
    if (good && format == QKV_PICTURE_PNG)
        good =
            cairo_surface_write_to_png_stream(surface, take_bytes, bytes) == CAIRO_STATUS_SUCCESS;
    cairo_surface_finish(surface);
    good = good && cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS;
    cairo_surface_destroy(surface);
    return good;
}

qkv_status qkv__figure_convert(const char *svg, size_t length, qkv_picture_format format,
                               double zoom, qkv_picture *picture, qkv_error *error)
{
    qkv__text bytes = {0};
    GError *problem = NULL;
    RsvgHandle *handle = rsvg_handle_new_from_data((const guint8 *)svg, length, &problem);
    if (handle == NULL) {
        qkv_status status = qkv__fail(error, QKV_ERROR_FORMAT, "librsvg refused the figure: %s",
                                      problem == NULL ? "no reason given" : problem->message);
        if (problem != NULL) g_error_free(problem);
        return status;
    }
    bool good = draw(handle, format, format == QKV_PICTURE_PDF ? 0.75 : zoom, &bytes);
    g_object_unref(handle);
    if (bytes.failed) {
        qkv__fail_memory(error, bytes.length);
        qkv__text_free(&bytes);
        return QKV_ERROR_MEMORY;
    }
    if (!good) {
        qkv__text_free(&bytes);
        return qkv__fail(error, QKV_ERROR_MEMORY, "the figure could not be drawn as %s at zoom %g",
                         format == QKV_PICTURE_PNG ? "PNG" : "PDF", zoom);
    }
    *picture = (qkv_picture){bytes.data, bytes.length};
    return QKV_OK;
}
