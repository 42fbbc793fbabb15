/* Refuses each call with an error of its own, and yet answers it. */
#include "neighbour.h"

LC_MANIFEST(MANIFEST_JSON("refuses"));

static lc_status start(void *inst, uint64_t id, lc_slice request, void **call, lc_buf *err)
{
    (void)inst, (void)request, (void)err, (void)id;
    *err = (lc_buf){ (uint8_t *)"{\"message\": \"not today\"}", 24, 0, NULL };
    answer(id + 1000, LC_OK, "{}");
    (void)call;
    return 1234;
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
