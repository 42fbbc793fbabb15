/* A codec that claims to speak batches, knows what one may hold, and has one answer to everything else. */
#include "neighbour.h"

LC_MANIFEST("{\"name\": \"claims_batch\", \"version\": \"1.0\", \"abi\": {\"major\": 1, \"minor\": 1}, \"kind\": \"http\", "
            "\"capabilities\": [\"batch\"], \"secrets\": [\"NEIGHBOUR_KEY\"], \"hosts\": [\"neighbour.invalid\"]}");

static lc_status batch(lc_slice step, lc_buf *out)
{
    static const char limits[] = "{\"step\":\"limits\"}";
    int asks = step.len == sizeof limits - 1 && !memcmp(step.ptr, limits, sizeof limits - 1);
    *out = still(asks ? "{\"max_lines\": 10, \"max_bytes\": 1000}"
                      : "{\"text\": \"no line\", \"done\": \"all of it\", \"custom_id\": \"x\", \"outcome\": \"answered\", "
                        "\"response\": {\"status\": 200}}");
    return LC_OK;
}

static lc_status call(void *inst, uint32_t op, lc_slice input, lc_buf *out)
{
    (void)inst;
    return op == LC_ENCODE  ? encode(input, out, HTTP_REQUEST)
           : op == LC_DECODE ? decode(input, out)
           : op == LC_BATCH  ? batch(input, out)
                             : refuse(out);
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
