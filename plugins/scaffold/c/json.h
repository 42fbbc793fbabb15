/* As much JSON as a plugin needs, without a library: check a text, find values in it, take strings apart, write strings.
 *
 *     json request, id;
 *     if (!json_read(in.ptr, in.len, &request)) return refuse("not JSON");
 *     if (json_find(request, "/document/id", &id)) text_string_of(&out, id);
 *
 * Nothing is copied until it is written: a `json` points into the text that it was read from. */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__)
#define JSON_FUNCTION __attribute__((unused)) static
#else
#define JSON_FUNCTION static
#endif

/* Deeper than any payload; keeps the recursion below from exhausting a thread's stack. */
#define JSON_MAX_DEPTH 200

/* One value within a checked text, without the space around it. Its first byte says what it is: one of `{["tfn` or a
 * number's. */
typedef struct {
    const uint8_t *at, *end;
} json;

/* ---- reading ---- */

JSON_FUNCTION const uint8_t *json_space(const uint8_t *at, const uint8_t *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
        at++;
    return at;
}

JSON_FUNCTION int json_hex(uint8_t c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The bytes of one character of UTF-8, or 0 if they are none. */
JSON_FUNCTION size_t json_utf8(const uint8_t *at, const uint8_t *end)
{
    uint8_t c = *at, low = 0x80, high = 0xbf;
    size_t more = c < 0x80 ? 0 : c < 0xc2 ? 9 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : c < 0xf5 ? 3 : 9;
    if (more == 9 || (size_t)(end - at) <= more)
        return 0;
    if (c == 0xe0) low = 0xa0;
    if (c == 0xed) high = 0x9f;
    if (c == 0xf0) low = 0x90;
    if (c == 0xf4) high = 0x8f;
    for (size_t i = 1; i <= more; i++, low = 0x80, high = 0xbf)
        if (at[i] < low || at[i] > high)
            return 0;
    return more + 1;
}

/* Behind the string that begins at `at`, or null. */
JSON_FUNCTION const uint8_t *json_skip_string(const uint8_t *at, const uint8_t *end)
{
    if (at == end || *at++ != '"')
        return NULL;
    while (at < end && *at != '"') {
        if (*at == '\\') {
            if (++at == end || !*at || !strchr("\"\\/bfnrtu", *at))
                return NULL;
            if (*at == 'u') {
                if (end - at < 5)
                    return NULL;
                for (int i = 1; i <= 4; i++)
                    if (json_hex(at[i]) < 0)
                        return NULL;
                at += 4;
            }
            at++;
        } else {
            size_t length = *at < 0x20 ? 0 : json_utf8(at, end);
            if (!length)
                return NULL;
            at += length;
        }
    }
    return at < end ? at + 1 : NULL;
}

JSON_FUNCTION const uint8_t *json_skip_digits(const uint8_t *at, const uint8_t *end)
{
    const uint8_t *first = at;
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    return at > first ? at : NULL;
}

JSON_FUNCTION const uint8_t *json_skip_number(const uint8_t *at, const uint8_t *end)
{
    if (at < end && *at == '-')
        at++;
    if (at < end && *at == '0')
        at++;
    else if (!(at = json_skip_digits(at, end)))
        return NULL;
    if (at < end && *at == '.' && !(at = json_skip_digits(at + 1, end)))
        return NULL;
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        if (at < end && (*at == '+' || *at == '-'))
            at++;
        at = json_skip_digits(at, end);
    }
    return at;
}

