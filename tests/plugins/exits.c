/* Ends the process when it is opened with what it doesn't like. */
#include <stdio.h>
#include <stdlib.h>
#include "neighbour.h"

LC_MANIFEST(MANIFEST_JSON("exits"));

static lc_status open_or_exit(lc_slice config, void **inst, lc_buf *err)
{
    (void)err;
    if (!is_object(config)) {
        fputs("exits: bad configuration\n", stderr);
        exit(3);
    }
    *inst = &nothing;
    return LC_OK;
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
                                    open_or_exit, NULL, start, ignore, ignore, ignore };

const lc_plugin_v1 *loopctl_plugin_v1(const lc_host_v1 *offered)
{
    if (offered->abi_major != LC_ABI_MAJOR)
        return NULL;
    host = offered;
    return &table;
}
