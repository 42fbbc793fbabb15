/* A codec that numbers its requests. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include "neighbour.h"

LC_MANIFEST(HTTP_MANIFEST_JSON("fickle"));

static atomic_int requests;

static void free_buf(lc_buf *buf) { free(buf->ptr); }

static lc_status call(void *inst, uint32_t op, lc_slice input, lc_buf *out)
{
    (void)inst;
    if (op == LC_DECODE)
        return decode(input, out);
    if (op != LC_ENCODE || !is_object(input))
        return refuse(out);
    enum { MOST = 200 };
    char *text = malloc(MOST);
    if (!text)
        return LC_TRANSIENT;
    int length = snprintf(text, MOST, "{\"method\": \"POST\", \"path\": \"/ask?request=%d\", \"headers\": {}, \"body\": \"\"}",
                          atomic_fetch_add(&requests, 1));
    *out = (lc_buf){ (uint8_t *)text, length, MOST, free_buf };
    return LC_OK;
}

static const lc_plugin_v1 table = { sizeof table, LC_ABI_MAJOR, LC_ABI_MINOR, LC_MANIFEST_SLICE_INIT,
                                    open_nothing, call, NULL, NULL, NULL, ignore };

const lc_plugin_v1 *loopctl_plugin_v1(const lc_host_v1 *offered)
{
    if (offered->abi_major != LC_ABI_MAJOR)
        return NULL;
    host = offered;
    return &table;
}
