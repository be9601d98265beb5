/* Slips in shapes: a ragged list, vectors of different widths put together, dimensions that differ
 * though they are shared. */
#ifndef QKV_LANGUAGE_SHAPES_H
#define QKV_LANGUAGE_SHAPES_H

#include "language/slips.h"

/* Whether a family has another dimension than one before it, though they share one. Lists may
 * differ: the keys of two heads. */
bool qkv__dimension_slip(const qkv__names *names, const qkv__statement *statement, qkv__slip *slip);

/* Whether a node of a statement puts things together that do not fit. */
bool qkv__shape_slip(const qkv__names *names, const qkv__statement *statement,
                     const qkv__node *node, qkv__slip *slip);

#endif
