/* Forgets to say how large its table is. */
#include "neighbour.h"

LC_MANIFEST(MANIFEST_JSON("empty_table"));

static lc_status start(void *inst, uint64_t id, lc_slice request, void **call, lc_buf *err)
{
    (void)inst, (void)request, (void)err, (void)id;
    answer(id, LC_OK, "{\"value\": 1}");
    *call = &nothing;
    return LC_OK;
}

static const lc_plugin_v1 table = { 0, LC_ABI_MAJOR, LC_ABI_MINOR, LC_MANIFEST_SLICE_INIT,
                                    open_nothing, NULL, start, ignore, ignore, ignore };

const lc_plugin_v1 *loopctl_plugin_v1(const lc_host_v1 *offered)
{
    if (offered->abi_major != LC_ABI_MAJOR)
        return NULL;
    host = offered;
    return &table;
}
