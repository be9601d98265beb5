/* Keys and values in pages, put in order for kernels that know rows and strides alone. */
#ifndef QKV_ATTENTION_PAGES_H
#define QKV_ATTENTION_PAGES_H

#include "attention/problem.h"

/*
 * Copies the keys, values and scales that the sequences of a problem have out of their pages, and
 * makes the problem one without pages. *memory holds the copies, to be given to qkv__free when the
 * problem is done with; it is NULL where there are no pages. Fails where the table names a page
 * that is not there.
 */
qkv_status qkv__pages_gather(qkv__problem *problem, void **memory, qkv_error *error);

#endif
