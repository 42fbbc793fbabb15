/* A host for tests: it keeps the last answer. */
#ifndef TEST_H
#define TEST_H

#include <stdio.h>

static int failures;
static lc_status last_status;
static text last_answer;

/* Takes a buffer over, as the host does. */
static void keep(lc_status status, lc_buf out)
{
    last_status = status;
    text_free(&last_answer);
    text_bytes(&last_answer, out.ptr, out.len);
    text_bytes(&last_answer, "", 1);
    if (out.drop)
        out.drop(&out);
}

JSON_FUNCTION void complete(void *ctx, uint64_t id, lc_status status, lc_buf out)
{
    (void)ctx, (void)id;
    keep(status, out);
}

static lc_slice slice(const char *words) { return (lc_slice){ (const uint8_t *)words, strlen(words) }; }

JSON_FUNCTION void expect(int line, lc_status status, const char *part)
{
    const char *answer = last_answer.at ? (const char *)last_answer.at : "";
    if (last_status != status || !strstr(answer, part)) {
        printf("test.c:%d: expected status %d with `%s`, found %d with `%s`\n", line, (int)status, part, (int)last_status, answer);
        failures++;
    }
}

JSON_FUNCTION const lc_host_v1 test_host = { sizeof test_host, LC_ABI_MAJOR, LC_ABI_MINOR, NULL, complete, NULL };

static int verdict(void)
{
    text_free(&last_answer);
    puts(failures ? "failed" : "all passed");
    return failures != 0;
}

#endif
