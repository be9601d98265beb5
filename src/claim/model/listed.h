/* Vectors that are listed by their coordinates, and values that are read as such. */
#ifndef QKV_CLAIM_LISTED_H
#define QKV_CLAIM_LISTED_H

#include "claim/model/model.h"

/* A list of numbers as a vector of coordinates. */
bool qkv__model_coordinates(qkv__model *model, const qkv__value *list, const qkv__vector **vector,
                            qkv__failure *failure);

/* A list of numbers becomes a vector, any other value stays as it is; false: no such vector. */
bool qkv__model_as_vector(qkv__model *model, qkv__value *value, qkv__failure *failure);

/* A vector of a single coordinate, by that coordinate; false for any other value. */
bool qkv__value_as_number(const qkv__value *value, qkv__ratio *number);

/* How many entries a list, or a vector of coordinates, has; 0 for any other value. Entries count
 * from 0; false: no number. */
size_t qkv__value_entry_count(const qkv__value *value);
bool qkv__value_entry(qkv__algebra *algebra, const qkv__value *value, size_t i, qkv__ratio *entry);

/* A list of numbers (vectors of width 1), of lists of numbers or of vectors becomes a family over
 * 1..count. */
bool qkv__model_as_family(qkv__model *model, qkv__value *value, qkv__failure *failure);

/* The width that all listed keys, or values, of the problem have; 0: they differ, or none are
 * listed. */
size_t qkv__model_list_width(qkv__model *model, bool values);

#endif
