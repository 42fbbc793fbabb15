/* The loopctl provider `@NAME@`: a translator to and from an HTTP API. loopctl does the network. What must hold of each
 * function stands in loopctl_plugin.h.
 *
 * The API here is made up: put yours in its place, in `encode` and `decode`. */
#include "manifest.h"
#include "reply.h"

LC_MANIFEST(MANIFEST);

/* There is nothing to keep. */
static int nothing;

static lc_status open_instance(lc_slice in, void **inst, lc_buf *err)
{
    json config;
    /* Where the API is, loopctl knows: the key `base_url`, else the manifest. */
    if (in.len && !json_read(in.ptr, in.len, &config))
        return refuse(err, LC_INVALID_CONFIG, "the configuration isn't JSON");
    *inst = &nothing;
    return LC_OK;
}

/* A member `name` of an object that is being written: the value at `pointer`, if there is one. */
static void member(text *to, const char *name, json from, const char *pointer)
{
    json value;
    if (!json_find(from, pointer, &value))
        return;
    text_words(to, to->length > 1 ? ", \"" : "\"");
    text_words(to, name);
    text_words(to, "\": ");
    text_json(to, value);
}

/* The HTTP request that asks for a completion. */
static lc_status encode(json request, lc_buf *out)
{
    text body = { 0 }, http = { 0 };
    text_words(&body, "{");
    member(&body, "model", request, "/options/model");
    member(&body, "messages", request, "/messages");
    member(&body, "schema", request, "/schema");
    text_words(&body, "}");
    text_words(&http, "{\"method\": \"POST\", \"path\": \"/complete\", \"headers\": {"
                      "\"authorization\": \"Bearer ${secret:@ENV@_API_KEY}\", "
                      "\"content-type\": \"application/json\"}, \"body\": ");
    text_quoted(&http, body.at, body.length);
    text_words(&http, "}");
    http.failed |= body.failed;
    text_free(&body);
    return reply_ok(out, &http);
}

/* What an HTTP status means when it isn't success. */
static lc_status meaning(long status)
{
    switch (status) {
    case 401:
    case 403:
        return LC_UNAUTHORIZED;
    case 408:
        return LC_TRANSIENT;
    case 429:
        return LC_RATE_LIMITED;
    default:
        return status >= 500 ? LC_TRANSIENT : LC_PERMANENT;
    }
}

/* What the server's answer means: `{"text": "…", "usage": {"input_tokens": 1, "output_tokens": 2}}`, or
 * `{"error": {"message": "…"}}`. */
static lc_status decode(json response, lc_buf *out)
{
    json status, body, answer, found;
    text told = { 0 }, completion = { 0 };
    lc_status done;
    if (!json_find(response, "/status", &status) || !json_find(response, "/body", &body))
        return refuse(out, LC_INVALID_REQUEST, "the HTTP response lacks its status or body");
    /* The number is followed by a `,` or `}`, where it ends. */
    long code = strtol((const char *)status.at, NULL, 10);
    text_string_of(&told, body);
    bool understood = !told.failed && json_read(told.at, told.length, &answer);
    if (code != 200) {
        text message = { 0 };
        if (understood && json_find(answer, "/error/message", &found))
            text_string_of(&message, found);
        if (!message.length)
            text_words(&message, "the server didn't say why");
        done = message.failed ? refuse(out, LC_TRANSIENT, "out of memory")
                              : reply_error(out, meaning(code), (const char *)message.at, message.length);
        text_free(&message);
    } else if (!understood || !json_find(answer, "/text", &found) || *found.at != '"') {
        done = refuse(out, LC_TRANSIENT, "the server's answer has no `text`");
    } else {
        text_words(&completion, "{");
        member(&completion, "text", answer, "/text");
        member(&completion, "usage", answer, "/usage");
        member(&completion, "model", answer, "/model");
        text_words(&completion, "}");
        done = reply_ok(out, &completion);
    }
    text_free(&told);
    return done;
}

static lc_status call(void *inst, uint32_t op, lc_slice in, lc_buf *out)
{
    (void)inst;
    json input;
    if (op != LC_ENCODE && op != LC_DECODE)
        return refuse(out, LC_INVALID_REQUEST, "this plugin has no such operation");
    lc_status status = read_input(in, &input, out);
    if (status != LC_OK)
        return status;
    return op == LC_ENCODE ? encode(input, out) : decode(input, out);
}

static void close_instance(void *inst) { (void)inst; }

static const lc_plugin_v1 table = { sizeof table,  LC_ABI_MAJOR, LC_ABI_MINOR, LC_MANIFEST_SLICE_INIT,
                                    open_instance, call,         NULL,         NULL,
                                    NULL,          close_instance };

const lc_plugin_v1 *loopctl_plugin_v1(const lc_host_v1 *offered)
{
    return acceptable(offered) ? &table : NULL;
}