/* Behind the value that begins at `at`, or null if none does. */
JSON_FUNCTION const uint8_t *json_skip(const uint8_t *at, const uint8_t *end, unsigned depth)
{
    static const char *const words[] = { "true", "false", "null" };
    if (at == end || depth > JSON_MAX_DEPTH)
        return NULL;
    if (*at == '"')
        return json_skip_string(at, end);
    if (*at == '{' || *at == '[') {
        bool object = *at == '{';
        uint8_t close = object ? '}' : ']';
        at = json_space(at + 1, end);
        if (at < end && *at == close)
            return at + 1;
        while (at) {
            if (object) {
                if (!(at = json_skip_string(at, end)))
                    return NULL;
                at = json_space(at, end);
                if (at == end || *at++ != ':')
                    return NULL;
                at = json_space(at, end);
            }
            if (!(at = json_skip(at, end, depth + 1)))
                return NULL;
            at = json_space(at, end);
            if (at == end || (*at != ',' && *at != close))
                return NULL;
            if (*at == close)
                return at + 1;
            at = json_space(at + 1, end);
        }
        return NULL;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i]);
        if ((size_t)(end - at) >= length && memcmp(at, words[i], length) == 0)
            return at + length;
    }
    return json_skip_number(at, end);
}

/* Reads a text that is to be one value. False if it isn't: then nothing below may be asked of `value`. */
JSON_FUNCTION bool json_read(const uint8_t *text, size_t length, json *value)
{
    if (!text || !length)
        return false;
    const uint8_t *end = text + length, *at = json_space(text, end), *behind = json_skip(at, end, 0);
    if (!behind || json_space(behind, end) != end)
        return false;
    *value = (json){ at, behind };
    return true;
}

/* ---- taking strings apart ---- */

/* Bytes that grow. `failed` when there was no memory for all of them. */
typedef struct {
    uint8_t *at;
    size_t length, room;
    bool failed;
} text;

JSON_FUNCTION void text_bytes(text *to, const void *bytes, size_t count)
{
    if (to->failed || count > SIZE_MAX / 2 - to->length) {
        to->failed = true;
        return;
    }
    if (to->length + count > to->room) {
        size_t room = (to->length + count) * 2;
        uint8_t *moved = realloc(to->at, room);
        if (!moved) {
            to->failed = true;
            return;
        }
        to->at = moved;
        to->room = room;
    }
    if (count)
        memcpy(to->at + to->length, bytes, count);
    to->length += count;
}

JSON_FUNCTION void text_words(text *to, const char *words) { text_bytes(to, words, strlen(words)); }

/* The value as it stands. */
JSON_FUNCTION void text_json(text *to, json value) { text_bytes(to, value.at, (size_t)(value.end - value.at)); }

JSON_FUNCTION void text_free(text *of)
{
    free(of->at);
    *of = (text){ 0 };
}

JSON_FUNCTION uint32_t json_unit(const uint8_t *at)
{
    uint32_t unit = 0;
    for (int i = 0; i < 4; i++)
        unit = unit << 4 | (uint32_t)json_hex(at[i]);
    return unit;
}

/* One character of a checked string, at `*at` behind its opening quote: as UTF-8 in `out`, which has room for four bytes.
 * Returns how many there are; 0 at the closing quote. Half a pair of surrogates is U+FFFD. */
