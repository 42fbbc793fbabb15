/* Keeps the contract but for the one fault that its configuration names. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "neighbour.h"

LC_MANIFEST(MANIFEST_JSON("faulty"));

struct instance {
    atomic_int holders, closed;
};

struct work {
    struct instance *instance;
    uint64_t id;
};

static atomic_int opened, open_at_once, running;
static char fault[100];

static int is(const char *name) { return strstr(fault, name) != NULL; }

static int holds(lc_slice text, const char *part)
{
    size_t length = strlen(part);
    for (size_t at = 0; at + length <= text.len && at < 4096; at++)
        if (!memcmp(text.ptr + at, part, length))
            return 1;
    return 0;
}

static void let_go(struct instance *instance)
{
    if (atomic_fetch_sub(&instance->holders, 1) == 1)
        free(instance);
}

static lc_status open_faulty(lc_slice config, void **inst, lc_buf *err)
{
    if (!is_object(config) || config.len >= sizeof fault) {
        refuse(err);
        return LC_INVALID_CONFIG;
    }
    memcpy(fault, config.ptr, config.len);
    fault[config.len] = 0;
    int too_many = is("opens_few") && atomic_fetch_add(&opened, 1) > 60;
    int too_busy = atomic_fetch_add(&open_at_once, 1) > 0 && is("opens_one");
    struct instance *instance = calloc(1, sizeof *instance);
    if (!instance || too_many || too_busy) {
        free(instance);
        atomic_fetch_sub(&open_at_once, 1);
        *err = still("{\"message\": \"no more\"}");
        return LC_TRANSIENT;
    }
    instance->holders = 1;
    *inst = instance;
    return LC_OK;
}

static void close_faulty(void *inst)
{
    struct instance *instance = inst;
    if (is("exits_in_close"))
        exit(0);
    atomic_fetch_sub(&open_at_once, 1);
    atomic_store(&instance->closed, 1);
    let_go(instance);
}

/* What a reader that recurses does. */
static size_t depth(const uint8_t *at, const uint8_t *end)
{
    volatile char frame[256];
    frame[0] = 1;
    return at < end && *at == '[' ? depth(at + 1, end) + (size_t)frame[0] : 0;
}

static void *run(void *what)
{
    struct work *work = what;
    struct timespec moment = { 0, 20000000 };
    nanosleep(&moment, NULL);
    if (is("uses_closed") && atomic_load(&work->instance->closed))
        abort();
    int crowd = atomic_fetch_sub(&running, 1) > 16;
    answer(work->id, LC_OK, crowd && is("crowds") ? "{" : "{\"value\": 1}");
    let_go(work->instance);
    free(work);
    return NULL;
}

static lc_status start(void *inst, uint64_t id, lc_slice request, void **call, lc_buf *err)
{
    if (!is_object(request))
        return refuse(err);
    if (is("is_strict") && holds(request, "from_the_future"))
        return refuse(err);
    const uint8_t *list = memchr(request.ptr, '[', request.len);
    if (is("recurses") && list && depth(list, request.ptr + request.len) > 1000)
        return refuse(err);
    if (is("prints")) {
        puts("{\"id\": \"no result\"}");
        fflush(stdout);
    }
    if (is("is_wordy"))
        host->log(host->ctx, LC_LOG_INFO, request);
    if (is("scribbles") && request.len > 2)
        ((uint8_t *)request.ptr)[1] = ' ';
    if (is("gives_no_call")) {
        answer(id, LC_OK, "{\"value\": 1}");
        return LC_OK;
    }
    struct work *work = malloc(sizeof *work);
    pthread_t thread;
    if (!work)
        return LC_TRANSIENT;
    work->instance = inst;
    work->id = id;
    atomic_fetch_add(&work->instance->holders, 1);
    atomic_fetch_add(&running, 1);
    if (pthread_create(&thread, NULL, run, work)) {
        atomic_fetch_sub(&running, 1);
        let_go(work->instance);
        free(work);
        *err = still("{\"message\": \"no thread\"}");
        return LC_TRANSIENT;
    }
    pthread_detach(thread);
    *call = &nothing;
    return LC_OK;
}

static const lc_plugin_v1 table = { sizeof table, LC_ABI_MAJOR, LC_ABI_MINOR, LC_MANIFEST_SLICE_INIT,
                                    open_faulty, NULL, start, ignore, ignore, close_faulty };

const lc_plugin_v1 *loopctl_plugin_v1(const lc_host_v1 *offered)
{
    if (offered->abi_major != LC_ABI_MAJOR)
        return NULL;
    host = offered;
    return &table;
}
