/* Drives the plugin as the host does. */
#include "plugin.c"
#include "test.h"

static void ask(int line, uint32_t op, const char *input, lc_status status, const char *part)
{
    const lc_plugin_v1 *plugin = loopctl_plugin_v1(&test_host);
    void *inst = NULL;
    lc_buf out = { 0 };
    lc_status done = plugin->open(slice("{}"), &inst, &out);
    if (done == LC_OK) {
        done = plugin->call(inst, op, slice(input), &out);
        plugin->close(inst);
    }
    keep(done, out);
    expect(line, status, part);
}

int main(void)
{
    const char *request = "{\"messages\": [{\"role\": \"user\", \"content\": \"say \\\"a\\\"\"}], \"options\": {\"model\": \"m1\"}}";
    ask(__LINE__, LC_ENCODE, request, LC_OK, "\"path\": \"/complete\"");
    ask(__LINE__, LC_ENCODE, request, LC_OK, "${secret:@ENV@_API_KEY}");
    ask(__LINE__, LC_ENCODE, request, LC_OK, "{\\\"model\\\": \\\"m1\\\", \\\"messages\\\": [{\\\"role\\\"");
    ask(__LINE__, LC_ENCODE, request, LC_OK, "say \\\\\\\"a\\\\\\\"");
    ask(__LINE__, LC_ENCODE, "{", LC_INVALID_REQUEST, "isn't a JSON object");
    ask(__LINE__, LC_DECODE, "{\"status\": 200, \"body\": \"{\\\"text\\\": \\\"\\u00e9\\\", \\\"usage\\\": {\\\"input_tokens\\\": 5}}\"}", LC_OK,
        "{\"text\": \"\xc3\xa9\", \"usage\": {\"input_tokens\": 5}}");
    ask(__LINE__, LC_DECODE, "{\"status\": 200, \"body\": \"<html>\"}", LC_TRANSIENT, "no `text`");
    ask(__LINE__, LC_DECODE, "{\"status\": 429, \"body\": \"{\\\"error\\\": {\\\"message\\\": \\\"slowly\\\"}}\"}", LC_RATE_LIMITED, "slowly");
    ask(__LINE__, LC_DECODE, "{\"status\": 401, \"body\": \"\"}", LC_UNAUTHORIZED, "didn't say why");
    ask(__LINE__, LC_DECODE, "{\"status\": 400, \"body\": \"\"}", LC_PERMANENT, "didn't say why");
    ask(__LINE__, LC_DECODE, "{\"status\": 503, \"body\": \"\"}", LC_TRANSIENT, "didn't say why");
    ask(__LINE__, LC_DECODE, "{}", LC_INVALID_REQUEST, "lacks its status");
    ask(__LINE__, 9, "{}", LC_INVALID_REQUEST, "no such operation");
    return verdict();
}
