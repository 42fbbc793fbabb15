/* The loopctl provider `echo`, in C: answers with what is at a place in the request. No model, no library.
 *
 * Configuration: `pointer`, a JSON Pointer (RFC 6901) into the request, `/base` if there is none; `otherwise`, the answer when
 * the pointer finds nothing. A string is answered as the text of a model, anything else as a value.
 *
 * The scanner and the replies are those that `loopctl plugin new --lang c` starts with. */
#include "manifest.h"
#include "reply.h"

LC_MANIFEST(MANIFEST);

static const lc_host_v1 *host;

/* An open plugin. Several calls may use it at once, so nothing in it changes. */
typedef struct {
    text pointer;
    text otherwise; /* JSON, empty for none */
} instance;

static void close_instance(void *inst)
{
    instance *of = inst;
    text_free(&of->pointer);
    text_free(&of->otherwise);
    free(of);
}

/* Takes over what the configuration says; null when it says it well, else what is wrong. */
static const char *configure(instance *of, lc_slice in)
{
    json config, value;
    if (in.len && (!json_read(in.ptr, in.len, &config) || *config.at != '{'))
        return "the configuration isn't a JSON object";
    if (!in.len || !json_find(config, "/pointer", &value)) {
        text_words(&of->pointer, "/base");
    } else {
        text_string_of(&of->pointer, value);
        if (*value.at != '"' || (of->pointer.length && *of->pointer.at != '/'))
            return "`pointer` is a JSON Pointer into the request, such as `/base` or `/source`";
    }
    if (in.len && json_find(config, "/otherwise", &value))
        text_json(&of->otherwise, value);
    return NULL;
}

static lc_status open_instance(lc_slice in, void **inst, lc_buf *err)
{
    instance *made = calloc(1, sizeof *made);
    if (!made)
        return refuse(err, LC_TRANSIENT, "out of memory");
    const char *problem = configure(made, in);
    lc_status status = LC_OK;
    if (problem)
        status = refuse(err, LC_INVALID_CONFIG, problem);
    else if (made->pointer.failed || made->otherwise.failed)
        status = refuse(err, LC_TRANSIENT, "out of memory");
    if (status == LC_OK)
        *inst = made;
    else
        close_instance(made);
    return status;
}

static lc_status nothing_there(const instance *of, lc_buf *err)
{
    text message = { 0 };
    text_words(&message, "the request has nothing at `");
    text_bytes(&message, of->pointer.at, of->pointer.length);
    text_words(&message, "`; say with `otherwise` what to answer then");
    lc_status status = message.failed ? refuse(err, LC_TRANSIENT, "out of memory")
                                      : reply_error(err, LC_PERMANENT, (const char *)message.at, message.length);
    text_free(&message);
    return status;
}

/* What the host calls a call. There is nothing to cancel: it is over when `start` returns. */
static int over;

static lc_status start(void *inst, uint64_t id, lc_slice in, void **call, lc_buf *err)
{
    const instance *of = inst;
    json request, found;
    text body = { 0 };
    lc_status status = read_input(in, &request, err);
    if (status != LC_OK)
        return status;
    if (!json_find_bytes(request, of->pointer.at, of->pointer.length, &found)) {
        if (!of->otherwise.length)
            return nothing_there(of, err);
        found = (json){ of->otherwise.at, of->otherwise.at + of->otherwise.length };
    }
    text_words(&body, *found.at == '"' ? "{\"version\": 1, \"text\": " : "{\"version\": 1, \"value\": ");
    text_json(&body, found);
    text_words(&body, "}");
    lc_buf out = { 0 };
    status = reply_ok(&out, &body);
    *call = &over;
    host->complete(host->ctx, id, status, out);
    return LC_OK;
}

static void ignore(void *call) { (void)call; }

static const lc_plugin_v1 table = { sizeof table,  LC_ABI_MAJOR, LC_ABI_MINOR, LC_MANIFEST_SLICE_INIT,
                                    open_instance, NULL,         start,        ignore,
                                    ignore,        close_instance };

const lc_plugin_v1 *loopctl_plugin_v1(const lc_host_v1 *offered)
{
    if (!acceptable(offered))
        return NULL;
    host = offered;
    return &table;
}
