/* A codec whose manifest has the capability `batch`, and which has no such operation. */
#include "neighbour.h"

LC_MANIFEST("{\"name\": \"empty_batch\", \"version\": \"1.0\", \"abi\": {\"major\": 1, \"minor\": 0}, \"kind\": \"http\", "
            "\"capabilities\": [\"batch\"], \"secrets\": [\"NEIGHBOUR_KEY\"], \"hosts\": [\"neighbour.invalid\"]}");

static lc_status call(void *inst, uint32_t op, lc_slice input, lc_buf *out)
{
    (void)inst;
    return op == LC_ENCODE ? encode(input, out, HTTP_REQUEST) : op == LC_DECODE ? decode(input, out) : refuse(out);
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