JSON_FUNCTION size_t json_character(const uint8_t **at, uint8_t *out)
{
    const uint8_t *from = *at;
    if (*from == '"')
        return 0;
    if (*from != '\\') {
        size_t length = *from < 0x80 ? 1 : *from < 0xe0 ? 2 : *from < 0xf0 ? 3 : 4;
        memcpy(out, from, length);
        *at = from + length;
        return length;
    }
    *at = from + 2;
    if (from[1] != 'u') {
        static const char names[] = "bfnrt", meant[] = "\b\f\n\r\t";
        const char *name = strchr(names, from[1]);
        *out = name ? (uint8_t)meant[name - names] : from[1];
        return 1;
    }
    uint32_t c = json_unit(from + 2);
    *at = from + 6;
    if (c >= 0xd800 && c < 0xe000) {
        uint32_t low = c < 0xdc00 && from[6] == '\\' && from[7] == 'u' ? json_unit(from + 8) : 0;
        if (low >= 0xdc00 && low < 0xe000) {
            c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
            *at = from + 12;
        } else {
            c = 0xfffd;
        }
    }
    if (c < 0x80) {
        out[0] = (uint8_t)c;
        return 1;
    }
    size_t length = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const uint8_t leads[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
    for (size_t i = length - 1; i > 0; i--, c >>= 6)
        out[i] = (uint8_t)(0x80 | (c & 0x3f));
    out[0] = (uint8_t)(leads[length] | c);
    return length;
}

/* What a string says. Nothing if `value` is no string. */
JSON_FUNCTION void text_string_of(text *to, json value)
{
    if (*value.at != '"')
        return;
    uint8_t character[4];
    const uint8_t *at = value.at + 1;
    for (size_t length; (length = json_character(&at, character)) > 0;)
        text_bytes(to, character, length);
}

/* Whether a string says just this. */
JSON_FUNCTION bool json_says(json value, const void *words, size_t count)
{
    if (*value.at != '"')
        return false;
    uint8_t character[4];
    const uint8_t *at = value.at + 1, *expected = words;
    for (size_t length; (length = json_character(&at, character)) > 0; expected += length, count -= length)
        if (length > count || memcmp(character, expected, length) != 0)
            return false;
    return count == 0;
}

/* A string of JSON that says `bytes`, which are UTF-8. */
JSON_FUNCTION void text_quoted(text *to, const void *bytes, size_t count)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *from = bytes;
    text_words(to, "\"");
    for (size_t i = 0; i < count; i++) {
        uint8_t escape[6] = { '\\', 'u', '0', '0', (uint8_t)digits[from[i] >> 4], (uint8_t)digits[from[i] & 15] };
        if (from[i] < 0x20)
            text_bytes(to, escape, sizeof escape);
        else {
            if (from[i] == '"' || from[i] == '\\')
                text_words(to, "\\");
            text_bytes(to, &from[i], 1);
        }
    }
    text_words(to, "\"");
}

/* ---- finding ---- */

/* The member of an object, or element of a list, that `name` names. The last of several members, as most readers have it. */
JSON_FUNCTION bool json_member(json of, const void *name, size_t count, json *value)
{
    bool object = *of.at == '{', found = false;
    if (!object && *of.at != '[')
        return false;
    size_t wanted = 0;
    if (!object) {
        /* RFC 6901: digits without leading zeros. */
        const uint8_t *digits = name;
        if (!count || count > 9 || (count > 1 && digits[0] == '0'))
            return false;
        for (size_t i = 0; i < count; i++) {
            if (digits[i] < '0' || digits[i] > '9')
                return false;
            wanted = wanted * 10 + (size_t)(digits[i] - '0');
        }
    }
    const uint8_t *at = json_space(of.at + 1, of.end);
    for (size_t index = 0; *at != '}' && *at != ']'; index++) {
        bool this_one = !object && index == wanted;
        if (object) {
            const uint8_t *behind = json_skip_string(at, of.end);
            this_one = json_says((json){ at, behind }, name, count);
            at = json_space(json_space(behind, of.end) + 1, of.end);
        }
        const uint8_t *behind = json_skip(at, of.end, 0);
        if (this_one) {
            *value = (json){ at, behind };
            found = true;
        }
        at = json_space(behind, of.end);
        if (*at == ',')
            at = json_space(at + 1, of.end);
    }
    return found;
}

/* What a JSON Pointer (RFC 6901) such as `/messages/0/content` finds; the empty one is the whole. */
JSON_FUNCTION bool json_find_bytes(json in, const uint8_t *pointer, size_t count, json *value)
{
    const uint8_t *end = pointer + count;
    while (pointer < end) {
        if (*pointer++ != '/')
            return false;
        text name = { 0 };
        bool valid = true;
        for (; valid && pointer < end && *pointer != '/'; pointer++) {
            const char *meant = (const char *)pointer;
            if (*pointer == '~') {
                valid = ++pointer < end && (*pointer == '0' || *pointer == '1');
                meant = valid && *pointer == '0' ? "~" : "/";
            }
            text_bytes(&name, meant, 1);
        }
        bool found = valid && !name.failed && json_member(in, name.at, name.length, &in);
        text_free(&name);
        if (!found)
            return false;
    }
    *value = in;
    return true;
}

JSON_FUNCTION bool json_find(json in, const char *pointer, json *value)
{
    return json_find_bytes(in, (const uint8_t *)pointer, strlen(pointer), value);
}

#endif
