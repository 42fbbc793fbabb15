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

#define HTTP_MANIFEST_JSON(name) \
    "{\"name\": \"" name "\", \"version\": \"1.0\", \"abi\": {\"major\": 1, \"minor\": 0}, \"kind\": \"http\", " \
    "\"secrets\": [\"NEIGHBOUR_KEY\"], \"hosts\": [\"neighbour.invalid\"]}"

#define NOT_AN_OBJECT "{\"message\": \"this is no JSON object\"}"
#define HTTP_REQUEST \
    "{\"method\": \"POST\", \"path\": \"/ask\", \"headers\": {\"authorization\": \"Bearer ${secret:NEIGHBOUR_KEY}\"}, " \
    "\"body\": \"what time is it?\"}"

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

/* Bytes that need no freeing. */
MAYBE_UNUSED static lc_buf still(const char *json) { return (lc_buf){ (uint8_t *)json, strlen(json), 0, NULL }; }

/* As near to reading JSON as these plugins come. */
MAYBE_UNUSED static int is_object(lc_slice json)
{
    return json.len >= 2 && json.ptr[0] == '{' && json.ptr[json.len - 1] == '}';
}

MAYBE_UNUSED static lc_status refuse(lc_buf *err)
{
    *err = still(NOT_AN_OBJECT);
    return LC_INVALID_REQUEST;
}

MAYBE_UNUSED static lc_status encode(lc_slice request, lc_buf *out, const char *http)
{
    if (!is_object(request))
        return refuse(out);
    *out = still(http);
    return LC_OK;
}

/* Looks for the status alone. */
MAYBE_UNUSED static lc_status decode(lc_slice response, lc_buf *out)
{
    static const char key[] = "\"status\":";
    if (!is_object(response))
        return refuse(out);
    const uint8_t *at = response.ptr, *end = response.ptr + response.len;
    int status = 0;
    while (at + sizeof key < end && memcmp(at, key, sizeof key - 1))
        at++;
    for (at += sizeof key - 1; at < end && (*at == ' ' || (*at >= '0' && *at <= '9')); at++)
        if (*at != ' ' && status < 1000)
            status = 10 * status + (*at - '0');
    if (status == 200) {
        *out = still("{\"text\": \"noon\"}");
        return LC_OK;
    }
    *out = still("{\"message\": \"the server says no\"}");
    return status == 401 ? LC_UNAUTHORIZED : status == 429 ? LC_RATE_LIMITED : status >= 500 ? LC_TRANSIENT : LC_PERMANENT;
}
