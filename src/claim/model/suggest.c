/* Suggestions for misspelt names. Knows spellings; nothing of what the names mean. */
#include "claim/model/suggest.h"

#include <string.h>

#include "language/builtin.h"

/* Whether one slip of the hand turns one word into the other. */
static bool is_near(const char *x, const char *y)
{
    size_t length_x = strlen(x), length_y = strlen(y), same = 0;
    if (length_x < 3 || length_y < 3) return false; /* every short name is near another */
    while (x[same] != '\0' && x[same] == y[same]) same++;
    x += same;
    y += same;
    if (length_x == length_y)
        return *x != '\0' && (strcmp(x + 1, y + 1) == 0 ||
                              (x[0] == y[1] && x[1] == y[0] && strcmp(x + 2, y + 2) == 0));
    if (length_x == length_y + 1) return strcmp(x + 1, y) == 0;
    return length_y == length_x + 1 && strcmp(x, y + 1) == 0;
}

const char *qkv__suggest(const qkv__model *model, const char *name)
{
    static const char *const parts[] = {"weight", "score", "head", "output", "beta", "alpha"};
    for (const qkv__binding *b = model->bindings; b != NULL; b = b->next)
        if (is_near(name, b->name)) return b->name;
    for (size_t i = 0; i < model->algebra.parameter_count; i++)
        if (is_near(name, model->algebra.parameter[i].name))
            return model->algebra.parameter[i].name;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (is_near(name, parts[i])) return parts[i];
    for (size_t i = 0; qkv__builtin_name(i) != NULL; i++)
        if (is_near(name, qkv__builtin_name(i))) return qkv__builtin_name(i);
    return NULL;
}
