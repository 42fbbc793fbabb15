/* Hands over bytes that nobody can free. */
#include <stdlib.h>
#include "neighbour.h"

LC_MANIFEST(MANIFEST_JSON("leaks"));

static lc_status start(void *inst, uint64_t id, lc_slice request, void **call, lc_buf *err)
{
    (void)inst;
    static const char text[] = "{\"value\": 1}";
    if (!is_object(request))
        return refuse(err);
    lc_buf out = { malloc(sizeof text - 1), sizeof text - 1, 0, NULL };
    if (!out.ptr)
        return LC_TRANSIENT;
    memcpy(out.ptr, text, sizeof text - 1);
    *call = &nothing;
    host->complete(host->ctx, id, LC_OK, out);
    return LC_OK;
}

static const lc_plugin_v1 table = { sizeof table, LC_ABI_MAJOR, LC_ABI_MINOR, LC_MANIFEST_SLICE_INIT,
                                    open_nothing, NULL, start, ignore, ignore, ignore };

const lc_plugin_v1 *loopctl_plugin_v1(const lc_host_v1 *offered)
{
    if (offered->abi_major != LC_ABI_MAJOR)
        return NULL;
    host = offered;
    return &table;
}
