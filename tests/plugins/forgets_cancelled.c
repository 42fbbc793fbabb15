/* Takes a cancelled call for one that needs no answer. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include "neighbour.h"

LC_MANIFEST(MANIFEST_JSON("forgets_cancelled"));

struct work {
    uint64_t id;
    atomic_int cancelled, holders;
};

static void let_go(struct work *work)
{
    if (atomic_fetch_sub(&work->holders, 1) == 1)
        free(work);
}

static void *run(void *what)
{
    struct work *work = what;
    struct timespec moment = { 0, 1000000 };
    for (int waited = 0; waited < 50 && !atomic_load(&work->cancelled); waited++)
        nanosleep(&moment, NULL);
    if (!atomic_load(&work->cancelled))
        answer(work->id, LC_OK, "{\"value\": 1}");
    let_go(work);
    return NULL;
}

static lc_status start(void *inst, uint64_t id, lc_slice request, void **call, lc_buf *err)
{
    (void)inst;
    if (!is_object(request))
        return refuse(err);
    struct work *work = calloc(1, sizeof *work);
    pthread_t thread;
    if (!work)
        return LC_TRANSIENT;
    work->id = id;
    work->holders = 2;
    if (pthread_create(&thread, NULL, run, work)) {
        free(work);
        return LC_TRANSIENT;
    }
    pthread_detach(thread);
    *call = work;
    return LC_OK;
}

static void cancel(void *call) { atomic_store(&((struct work *)call)->cancelled, 1); }

static void release(void *call) { let_go(call); }

static const lc_plugin_v1 table = { sizeof table, LC_ABI_MAJOR, LC_ABI_MINOR, LC_MANIFEST_SLICE_INIT,
                                    open_nothing, NULL, start, cancel, release, ignore };

const lc_plugin_v1 *loopctl_plugin_v1(const lc_host_v1 *offered)
{
    if (offered->abi_major != LC_ABI_MAJOR)
        return NULL;
    host = offered;
    return &table;
}
