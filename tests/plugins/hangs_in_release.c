/* Answers, and never lets the host go that is done with a call. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include "neighbour.h"

LC_MANIFEST(MANIFEST_JSON("hangs_in_release"));

/* Later than `start` returns, so that it is the host's waiting part that is done with the call. */
static void *run(void *what)
{
    uint64_t *id = what;
    struct timespec moment = { 0, 20000000 };
    nanosleep(&moment, NULL);
    answer(*id, LC_OK, "{\"value\": 1}");
    free(id);
    return NULL;
}

static lc_status start(void *inst, uint64_t id, lc_slice request, void **call, lc_buf *err)
{
    (void)inst;
    if (!is_object(request))
        return refuse(err);
    uint64_t *kept = malloc(sizeof *kept);
    pthread_t thread;
    if (kept)
        *kept = id;
    if (!kept || pthread_create(&thread, NULL, run, kept)) {
        free(kept);
        *err = still("{\"message\": \"no thread\"}");
        return LC_TRANSIENT;
    }
    pthread_detach(thread);
    *call = &nothing;
    return LC_OK;
}

static void hang(void *what)
{
    struct timespec hour = { 3600, 0 };
    (void)what;
    nanosleep(&hour, NULL);
}

static const lc_plugin_v1 table = { sizeof table, LC_ABI_MAJOR, LC_ABI_MINOR, LC_MANIFEST_SLICE_INIT,
                                    open_nothing, NULL, start, ignore, hang, ignore };

const lc_plugin_v1 *loopctl_plugin_v1(const lc_host_v1 *offered)
{
    if (offered->abi_major != LC_ABI_MAJOR)
        return NULL;
    host = offered;
    return &table;
}
