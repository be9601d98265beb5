/* Tables from files: npy, safetensors and text. */
#ifndef QKV_CLAIM_TABLE_FILE_H
#define QKV_CLAIM_TABLE_FILE_H

#include "ball/grid.h"
#include "claim/model/model.h"

/* The numbers of a file, relative to the folder of the document; `flat`: it has one axis. NULL
 * with the failure set. */
qkv__grid *qkv__table_read(qkv__model *model, const qkv__node *call, bool *flat,
                           qkv__failure *failure);

#endif
