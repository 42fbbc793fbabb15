/* Drives the plugin as the host does. */
#include "plugin.c"
#include "test.h"

static void ask(int line, const char *config, const char *request, lc_status status, const char *part)
{
    const lc_plugin_v1 *plugin = loopctl_plugin_v1(&test_host);
    void *inst = NULL, *call = NULL;
    lc_buf err = { 0 };
    lc_status done = plugin->open(slice(config), &inst, &err);
    if (done == LC_OK) {
        done = plugin->start(inst, 7, slice(request), &call, &err);
        if (done == LC_OK)
            plugin->call_release(call);
        plugin->close(inst);
    }
    if (done != LC_OK)
        keep(done, err);
    expect(line, status, part);
}

int main(void)
{
    ask(__LINE__, "{}", "{}", LC_OK, "\"value\": {}}");
    ask(__LINE__, "", "{\"version\": 1}", LC_OK, "\"value\": {}}");
    ask(__LINE__, "{\"answer\": {\"a\": 1}}", "{\"messages\": []}", LC_OK, "\"value\": {\"a\": 1}}");
    ask(__LINE__, "{\"answer\": {\"a\": 1}}", "{\"base\": {\"\\u0061\": 2}}", LC_OK, "\"value\": {\"\\u0061\": 2}}");
    ask(__LINE__, "{}", "{\"base\": ", LC_INVALID_REQUEST, "isn't a JSON object");
    ask(__LINE__, "{}", "{\"version\": 2}", LC_INVALID_REQUEST, "version");
    ask(__LINE__, "{", "{}", LC_INVALID_CONFIG, "isn't JSON");
    lc_host_v1 other = test_host;
    other.abi_major = 7;
    if (loopctl_plugin_v1(&other))
        failures++;
    return verdict();
}
