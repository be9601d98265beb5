/* The format is that of PKWARE's note, with methods 0 (stored) and 8 (deflated) and the permissions
 * of Unix. */
#include "zip.h"

#include <stdlib.h>
#include <string.h>

#ifdef QKV_HAVE_ZLIB
#include <zlib.h>
#endif

/* 1980-01-01: the same contents give the same file. */
enum { DOS_DATE = 0x21, VERSION = 20, UNIX = 3 << 8, LARGEST = 1 << 30 };

static void put(cli_zip *zip, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) fputc((int)(value >> (8 * i) & 0xff), zip->stream);
    zip->offset += (unsigned)bytes;
}

static void put_bytes(cli_zip *zip, const void *bytes, size_t length)
{
    fwrite(bytes, 1, length, zip->stream);
    zip->offset += length;
}

/* CRC-32 of ISO 3309, bit by bit through a table made on first use. */
static uint32_t checksum(const unsigned char *bytes, size_t length)
{
    static uint32_t table[256];
    for (uint32_t i = 0; table[255] == 0 && i < 256; i++) {
        uint32_t sum = i;
        for (int bit = 0; bit < 8; bit++) sum = sum >> 1 ^ ((sum & 1) != 0 ? 0xedb88320u : 0);
        table[i] = sum;
    }
    uint32_t sum = 0xffffffffu;
    for (size_t i = 0; i < length; i++) sum = sum >> 8 ^ table[(sum ^ bytes[i]) & 0xff];
    return ~sum;
}

/* What a member's own header and its entry in the directory share. */
static void put_about(cli_zip *zip, const cli_zip_member *m)
{
    put(zip, 0, 2); /* flags */
    put(zip, m->stored < m->length ? 8 : 0, 2); /* method */
    put(zip, 0, 2); /* time */
    put(zip, DOS_DATE, 2);
    put(zip, m->sum, 4);
    put(zip, m->stored, 4);
    put(zip, m->length, 4);
    put(zip, strlen(m->name), 2);
    put(zip, 0, 2); /* extra field */
}

/* The bytes compressed, to be freed, if that makes them fewer; else NULL. */
static unsigned char *compressed(const void *bytes, size_t length, uint32_t *stored)
{
#ifdef QKV_HAVE_ZLIB
    z_stream z = {.next_in = (Bytef *)bytes, .avail_in = (uInt)length, .avail_out = (uInt)length};
    unsigned char *out = length == 0 ? NULL : malloc(length);
    if (out == NULL) return NULL;
    z.next_out = out;
    /* Raw, without a header of zlib's own: negative window bits. */
    int status = deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, -MAX_WBITS, 8,
                              Z_DEFAULT_STRATEGY);
    if (status == Z_OK) status = deflate(&z, Z_FINISH);
    deflateEnd(&z);
    if (status == Z_STREAM_END && z.total_out < length) return *stored = (uint32_t)z.total_out, out;
    free(out);
#else
    (void)bytes, (void)length, (void)stored;
#endif
    return NULL;
}

void cli_zip_add(cli_zip *zip, const char *name, const void *bytes, size_t length, bool executable)
{
    if (zip->count == CLI_ZIP_MEMBERS || length > LARGEST || zip->offset > LARGEST ||
        strlen(name) >= sizeof zip->member[0].name) {
        zip->failed = true;
        return;
    }
    cli_zip_member *m = &zip->member[zip->count++];
    *m = (cli_zip_member){.sum = checksum(bytes, length),
                          .length = (uint32_t)length,
                          .stored = (uint32_t)length,
                          .offset = (uint32_t)zip->offset,
                          .executable = executable};
    strcpy(m->name, name);
    unsigned char *less = compressed(bytes, length, &m->stored);
    put(zip, 0x04034b50, 4);
    put(zip, VERSION, 2);
    put_about(zip, m);
    put_bytes(zip, name, strlen(name));
    put_bytes(zip, less == NULL ? bytes : less, m->stored);
    free(less);
}

static void put_entry(cli_zip *zip, const cli_zip_member *m)
{
    const uint32_t mode = m->executable ? 0100755 : 0100644;
    put(zip, 0x02014b50, 4);
    put(zip, UNIX | VERSION, 2);
    put(zip, VERSION, 2);
    put_about(zip, m);
    put(zip, 0, 2); /* comment */
    put(zip, 0, 2); /* disk */
    put(zip, 0, 2); /* internal attributes */
    put(zip, (uint64_t)mode << 16, 4);
    put(zip, m->offset, 4);
    put_bytes(zip, m->name, strlen(m->name));
}

bool cli_zip_finish(cli_zip *zip)
{
    const uint64_t begin = zip->offset;
    for (size_t i = 0; i < zip->count; i++) put_entry(zip, &zip->member[i]);
    const uint64_t length = zip->offset - begin;
    put(zip, 0x06054b50, 4);
    put(zip, 0, 4); /* disks */
    put(zip, zip->count, 2);
    put(zip, zip->count, 2);
    put(zip, length, 4);
    put(zip, begin, 4);
    put(zip, 0, 2); /* comment */
    return !zip->failed && begin <= LARGEST;
}
