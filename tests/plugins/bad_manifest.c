/* Declares what it can't mean: another name than its file's, a key instead of its variable, a schema that is none, a
 * host that is a URL. Accepts its host once, and only one whose table it knows to the byte. */
#include "neighbour.h"

LC_MANIFEST("{\"name\": \"good_manifest\", \"version\": \"1.0\", \"abi\": {\"major\": 1, \"minor\": 3}, \"kind\": \"http\", "
            "\"secrets\": [\"sk-abc\"], \"hosts\": [\"https://neighbour.invalid/\"], \"config_schema\": {\"type\": \"objekt\"}}");

static int offers;

static lc_status call(void *inst, uint32_t op, lc_slice input, lc_buf *out)
{
    (void)inst;
    return op == LC_ENCODE ? encode(input, out, HTTP_REQUEST) : op == LC_DECODE ? decode(input, out) : refuse(out);
}

static const lc_plugin_v1 table = { sizeof table, LC_ABI_MAJOR, LC_ABI_MINOR, LC_MANIFEST_SLICE_INIT,
                                    open_nothing, call, NULL, NULL, NULL, ignore };

const lc_plugin_v1 *loopctl_plugin_v1(const lc_host_v1 *offered)
{
    if (offered->abi_major != LC_ABI_MAJOR || offered->size != sizeof *offered || offers++)
        return NULL;
    host = offered;
    return &table;
}
