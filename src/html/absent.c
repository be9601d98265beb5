/* Stands in for the report where the checker was left out of the build: says so. */
#include <qkv/html.h>

#include "base/error.h"

qkv_html_options qkv_html_default(void)
{
    return (qkv_html_options){.struct_size = sizeof(qkv_html_options)};
}

qkv_status qkv_html_create(const qkv_html_options *options, qkv_html **html, qkv_error *error)
{
    (void)options, (void)html;
    return qkv__fail(error, QKV_ERROR_UNSUPPORTED,
                     "this qkv was built without the checker (FLINT with Arb, md4c)");
}

qkv_status qkv_html_add(qkv_html *html, const char *name, const char *text, size_t length,
                        const qkv_report *report, qkv_error *error)
{
    (void)html, (void)name, (void)text, (void)length, (void)report;
    return qkv_html_create(NULL, NULL, error);
}

qkv_status qkv_html_add_failure(qkv_html *html, const char *name, const char *reason,
                                qkv_error *error)
{
    (void)html, (void)name, (void)reason;
    return qkv_html_create(NULL, NULL, error);
}

qkv_status qkv_html_render(const qkv_html *html, qkv_picture *page, qkv_error *error)
{
    (void)html, (void)page;
    return qkv_html_create(NULL, NULL, error);
}

void qkv_html_free(qkv_html **html)
{
    (void)html;
}

qkv_status qkv_html_grade(const qkv_key *key, const char *name, const qkv_grade *grade,
                          qkv_picture *page, qkv_error *error)
{
    (void)key, (void)name, (void)grade, (void)page;
    return qkv_html_create(NULL, NULL, error);
}

qkv_status qkv_html_class(const qkv_key *key, const qkv_class_row *rows, size_t count,
                          qkv_picture *page, qkv_error *error)
{
    (void)key, (void)rows, (void)count, (void)page;
    return qkv_html_create(NULL, NULL, error);
}

const char *qkv_article_begin(qkv_article kind)
{
    (void)kind;
    return "";
}

const char *qkv_article_end(qkv_article kind)
{
    (void)kind;
    return "";
}

qkv_status qkv_article_section(qkv_article kind, const char *name, const char *text, size_t length,
                               const qkv_report *report, qkv_picture *section, qkv_error *error)
{
    (void)kind, (void)name, (void)text, (void)length, (void)report, (void)section;
    return qkv_html_create(NULL, NULL, error);
}
