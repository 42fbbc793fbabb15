/* How a plugin hands bytes to the host: answers, and errors in the shape that the host reads. */
#ifndef REPLY_H
#define REPLY_H

#include "json.h"
#include "loopctl_plugin.h"

JSON_FUNCTION void reply_free(lc_buf *buf)
{
    free(buf->ptr);
    *buf = (lc_buf){ 0 };
}

/* The text, which is the host's from here on. */
JSON_FUNCTION lc_buf reply_of(text *of)
{
    lc_buf buf = { of->at, of->length, of->room, reply_free };
    *of = (text){ 0 };
    return buf;
}

/* An error: fills `out` with its message, and returns its status. Never text of a document, never a secret. */
JSON_FUNCTION lc_status reply_error(lc_buf *out, lc_status status, const char *message, size_t length)
{
    text body = { 0 };
    text_words(&body, "{\"message\": ");
    text_quoted(&body, message, length);
    text_words(&body, "}");
    if (body.failed || !out)
        text_free(&body);
    else
        *out = reply_of(&body);
    return status;
}

JSON_FUNCTION lc_status refuse(lc_buf *out, lc_status status, const char *message)
{
    return reply_error(out, status, message, strlen(message));
}

/* Hands `body` over as the answer, unless there was no memory for all of it. */
JSON_FUNCTION lc_status reply_ok(lc_buf *out, text *body)
{
    if (body->failed || !out) {
        text_free(body);
        return refuse(out, LC_TRANSIENT, "out of memory");
    }
    *out = reply_of(body);
    return LC_OK;
}

/* Reads a payload, or says why it can't be understood. */
JSON_FUNCTION lc_status read_input(lc_slice in, json *input, lc_buf *err)
{
    json version;
    if (in.len > LC_MAX_INPUT)
        return refuse(err, LC_INVALID_REQUEST, "the input is longer than the contract allows");
    if (!json_read(in.ptr, in.len, input) || *input->at != '{')
        return refuse(err, LC_INVALID_REQUEST, "the input isn't a JSON object");
    if (json_find(*input, "/version", &version) && (version.end - version.at != 1 || *version.at != '1'))
        return refuse(err, LC_INVALID_REQUEST, "the input is of a version that this plugin doesn't understand");
    return LC_OK;
}

/* Whether the host speaks this header's version and offers what is needed. */
JSON_FUNCTION bool acceptable(const lc_host_v1 *host)
{
    return host && host->size >= offsetof(lc_host_v1, complete) + sizeof host->complete && host->abi_major == LC_ABI_MAJOR &&
           host->complete;
}

#endif
