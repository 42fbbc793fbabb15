/* Hangs in a constructor, where it holds what the end of the process waits for. */
#include <time.h>
#include "neighbour.h"

LC_MANIFEST(MANIFEST_JSON("hangs_on_load"));

__attribute__((constructor)) static void hang(void)
{
    struct timespec hour = { 3600, 0 };
    nanosleep(&hour, NULL);
}

static lc_status start(void *inst, uint64_t id, lc_slice request, void **call, lc_buf *err)
{
    (void)inst;
    if (!is_object(request))
        return refuse(err);
    *call = &nothing;
    answer(id, LC_OK, "{\"value\": 1}");
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
