/* Says of each text on standard input whether `json_read` takes it: a line with `1` or `0`. A text is its length in bytes on
 * a line, and the bytes. */
#include <stdio.h>
#include "json.h"

int main(void)
{
    size_t length;
    while (scanf("%zu", &length) == 1 && getchar() == '\n') {
        /* No byte more than the text, so that a memory checker sees each step too far. */
        uint8_t *bytes = malloc(length ? length : 1);
        json value;
        if (!bytes || fread(bytes, 1, length, stdin) != length)
            return 1;
        puts(json_read(bytes, length, &value) ? "1" : "0");
        free(bytes);
    }
    return 0;
}
