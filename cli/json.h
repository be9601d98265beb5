/* Pieces of JSON on a stream, for results that programs read. */
#ifndef QKV_CLI_JSON_H
#define QKV_CLI_JSON_H

#include <stdio.h>

#include <qkv/tensor.h>

/* A string with its quotes; bytes that are not UTF-8, which file names may hold, become U+FFFD. */
void cli_json_string(FILE *stream, const char *text);

/* The same without its quotes: a part of a string. */
void cli_json_part(FILE *stream, const char *text);

/* Bytes of the well-formed UTF-8 sequence that a string begins with, or 0 (RFC 3629). */
size_t cli_utf8_length(const char *text);

/* [2, 3] */
void cli_json_shape(FILE *stream, const qkv_view *view);

#endif
