/* Shows one manifest in its file and another in its table. */
#include "neighbour.h"

LC_MANIFEST(MANIFEST_JSON("mismatch"));
static const char other[] = MANIFEST_JSON("someone_else");

static lc_status start(void *inst, uint64_t id, lc_slice request, void **call, lc_buf *err)
{
    (void)inst;
    if (!is_object(request))
        return refuse(err);
    answer(id, LC_OK, "{\"value\": 1}");
    *call = &nothing;
    return LC_OK;
}

static const lc_plugin_v1 table = { sizeof table, LC_ABI_MAJOR, LC_ABI_MINOR, { (const uint8_t *)other, sizeof other - 1 },
                                    open_nothing, NULL, start, ignore, ignore, ignore };

const lc_plugin_v1 *loopctl_plugin_v1(const lc_host_v1 *offered)
{
    if (offered->abi_major != LC_ABI_MAJOR)
        return NULL;
    host = offered;
    return &table;
}
