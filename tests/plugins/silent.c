/* A codec that fails without saying why. */
#include "neighbour.h"

LC_MANIFEST(HTTP_MANIFEST_JSON("silent"));

static lc_status call(void *inst, uint32_t op, lc_slice input, lc_buf *out)
{
    (void)inst;
    if (op == LC_ENCODE && is_object(input))
        return encode(input, out, HTTP_REQUEST);
    return op == LC_DECODE ? LC_TRANSIENT : LC_INVALID_REQUEST;
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
