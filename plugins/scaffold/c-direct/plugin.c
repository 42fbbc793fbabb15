/* The loopctl provider `@NAME@`: a plugin that makes the answers itself. What must hold of each function stands in
 * loopctl_plugin.h. */
#include "manifest.h"
#include "reply.h"

LC_MANIFEST(MANIFEST);

static const lc_host_v1 *host;

/* An open plugin. Several calls may use it at once, so nothing in it changes. */
typedef struct {
    text answer; /* JSON */
} instance;

static lc_status open_instance(lc_slice in, void **inst, lc_buf *err)
{
    json config, answer;
    bool empty = in.len == 0;
    if (!empty && !json_read(in.ptr, in.len, &config))
        return refuse(err, LC_INVALID_CONFIG, "the configuration isn't JSON");
    instance *made = calloc(1, sizeof *made);
    if (!made)
        return refuse(err, LC_TRANSIENT, "out of memory");
    if (!empty && json_find(config, "/answer", &answer))
        text_json(&made->answer, answer);
    else
        text_words(&made->answer, "{}");
    if (made->answer.failed) {
        text_free(&made->answer);
        free(made);
        return refuse(err, LC_TRANSIENT, "out of memory");
    }
    *inst = made;
    return LC_OK;
}

static void close_instance(void *inst)
{
    instance *of = inst;
    text_free(&of->answer);
    free(of);
}

/* Puts your model's answer, as JSON, into `value`. The prompt is in `/messages` (`/messages/0/content`, …), the JSON Schema of
 * the answer in `/schema`, the candidate to be corrected in `/base`. This one answers with that candidate as it is, and first
 * with the configuration's `answer`. */
static lc_status answer_to(const instance *of, json request, text *value, lc_buf *err)
{
    (void)err;
    json base;
    if (json_find(request, "/base", &base))
        text_json(value, base);
    else
        text_bytes(value, of->answer.at, of->answer.length);
    return LC_OK;
}

static int nothing;

/* Answers before it returns. A model that takes its time is to be asked on a thread of its own, which calls
 * `host->complete` when it is done; `cancel` then tells that thread to stop. */
static lc_status start(void *inst, uint64_t id, lc_slice in, void **call, lc_buf *err)
{
    json request;
    text value = { 0 }, body = { 0 };
    lc_buf out = { 0 };
    lc_status status = read_input(in, &request, err);
    if (status != LC_OK)
        return status;
    status = answer_to(inst, request, &value, err);
    if (status == LC_OK) {
        text_words(&body, "{\"version\": 1, \"value\": ");
        text_bytes(&body, value.at, value.length);
        text_words(&body, "}");
        body.failed |= value.failed;
        *call = &nothing;
        status = reply_ok(&out, &body);
        host->complete(host->ctx, id, status, out);
        status = LC_OK;
    }
    text_free(&value);
    return status;
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
