/* A codec that keeps the contract but for the one fault that its configuration names. */
#include <stdlib.h>
#include "neighbour.h"

LC_MANIFEST(HTTP_MANIFEST_JSON("faulty_codec"));

static char fault[200];

static int is(const char *name) { return strstr(fault, name) != NULL; }

static int holds(lc_slice text, const char *part)
{
    size_t length = strlen(part);
    for (size_t at = 0; at + length <= text.len && at < 4096; at++)
        if (!memcmp(text.ptr + at, part, length))
            return 1;
    return 0;
}

static lc_status open_faulty(lc_slice config, void **inst, lc_buf *err)
{
    if (!is_object(config) || config.len >= sizeof fault) {
        refuse(err);
        return LC_INVALID_CONFIG;
    }
    memcpy(fault, config.ptr, config.len);
    fault[config.len] = 0;
    *inst = &nothing;
    return LC_OK;
}

static void free_buf(lc_buf *buf) { free(buf->ptr); }

static lc_status fail(lc_buf *out, lc_status status, const char *error)
{
    *out = still(error);
    return status;
}

static lc_status call(void *inst, uint32_t op, lc_slice input, lc_buf *out)
{
    (void)inst;
    if (is(op == LC_DECODE ? "scribbles_decoding" : "scribbles_encoding") && is_object(input) && input.len > 2)
        ((uint8_t *)input.ptr)[input.len - 2] = ' ';
    if (op == LC_DECODE) {
        if (is("retries_all") && holds(input, ":404"))
            return fail(out, LC_TRANSIENT, "{\"message\": \"try again\"}");
        if (is("own_status") && holds(input, ":401"))
            return fail(out, 77, "{\"message\": \"?\"}");
        return decode(input, out);
    }
    if (op != LC_ENCODE && is("any_operation"))
        return encode(input, out, HTTP_REQUEST);
    if (op != LC_ENCODE || !is_object(input))
        return refuse(out);
    if (is("is_strict") && holds(input, "from_the_future"))
        return refuse(out);
    if (is("panics") && holds(input, "attachments"))
        return fail(out, LC_PANIC, "{\"message\": \"at line 7\"}");
    if (is("needs_messages") && input.len == 2)
        return fail(out, LC_PERMANENT, "{\"message\": \"no messages\"}");
    if (is("is_wordy"))
        host->log(host->ctx, LC_LOG_INFO, input);
    if (is("points_nowhere") && holds(input, "schema")) {
        *out = (lc_buf){ NULL, 10, 10, NULL };
        return LC_OK;
    }
    if (is("sends_all") && input.len > LC_MAX_OUTPUT) {
        *out = (lc_buf){ calloc(1, input.len), input.len, input.len, free_buf };
        return LC_OK;
    }
    return encode(input, out, is("half_json") ? "{\"method\": \"POST\", \"path\": \"/\", \"headers\": {\"content-type\": \"application/json\"}, "
                                                "\"body\": \"{\"}"
                              : is("no_path") ? "{\"method\": \"POST\", \"path\": \"ask\", \"body\": \"\"}"
                              : is("bad_header") ? "{\"method\": \"POST\", \"path\": \"/\", \"headers\": {\"a b\": \"c\"}, \"body\": \"\"}"
                              : is("key_in_query") ? "{\"method\": \"POST\", \"path\": \"/ask?key=abc\", \"body\": \"\"}"
                              : is("secret_in_body") ? "{\"method\": \"POST\", \"path\": \"/\", \"body\": \"${secret:NEIGHBOUR_KEY}\"}"
                                                 : HTTP_REQUEST);
}

static const lc_plugin_v1 table = { sizeof table, LC_ABI_MAJOR, LC_ABI_MINOR, LC_MANIFEST_SLICE_INIT,
                                    open_faulty, call, NULL, NULL, NULL, ignore };

const lc_plugin_v1 *loopctl_plugin_v1(const lc_host_v1 *offered)
{
    if (offered->abi_major != LC_ABI_MAJOR)
        return NULL;
    host = offered;
    return &table;
}
