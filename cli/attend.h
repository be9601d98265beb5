/*
 * What the files of `qkv attend` share: a request is what the command line asks for, a job is a
 * request with its tensors. attend_arguments.c makes requests, attend.c runs jobs,
 * attend_report.c prints what came out.
 */
#ifndef QKV_CLI_ATTEND_H
#define QKV_CLI_ATTEND_H

#include <stdbool.h>
#include <stddef.h>

#include <qkv/qkv.h>

#include "input.h"
#include "options.h"

#define ATTEND "qkv attend"

enum {
    INPUT_QUERY,
    INPUT_KEY,
    INPUT_VALUE,
    INPUT_MASK,
    INPUT_KEY_SCALES,
    INPUT_VALUE_SCALES,
    INPUT_COUNT
};
enum { OPERAND_COUNT = INPUT_MASK }; /* query, key and value: the inputs that have heads */
enum { RESULT_OUTPUT, RESULT_WEIGHTS, RESULT_LOG_SUM_EXP, RESULT_ENTROPY, RESULT_COUNT };

typedef struct attend_request {
    const char *inputs[INPUT_COUNT];   /* as input.h reads them; NULL: not given */
    const char *file;                  /* a safetensors file for those not given; NULL: none */
    const char *targets[RESULT_COUNT]; /* where results go; NULL: to no file */
    qkv_attention_options options;     /* without views */
    size_t heads, kv_heads;            /* packed in the width of the inputs; 0: not packed */
    qkv_type type;                     /* of the results; QKV_NONE: by the query's */
    bool json, text;                   /* what to print */
} attend_request;

typedef struct attend_job {
    attend_request request;
    cli_input inputs[INPUT_COUNT];
    qkv_view operands[OPERAND_COUNT]; /* the inputs, heads split */
    qkv_tensor *results[RESULT_COUNT];
    qkv_tensor *computed; /* the output in a type that the operator gives, where that differs */
    double seconds;       /* of the operator alone */
} attend_job;

extern const cli_usage attend_usage;
extern const cli_role attend_roles[INPUT_COUNT];

/* The option of a result without its dashes, and the result's name in a safetensors file. */
extern const char *const attend_result_options[RESULT_COUNT];
extern const char *const attend_result_names[RESULT_COUNT];

/* Returns CLI_PROCEED, or an exit status when there is nothing left to do. */
int attend_parse(int count, char **words, attend_request *request);

/* Whether there are few enough queries and keys for weights to be looked at. */
bool attend_weights_shown(const attend_job *job);

void attend_print_text(const attend_job *job);
void attend_print_json(const attend_job *job);

#endif
