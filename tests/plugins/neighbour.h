/* What the C plugins of the tests have in common: an instance and calls that are nothing, and a way to answer. */
#include <string.h>
#include "loopctl_plugin.h"

#if defined(__GNUC__)
#define MAYBE_UNUSED __attribute__((unused))
#else
#define MAYBE_UNUSED
#endif

#define MANIFEST_JSON(name) \
    "{\"name\": \"" name "\", \"version\": \"1.0\", \"abi\": {\"major\": 1, \"minor\": 0}, \"kind\": \"direct\"}"

static const lc_host_v1 *host MAYBE_UNUSED;

static int nothing;

MAYBE_UNUSED static lc_status open_nothing(lc_slice config, void **inst, lc_buf *err)
{
    (void)config, (void)err;
    *inst = &nothing;
    return LC_OK;
}

MAYBE_UNUSED static void ignore(void *what) { (void)what; }

/* Answers with bytes that need no freeing. */
MAYBE_UNUSED static void answer(uint64_t id, lc_status status, const char *json)
{
    lc_buf out = { (uint8_t *)json, strlen(json), 0, NULL };
    host->complete(host->ctx, id, status, out);
}
